/** Random runs of 5 to 8 nodes: every property after every event, and the properties after all changes. */
import { describe, expect, test } from 'vitest';
import { turmoil } from './searches.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import { protocols } from '../../../machines/index.js';

const RUNS = 40;

const run = (seed: number, options: Readonly<Record<string, unknown>>, changes = 12) =>
  new Simulation(parseScenario(turmoil({ seed, nodes: 5 + (seed % 4), changes, options }), protocols), {
    host: 'snapshots',
  }).run();

describe.each([
  ['perfect clocks', { clock: 'perfect' }],
  ['perfect clocks, no hello', { clock: 'perfect', hello: false }],
  ['logical clocks', { clock: 'logical' }],
  ['logical clocks, no hello', { clock: 'logical', hello: false }],
  ['a leader that stays alone', { skipIfLeader: true }],
  ['two levels', { radii: [1, 3] }],
  ['two levels, close together', { radii: [2, 3], separations: [1, 2], clock: 'logical' }],
])('%s', (_, options) => {
  test(`${RUNS} runs: nothing is violated, and the network ends leader-oriented`, () => {
    for (let seed = 1; seed <= RUNS; seed++) {
      const { verdict, properties, summary } = run(seed, options);
      expect([seed, ...properties.filter(({ holds }) => holds === false)]).toEqual([seed]);
      expect([seed, verdict, summary['oriented']]).toEqual([seed, 'valid', true]);
    }
  });
});

test('D6: the base ignores the hierarchy: same leaders, with one latency for all', () => {
  for (let seed = 1; seed <= 20; seed++) {
    const json = { ...turmoil({ seed, nodes: 7, changes: 4 }), network: { latency: 1 } };
    const leadersWith = (radii: number[]) =>
      new Simulation(parseScenario({ ...json, options: { ...json.options, radii } }, protocols), { host: 'snapshots' }).run()
        .summary['leaders'];
    expect(leadersWith([1, 2])).toEqual(leadersWith([]));
  }
});

test('S and D5: a lost link causes no needless election and no district resignation', () => {
  const notified = { S: 0, D5: 0 };
  for (let seed = 1; seed <= RUNS; seed++) {
    const json = turmoil({ seed, nodes: 8, changes: 0, options: { radii: [1, 2] } });
    const [link] = json.topology.links;
    const events = json.topology.links.slice(0, 4).map((link, i) => ({ at: 1000 * i + 1, do: 'cut', link }));
    if (!link) continue;
    const { properties } = new Simulation(parseScenario({ ...json, events }, protocols), { host: 'snapshots' }).run();
    for (const name of ['S', 'D5'] as const) {
      const holds = properties.find((property) => property.name.startsWith(`${name}:`))!.holds;
      expect([seed, name, holds]).toEqual([seed, name, true]);
      notified[name]++;
    }
  }
  expect(notified.S).toBeGreaterThan(RUNS / 2);
});
