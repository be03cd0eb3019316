/** The sample vectors of the controller, through the parser and on both hosts. */
import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { controller } from './index.js';

const file = new URL('../../../shared/vectors/controller.ndjson', import.meta.url);
const vectors = existsSync(file)
  ? readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { name: string; scenario: unknown; expect: object })
  : [];

describe.skipIf(vectors.length === 0)('sample vectors (../shared/vectors)', () => {
  test.each(vectors)('$name', ({ scenario, expect: expected }) => {
    for (const host of ['actors', 'snapshots'] as const) {
      const report = new Simulation(parseScenario(scenario, { controller }), { host }).run();
      expect(report.summary).toMatchObject(expected);
      expect(report.verdict).toBe('valid');
    }
  });
});
