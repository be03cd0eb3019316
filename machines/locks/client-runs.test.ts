/** Clients in runs: patience with clients that leave and return, and links that go down and up. */
import { assign } from 'xstate';
import { describe, expect, test } from 'vitest';
import { Simulation } from '../../network/simulation.js';
import { Random } from '../../network/random.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { settled } from './clients.js';
import { locks } from './index.js';
import { recordsOf, type In } from './knowledge.js';
import type { LockContext } from './lock.js';
import { among, neverDisowned, mutant, stop } from './systems.fixtures.js';

type Happening = Readonly<Record<string, unknown>> & { readonly at: number };

/** The nodes to which locks are granted, in order, and the properties that fail. */
function grantsIn(scenario: unknown, protocol: typeof locks) {
  const { properties, summary } = new Simulation(parseScenario(scenario, { locks: protocol }), { host: 'snapshots' }).run();
  const { grants } = summary as { grants: readonly { node: string }[] };
  return {
    granted: grants.map(({ node }) => node),
    failed: properties.filter(({ holds }) => holds === false).map(({ name }) => name),
  };
}

test('an unreceived grant through one voter delays the client at the other', () => {
  const voters = ['a', 'b', 'c', 'd', 'e'];
  const links = among(voters, ['a', 'b']).links.map(([u, v]) => [u, v, v !== 'x' && [u, v].includes('b') ? 50 : 1]);
  const scenario = {
    protocol: 'locks',
    options: { clients: ['x'], hold: 1, patience: 5000 },
    topology: { nodes: [...voters, 'x'], links },
    network: { order: 'fifo', latency: 'weight' },
    // The epoch without d begins at a at 200, and at b at 250; a is granted the lock for x at 209.
    events: [
      { at: 100, do: 'crash', node: 'd' },
      ...['a', 'b', 'c', 'e'].map((voter) => ({ at: 100, do: 'down', channel: [voter, 'd'] })),
      { at: 204, do: 'request', node: 'x' },
      { at: 210, do: 'cut', link: ['a', 'x'] },
    ],
    seed: 1,
    until: { at: 1000 },
  };
  // By then b has received what is to be recorded, and has asked x, which reports that it does not hold the lock.
  expect(grantsIn(scenario, locks).granted).toEqual(['x']);
  expect(grantsIn(scenario, neverDisowned).granted).toEqual([]);
});

test('patience with an unreachable voter ends while a client comes and goes', () => {
  const voters = ['a', 'b', 'c']; // c holds and reaches only b
  const scenario = {
    protocol: 'locks',
    options: { clients: ['x'], hold: null, patience: 60 },
    topology: among(voters),
    network: { order: 'fifo', latency: 1 },
    events: [
      { at: 100, do: 'request', node: 'c' },
      { at: 200, do: 'cut', link: ['a', 'c'] },
      ...[...Array(20).keys()].flatMap((i) =>
        voters.map((voter) => ({ at: 205 + 15 * i, do: i % 2 ? 'join' : 'cut', link: [voter, 'x'] })),
      ),
      { at: 210, do: 'request', node: 'b' },
    ].toSorted((p, q) => p.at - q.at),
    seed: 1,
    until: { at: 500 },
  };
  expect(grantsIn(scenario, locks).granted).toEqual(['c', 'b']);
  expect(grantsIn(scenario, mutant({ guards: { isIrrelevant: () => false } })).granted).toEqual(['c']);
});

describe('a holding client is gone, and epochs follow each other faster than patience', () => {
  const voters = ['a', 'b', 'c', 'd'];
  const others = ['a', 'b', 'c'];
  /**
   * The nodes to which the lock is granted by 400: x, which holds it, and b, which requests it at 210. Epochs follow each other until 560.
   */
  const granted = (isGone: boolean, events: readonly Happening[] = [], at = 400) => {
    const scenario = {
      protocol: 'locks',
      options: { clients: ['x'], hold: null, patience: 60 },
      topology: among(voters),
      network: { order: 'fifo', latency: 1 },
      events: [
        { at: 100, do: 'request', node: 'x' },
        ...(isGone ? stop('x', voters).map((event) => ({ at: 200, ...event })) : []),
        // d goes down and up: an epoch each time.
        ...[...Array(24).keys()].flatMap((i) =>
          others.map((other) => ({ at: 205 + 15 * i, do: i % 2 ? 'join' : 'cut', link: [other, 'd'] })),
        ),
        { at: 210, do: 'request', node: 'b' },
        ...events,
      ].toSorted((p, q) => p.at - q.at),
      seed: 1,
      until: { at },
    };
    const { granted: nodes, failed } = grantsIn(scenario, locks);
    expect(failed).toEqual([]);
    return nodes;
  };

  test('its lock is free when patience is over, although epochs still follow', () => {
    expect(granted(true)).toEqual(['x', 'b']);
  });

  test('a client that is connected keeps it', () => {
    expect(granted(false)).toEqual(['x']);
  });

  const reports = voters.map((node) => ({ at: 211, do: 'ended', node, peer: 'x' }));

  test('its lock is free at once if the transport reports that its process has ended', () => {
    expect(granted(true, [], 230)).toEqual(['x']);
    expect(granted(true, reports, 230)).toEqual(['x', 'b']);
  });

  test('a client that is connected keeps it despite a false report', () => {
    expect(granted(false, reports)).toEqual(['x']);
  });
});

describe("a client's patience ends while a voter replies that it keeps its lock", () => {
  const voters = ['a', 'b', 'c'];
  const cut = voters.map((voter) => ({ at: 200, do: 'cut', link: [voter, 'x'] }));
  // The voters are asked at 245 and receive it at 255, the answer comes at 265; patience ends at 260.
  const join = voters.map((voter) => ({ at: 245, do: 'join', link: [voter, 'x'] }));
  const granted = (events: readonly Happening[], protocol = locks) => {
    const scenario = {
      protocol: 'locks',
      options: { clients: ['x'], hold: null, patience: 60 },
      topology: among(voters),
      network: { order: 'fifo', latency: 10 },
      events: [{ at: 100, do: 'request', node: 'x' }, ...cut, ...join, ...events].toSorted((p, q) => p.at - q.at),
      seed: 1,
      until: { at: 900 },
    };
    return grantsIn(scenario, protocol);
  };
  const b = { at: 300, do: 'request', node: 'b' };
  const keepsQuiet = mutant({}, {}, { guards: { keepsGivenUp: () => false } });

  test.each<[string, readonly Happening[], readonly string[]]>([
    ['it lost the lock', [b], ['x', 'b']],
    ['it had given the lock back', [{ at: 230, do: 'release', node: 'x' }, b], ['x', 'b']],
    [
      'it lost the lock and requests it again',
      [
        { at: 262, do: 'request', node: 'x' },
        { at: 600, do: 'release', node: 'x' },
        { ...b, at: 400 },
      ],
      ['x', 'x', 'b'],
    ],
  ])('%s: it reports that, and the lock is free', (_, events, nodes) => {
    const { granted: served, failed } = granted(events);
    expect(served).toEqual(nodes);
    expect(failed).toEqual([]);
    expect(granted(events, keepsQuiet).failed).toEqual(['service']);
  });
});

/** Links go down and up, with each end notified separately; then all links are up, and all nodes request again. */
function turmoil(seed: number, protocol = locks) {
  const random = new Random(seed, 'clients');
  const voters = ['a', 'b', 'c'];
  const nodes = [...voters, 'x', 'y'];
  const pairs = nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v] as const)).filter(([u]) => voters.includes(u));
  const both = ([u, v]: readonly [string, string]) => [
    [u, v],
    [v, u],
  ];
  const events: Happening[] = [];
  for (let at = 0; at < 1500; at += 1 + random.below(40)) {
    const what = random.pick(['down', 'up', 'up', 'request', 'request', 'request']);
    const which = what === 'request' ? { node: random.pick(nodes) } : { channel: random.pick(both(random.pick(pairs))) };
    events.push({ at, do: what, ...which });
  }
  for (const pair of pairs)
    for (const channel of both(pair)) events.push({ at: 1600, do: 'down', channel }, { at: 1700, do: 'up', channel });
  for (const node of nodes) events.push({ at: 4000, do: 'request', node });
  const scenario = {
    protocol: 'locks',
    options: { clients: ['x', 'y'], hold: 20, patience: 60 },
    topology: { nodes, links: pairs.map(([u, v]) => [u, v, 1]) },
    network: { order: 'fifo', latency: { min: 1, max: 9 } },
    events,
    seed,
    until: { idle: true },
  };
  return grantsIn(scenario, protocol);
}

describe('links of voters and clients come and go, runs', () => {
  test.each([...Array(4).keys()])('no fence is granted twice, and all requests are granted in the end (seed %i)', (seed) => {
    const { failed, granted } = turmoil(seed);
    expect(failed).toEqual([]);
    expect(new Set(granted.slice(-5))).toEqual(new Set(['a', 'b', 'c', 'x', 'y']));
  });
});

test('without a record of a return, the lock is kept for a client that returned it', () => {
  const isConfirmed = ({ context: { user, id, confirmed, recorders } }: { context: LockContext }) =>
    user === null || user === id || confirmed.length >= recorders;
  expect(turmoil(54, mutant({}, { guards: { isConfirmed: isConfirmed as never } })).failed).toEqual([
    'who keeps a lock has the largest fence',
  ]);
  expect(turmoil(54).failed).toEqual([]);
});

test('records of an epoch do not count in the next one, even if a third is proposed', () => {
  const [voters, nodes] = [
    ['a', 'b', 'c'],
    ['a', 'b', 'c', 'd', 'e', 'x', 'y'],
  ];
  const links = nodes.slice(0, 5).flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v, 1]));
  const scenario = {
    protocol: 'locks',
    options: { voters, clients: ['x', 'y'], hold: 15, patience: 60, storage: 20 },
    topology: { nodes, links },
    network: { latency: { min: 1, max: 9 }, order: 'fifo' },
    events: [
      { at: 224, do: 'request', node: 'c' },
      { at: 350, do: 'request', node: 'x' },
      { at: 361, do: 'request', node: 'y' },
      { at: 407, do: 'request', node: 'y' },
      { at: 439, do: 'cut', link: ['a', 'c'] },
      { at: 575, do: 'change', node: 'b', add: 'b', remove: 'c' },
    ],
    seed: 2137,
    until: { at: 9000 },
  };
  const forgottenLate = mutant({
    actions: {
      remember: assign({ memory: 'known', pending: [], reports: [] }) as never,
      settle: assign(({ context }: In) => ({ opened: 0, records: recordsOf(context.served), ...settled(context) })) as never,
    },
  });
  expect(grantsIn(scenario, locks).failed).toEqual([]);
  expect(grantsIn(scenario, forgottenLate).failed).toEqual(['who keeps a lock has the largest fence']);
});
