/** The scenarios of a rehearsal, over many seeds: each has its own mix, and all faults have healed before the middle of the run. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FAULTS, LIMIT_SETTINGS, scenarioOfShape, shapesOf, type RehearsalScenario } from './scenario.js';

const frame = {
  peers: [3, 5],
  services: ['hub'],
  clients: ['c0'],
  seconds: 20,
  faults: FAULTS,
  knobs: { hold: [1, 50, 400], storage: [true, false] },
  limits: LIMIT_SETTINGS,
};
const HEALED_MS = 8_000;
const scenarios = fc
  .sample(shapesOf(fc, frame), { seed: 1, numRuns: 600, unbiased: true })
  .map((shape) => scenarioOfShape(shape, frame));

/** Checks that the share of runs with a property is between two limits. */
const isShare = (holds: (scenario: RehearsalScenario) => boolean, least: number, most: number) => {
  const share = scenarios.filter(holds).length / scenarios.length;
  expect(share).toBeGreaterThan(least);
  expect(share).toBeLessThan(most);
};
const kindsOf = ({ faults }: RehearsalScenario) => [...new Set(faults.map(({ what }) => what))].sort();

test('all kinds of faults occur, a few in each run, healed after 40% of it', () => {
  expect(new Set(scenarios.flatMap(kindsOf))).toEqual(new Set(FAULTS));
  expect(new Set(scenarios.map((scenario) => kindsOf(scenario).join())).size).toBeGreaterThan(150);
  for (const { faults, peers } of scenarios)
    for (const { atMs, lastsMs, who, other, what } of faults) {
      expect(atMs + lastsMs).toBeLessThanOrEqual(HEALED_MS);
      expect(who).not.toBe(other);
      if (what === 'part' || what === 'oneway') expect(peers).toContain(who);
    }
  const struck = new Set(scenarios.flatMap(({ faults }) => faults.map(({ who }) => who)));
  expect([...struck].sort()).toEqual(['c0', 'hub', 'p0', 'p1', 'p2', 'p3', 'p4']);
  isShare(({ faults }) => faults.length === 0, 0.3, 0.5);
});

test('knobs, limits and the number of peers are drawn for each run', () => {
  const drawn = (of: (scenario: RehearsalScenario) => unknown) => new Set(scenarios.map(of));
  expect(drawn(({ knobs }) => knobs['hold'])).toEqual(new Set([1, 50, 400]));
  expect(drawn(({ knobs }) => knobs['storage'])).toEqual(new Set([true, false]));
  expect(drawn(({ limits }) => limits)).toEqual(new Set(LIMIT_SETTINGS));
  expect(drawn(({ peers }) => peers.length)).toEqual(new Set([3, 5]));
});

test('peers start together or not; in one of three runs one of them starts late', () => {
  const [together, staggered] = [0, 3_000];
  const firstStarts = ({ peers, startsMs }: RehearsalScenario) => startsMs.slice(0, peers.length).sort((a, b) => a - b);
  for (const scenario of scenarios) expect(firstStarts(scenario).at(-2)).toBeLessThanOrEqual(staggered);
  isShare((scenario) => firstStarts(scenario).at(-1)! === together, 0.15, 0.3);
  isShare((scenario) => firstStarts(scenario).at(-1)! >= HEALED_MS / 2, 0.25, 0.42);
  for (const { startsMs } of scenarios) expect(Math.max(...startsMs)).toBeLessThanOrEqual(HEALED_MS);
  const late = scenarios.flatMap(({ peers, startsMs }) => peers.filter((_, i) => startsMs[i]! >= HEALED_MS / 2));
  expect(new Set(late)).toEqual(new Set(['p0', 'p1', 'p2', 'p3', 'p4']));
});

test('some clocks are wrong by at most ten minutes', () => {
  isShare(({ skewsMs }) => skewsMs.some((skew) => skew !== 0), 0.4, 0.9);
  for (const { skewsMs } of scenarios) expect(Math.max(...skewsMs.map(Math.abs))).toBeLessThanOrEqual(600_000);
});

test('in half of the runs each pair of processes has its own latency', () => {
  isShare(({ distances }) => distances.length > 0, 0.42, 0.58);
  for (const { distances, peers } of scenarios.filter(({ distances }) => distances.length > 0)) {
    const processes = peers.length + 2;
    expect(new Set(distances.map(({ between }) => [...between].sort().join())).size).toBe((processes * (processes - 1)) / 2);
  }
  const latencies = scenarios.flatMap(({ distances }) => distances.map(({ latencyMs }) => latencyMs.join()));
  expect(new Set(latencies)).toEqual(new Set(['0.2,3', '1,30', '5,150']));
});
