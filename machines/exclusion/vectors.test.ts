/** Scenarios whose outcome an independent implementation fixed, through the reader that the command uses. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { protocols } from '../index.js';

interface Vector {
  readonly name: string;
  readonly scenario: unknown;
  readonly expect: {
    readonly lockSets: Record<string, string[][]>;
    readonly maxInTransitPerEdgeAtMost: number;
    readonly edgeMessages: { readonly exactly?: number; readonly min?: number; readonly max?: number };
  };
}

const file = new URL('../../../shared/vectors/exclusion.ndjson', import.meta.url);
const vectors: Vector[] = existsSync(file)
  ? readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
  : [];

describe.skipIf(vectors.length === 0)('sample vectors (skipped without ../shared/vectors/exclusion.ndjson)', () => {
  test.each(vectors)('$name', ({ scenario, expect: expected }) => {
    const { verdict, summary } = new Simulation(parseScenario(scenario, protocols)).run() as any;
    const { exactly, min = exactly, max = exactly } = expected.edgeMessages;
    expect(verdict).toBe('valid');
    expect(summary.lockSets).toEqual(expected.lockSets);
    expect(summary.maxInTransitPerEdge).toBeLessThanOrEqual(expected.maxInTransitPerEdgeAtMost);
    expect(summary.edgeMessages).toBeGreaterThanOrEqual(min!);
    expect(summary.edgeMessages).toBeLessThanOrEqual(max!);
  });
});
