/** Long runs of five nodes whose links come and go, and what is checked of a message before a steward sees it. */
import { describe, expect, test } from 'vitest';
import { createMetric, Random, Simulation } from '../../network/index.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { locks } from './index.js';
import { clique, holdersOf } from './epoch.js';
import { stewardMachine } from './steward.js';

const nodes = ['a', 'b', 'c', 'd', 'e'];
const pairs = nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v] as const));

interface Happening {
  readonly at: number;
  readonly do: string;
}

/** Links are cut and joined until tick 1500; then all is well, and everybody asks once more. */
function turmoil(seed: number): Happening[] {
  const random = new Random(seed, 'turmoil');
  const events: Happening[] = [];
  for (let at = 0; at < 1500; at += 1 + random.below(60)) {
    const link = random.pick(pairs);
    const node = random.pick(nodes);
    const what = random.pick(['cut', 'cut', 'join', 'request', 'request']);
    events.push({ at, do: what, ...(what === 'cut' || what === 'join' ? { link } : { node }) });
  }
  for (const link of pairs) events.push({ at: 1500, do: 'join', link } as Happening);
  for (const node of nodes) events.push({ at: 3000, do: 'request', node } as Happening);
  return events;
}

function run(seed: number, protocol = locks) {
  const scenario = {
    protocol: 'locks',
    options: { hold: 20 },
    topology: { nodes, links: pairs.map(([u, v]) => [u, v, 1]) },
    network: { latency: { min: 1, max: 9 }, order: 'fifo' },
    events: turmoil(seed),
    seed,
    until: { idle: true },
  };
  return new Simulation(parseScenario(scenario, { locks: protocol }), { host: 'snapshots' }).run();
}

const seeds = Array.from({ length: 12 }, (_, seed) => seed);

describe('links and nodes that come and go', () => {
  test.each(seeds)('no fence twice, one token an epoch; afterwards one epoch, and everybody is served (seed %i)', (seed) => {
    const { verdict, properties, summary } = run(seed);
    expect(properties.filter(({ holds }) => holds === false)).toEqual([]);
    expect(verdict).toBe('valid');
    const { grants, epochs } = summary as { grants: { node: string; fence: number }[]; epochs: Record<string, number> };
    expect(new Set(Object.values(epochs)).size).toBe(1);
    expect(new Set(grants.slice(-5).map(({ node }) => node))).toEqual(new Set(nodes));
    const last = grants.slice(-5).map(({ fence }) => fence);
    expect(last).toEqual(last.toSorted((x, y) => x - y));
  });
});

test('without the rule that messages of later epochs wait, such runs end with somebody unserved', () => {
  const forgetful = {
    ...locks,
    charts: { ...locks.charts, steward: stewardMachine.provide({ guards: { isOfLaterEpoch: () => false } }) },
  };
  expect(seeds.some((seed) => run(seed, forgetful).verdict === 'invalid')).toBe(true);
});

describe('what comes from the network is checked', () => {
  const graph = createMetric({ nodes: ['a', 'b'], links: [['a', 'b', 1]] });
  const instance = { ...graph, options: locks.options({}, graph) };
  const find = { type: 'find', producer: 'a', visited: ['a'], edge: 'tree', epoch: 1, lock: 'x' };

  test.each<[boolean, unknown]>([
    [true, find],
    [false, { ...find, epoch: -1 }],
    [false, { ...find, lock: 7 }],
    [false, { ...find, producer: 'z' }],
    [true, { type: 'token', fence: 7, epoch: 1, lock: 'x' }],
    [false, { type: 'token', fence: 'x', epoch: 1, lock: 'x' }],
    [true, { type: 'prepare', epoch: 2 }],
    [false, { type: 'prepare' }],
    [true, { type: 'promise', epoch: 2, using: [{ lock: 'x', fence: 1 }], served: 1, links: ['b'], changes: 0 }],
    [false, { type: 'promise', epoch: 2, using: [{ lock: 'x' }], served: 1, links: ['b'], changes: 0 }],
    [false, { type: 'promise', epoch: 2, using: [], served: 1, links: ['z'], changes: 0 }],
    [true, { type: 'refuse', epoch: 2 }],
    [true, { type: 'install', epoch: 2, members: ['a', 'b'], holders: [['x', 'a']] }],
    [false, { type: 'install', epoch: 2, members: ['a', 'z'], holders: [] }],
    [false, { type: 'install', epoch: 2, members: ['a'], holders: [['x']] }],
    [true, { type: 'changed', changes: 3 }],
    [false, { type: 'changed' }],
    [false, { type: 'request', lock: 'x' }],
    [false, { type: 'granted', fence: 1, by: 'lock 1 x' }],
    [false, 'find'],
  ])('%s: %j', (is, message) => {
    expect(locks.accepts(message, instance)).toBe(is);
  });
});

test('a user who has missed an epoch does not go on: others may have had the lock in between', () => {
  const report = { links: ['a', 'b', 'c'], changes: 0 };
  const using = (fence: number) => [{ lock: 'x', fence }];
  const [missed, present] = [
    { ...report, node: 'a', served: 1, using: using(7) },
    { ...report, node: 'b', served: 2, using: [] },
  ];
  expect(holdersOf(['a', 'b'], [missed, present])).toEqual([]);
  expect(holdersOf(['a', 'b'], [{ ...missed, served: 2 }, present])).toEqual([['x', 'a']]);
  expect(
    holdersOf(
      ['a', 'b'],
      [
        { ...missed, served: 2 },
        { ...present, using: using(9) },
      ],
    ),
  ).toEqual([['x', 'b']]);
  expect(holdersOf(['b'], [missed, present])).toEqual([]);
});

test('members of an epoch all reach each other', () => {
  const report = { changes: 0, served: 1, using: [] };
  const reports = [
    { ...report, node: 'a', links: ['b', 'c', 'd'] },
    { ...report, node: 'b', links: ['a', 'd'] },
    { ...report, node: 'c', links: ['a', 'b', 'd'] },
    { ...report, node: 'd', links: ['a', 'b', 'c'] },
  ];
  expect(clique('a', reports)).toEqual(['a', 'b', 'd']);
  expect(clique('c', reports)).toEqual(['a', 'c', 'd']);
});
