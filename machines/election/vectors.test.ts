/** Scenarios whose outcome an independent implementation fixed, through the reader that the command uses. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { protocols } from '../index.js';

interface Vector {
  readonly name: string;
  readonly scenario: unknown;
  readonly expect: Readonly<Record<string, unknown>>;
}

const vectors = (name: string): Vector[] => {
  const file = new URL(`../../../shared/vectors/${name}.ndjson`, import.meta.url);
  if (!existsSync(file)) return [];
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Vector);
};

describe.each(['election', 'hierarchy'])('%s vectors', (name) => {
  const all = vectors(name);
  test.skipIf(all.length === 0)('../shared/vectors is there', () => expect(all.length).toBeGreaterThan(0));

  describe.each(['actors', 'snapshots'] as const)('on %s', (host) => {
    test.each(all)('$name', ({ scenario, expect: expected }) => {
      const { verdict, summary } = new Simulation(parseScenario(scenario, protocols), { host }).run();
      expect(summary).toMatchObject(expected);
      expect(verdict).toBe('valid');
    });
  });
});
