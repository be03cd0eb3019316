import { expect, test } from 'vitest';
import { protocols } from '../machines/index.js';
import { parseScenario } from '../network/scenario/parse.js';
import { Simulation } from '../network/simulation.js';
import { sampleMeters } from './meters.js';

const scenario = parseScenario(
  {
    protocol: 'controller',
    topology: { kind: 'path', n: 6 },
    options: { kind: 'basic', M: 40, W: 20, root: 'n0' },
    workload: { concurrent: 2, requests: 30 },
  },
  protocols,
);

test('the last sample equals the report, and times increase', () => {
  const samples = sampleMeters(scenario);
  const { meters } = new Simulation(scenario).run();
  const bounded = meters.filter(({ ratio }) => ratio !== null);
  expect(bounded.length).toBeGreaterThan(0);
  expect(samples.at(-1)!.ratios).toEqual(Object.fromEntries(bounded.map(({ name, ratio }) => [name, ratio])));
  expect(samples.length).toBeGreaterThan(10);
  expect(samples.map(({ at }) => at)).toEqual(samples.map(({ at }) => at).sort((a, b) => a - b));
});
