/** Scenarios whose results an independent implementation computed, through the reader of the command, on both hosts. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../network/scenario/parse.js';
import { Simulation } from '../network/simulation.js';
import { protocols } from './index.js';

interface Vector {
  readonly name: string;
  readonly scenario: unknown;
  readonly expect: Readonly<Record<string, unknown>>;
}

const folder = new URL('../../shared/vectors/', import.meta.url);

const vectorsOf = (name: string): Vector[] =>
  readFileSync(new URL(`${name}.ndjson`, folder), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));

/** Draws decide how often nodes compete, so exclusion fixes a range where others fix the number. */
function judgeExclusion(summary: Record<string, any>, expected: Record<string, any>): void {
  const { exactly, min = exactly, max = exactly } = expected['edgeMessages'];
  expect(summary['lockSets']).toEqual(expected['lockSets']);
  expect(summary['maxInTransitPerEdge']).toBeLessThanOrEqual(expected['maxInTransitPerEdgeAtMost']);
  expect(summary['edgeMessages']).toBeGreaterThanOrEqual(min);
  expect(summary['edgeMessages']).toBeLessThanOrEqual(max);
}

describe.skipIf(!existsSync(folder))('sample vectors (skipped without ../shared/vectors)', () => {
  describe.each(existsSync(folder) ? ['directory', 'controller', 'election', 'hierarchy', 'exclusion'] : [])('%s', (name) => {
    describe.each(['actors', 'snapshots'] as const)('on %s', (host) => {
      test.each(vectorsOf(name))('$name', ({ scenario, expect: expected }) => {
        const { verdict, summary } = new Simulation(parseScenario(scenario, protocols), { host }).run();
        if (name === 'exclusion') judgeExclusion(summary, expected);
        else expect(summary).toMatchObject(expected);
        expect(verdict).toBe('valid');
      });
    });
  });
});
