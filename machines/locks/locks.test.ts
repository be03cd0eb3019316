/** Long runs of five nodes whose links go down and up, and the checks of messages before a chart receives them. */
import { assign } from 'xstate';
import { describe, expect, test } from 'vitest';
import { Simulation } from '../../network/simulation.js';
import { Random } from '../../network/random.js';
import { createMetric } from '../../network/topology/metric.js';
import { parseScenario } from '../../network/scenario/parse.js';
import { BOUNDS } from './epoch.js';
import { locks } from './index.js';
import { firstMembership, membershipAfter, NO_MEMBERSHIP } from './membership.js';
import { cliqueOf, keptOf, recallOf, type PromiseReport } from './promises.js';
import { mutant, namingByName } from './systems.fixtures.js';

const nodes = ['a', 'b', 'c', 'd', 'e'];
const pairs = nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v] as const));

interface Happening {
  readonly at: number;
  readonly do: string;
}

/** Links are cut and joined until tick 1500; then all links are up, and all nodes request again. */
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

describe('links and nodes that go down and up', () => {
  test.each(seeds)('unique fences, one token an epoch, one epoch grants all requests (seed %i)', (seed) => {
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

test('if two pairs of five nodes are not linked, the holder stays a member', () => {
  const scenario = {
    protocol: 'locks',
    options: { hold: 5000 },
    topology: { nodes, links: pairs.map(([u, v]) => [u, v, 1]) },
    network: { latency: { min: 1, max: 9 }, order: 'fifo' },
    events: [
      { at: 0, do: 'request', node: 'c' },
      { at: 100, do: 'cut', link: ['b', 'c'] },
      { at: 100, do: 'cut', link: ['d', 'e'] },
      { at: 200, do: 'request', node: 'a' },
    ],
    seed: 1,
    until: { idle: true },
  };
  const report = new Simulation(parseScenario(scenario, { locks }), { host: 'snapshots' }).run();
  expect(report).toMatchObject({ verdict: 'valid', summary: { lost: 0, grants: [{ node: 'c' }, { node: 'a' }] } });
});

test('if early messages are dropped, such runs end with a pending request', () => {
  const forgetful = mutant({ actions: { keepEarly: assign(() => ({})) as never } });
  expect(seeds.some((seed) => run(seed, forgetful).verdict === 'invalid')).toBe(true);
});

describe('messages from the network are checked', () => {
  const graph = createMetric({ nodes: ['a', 'b'], links: [['a', 'b', 1]] });
  const instance = { ...graph, options: locks.options({}, graph) };
  const membership = firstMembership(['a', 'b']);
  const promise = {
    type: 'promise',
    membership,
    epoch: 2,
    memory: 'known',
    served: 1,
    kept: [],
    pending: [],
    using: [{ lock: 'x', fence: 1 }],
    records: [],
    stranded: [],
    links: ['b'],
    floor: 0,
  };
  const find = { type: 'find', producer: 'a', visited: ['a'], edge: 'tree', epoch: 1, lock: 'x' };

  test.each<[boolean, unknown]>([
    [true, find],
    [false, { ...find, epoch: -1 }],
    [false, { ...find, lock: 7 }],
    [false, { ...find, producer: 'z' }],
    [true, { type: 'token', fence: 7, epoch: 1, lock: 'x' }],
    [false, { type: 'token', fence: 'x', epoch: 1, lock: 'x' }],
    [true, { type: 'token', fence: 7, copyset: ['a', 'b'], epoch: 1, lock: 'x' }],
    [false, { type: 'token', fence: 7, copyset: ['z'], epoch: 1, lock: 'x' }],
    [true, { type: 'recall', fence: 7, epoch: 1, lock: 'x' }],
    [false, { type: 'recall', epoch: 1, lock: 'x' }],
    [false, { type: 'returned', fence: 7, lock: 'x' }],
    [true, { type: 'prepare', membership, epoch: 2, members: ['a', 'b'], served: 1, next: membership }],
    [false, { type: 'prepare', membership, epoch: 2, members: [], served: 1, next: membership }],
    [false, { type: 'prepare', membership, epoch: 2 }],
    [true, promise],
    [true, { ...promise, pending: [{ epoch: 1, proposer: 'a', members: ['a'], next: membership }] }],
    [false, { ...promise, pending: [{ epoch: 1, proposer: 'z', members: ['a'], next: membership }] }],
    [false, { ...promise, memory: 'perfect' }],
    [false, { ...promise, floor: -1 }],
    [false, { ...promise, using: [{ lock: 'x' }] }],
    [true, { ...promise, using: [{ lock: 'x', fence: 1, mode: 'shared' }] }],
    [false, { ...promise, using: [{ lock: 'x', fence: 1, mode: 'alone' }] }],
    [false, { ...promise, using: [{ lock: 'x', fence: 1, mode: 'shared', client: 'b' }] }],
    [false, { ...promise, kept: [{ lock: 'x', fence: 1 }] }],
    [true, { ...promise, records: [{ lock: 'x', fence: 1, client: 'b' }], stranded: [{ lock: 'x', fence: 1, number: 2 }] }],
    [false, { ...promise, records: [{ lock: 'x', fence: 1, client: 'z' }] }],
    [false, { ...promise, stranded: [{ lock: 'x', fence: 1 }] }],
    [false, { ...promise, links: ['z'] }],
    [true, { type: 'refuse', membership, epoch: 2, promised: 3 }],
    [false, { type: 'refuse', membership, epoch: 2 }],
    [true, { type: 'refuse', membership, epoch: 2, promised: 3, known: 2 ** 39 }],
    [false, { type: 'refuse', membership, epoch: 2, promised: 3, known: '4' }],
    [false, { type: 'refuse', membership, epoch: 2, promised: 3, known: 2 ** 53 }],
    [true, { type: 'wait', membership, epoch: 2 }],
    [true, { type: 'install', membership, epoch: 2, members: ['a', 'b'], kept: [{ lock: 'x', fence: 1, node: 'a' }] }],
    [false, { type: 'install', membership, epoch: 2, members: ['a', 'z'], kept: [] }],
    [false, { type: 'install', membership, epoch: 2, members: ['a'], kept: [{ lock: 'x', fence: 1 }] }],
    [true, { type: 'superseded', membership, epoch: 2, members: ['a'] }],
    [false, { type: 'superseded', membership, epoch: 2 }],
    [true, { type: 'changed', membership }],
    [true, { type: 'hello', membership }],
    [false, { type: 'hello' }],
    [false, { type: 'hello', membership: { ...membership, voters: ['a', 'z'] } }],
    [false, { type: 'hello', membership: { ...membership, version: 0 } }],
    [true, { type: 'hello', membership: NO_MEMBERSHIP }],
    [true, { type: 'reconfigure', membership, add: 'b', remove: null }],
    [false, { type: 'reconfigure', membership, add: 'z', remove: null }],
    [false, { type: 'request', lock: 'x' }],
    [false, { type: 'granted', fence: 1, by: 'lock 1 x' }],
    [false, 'find'],
  ])('%s: %j', (is, message) => {
    expect(locks.accepts(message, instance)).toBe(is);
  });
});

const voters = ['a', 'b', 'c'];
const membership = firstMembership(voters);
const stands = (node: string, standing: Partial<PromiseReport> = {}): PromiseReport => ({
  node,
  memory: 'known',
  served: 1,
  kept: [],
  records: [],
  stranded: [],
  pending: [],
  using: [],
  links: voters.filter((voter) => voter !== node),
  floor: 0,
  membership,
  ...standing,
});
const x = (fence: number) => ({ using: [{ lock: 'x', fence }] });
const kept = (...reports: PromiseReport[]) => keptOf(reports, voters).map(({ node, fence }) => [node, fence]);

describe('keeping a lock', () => {
  test('5a: a node of the latest epoch, or one that it kept; the largest fence wins', () => {
    expect(kept(stands('a', x(7)), stands('b'))).toEqual([['a', 7]]);
    expect(kept(stands('a', x(7)), stands('b', { served: 2 }))).toEqual([]);
    expect(kept(stands('a', x(7)), stands('b', { served: 2, kept: [{ lock: 'x', node: 'a', fence: 7 }] }))).toEqual([['a', 7]]);
    expect(kept(stands('a', x(7)), stands('b', { served: 2, kept: [{ lock: 'x', node: 'a', fence: 6 }] }))).toEqual([]);
    expect(kept(stands('a', x(7)), stands('b', x(9)))).toEqual([['b', 9]]);
  });

  test('5, 12: the last writer, or all readers since', () => {
    const reads = (fence: number) => ({ using: [{ lock: 'x', fence, mode: 'shared' as const }] });
    expect(kept(stands('a', reads(7)), stands('b', reads(8)), stands('c'))).toEqual([
      ['a', 7],
      ['b', 8],
    ]);
    expect(kept(stands('a', reads(7)), stands('b', x(8)), stands('c', reads(9)))).toEqual([['c', 9]]);
    expect(kept(stands('a', reads(7)), stands('b', x(8)))).toEqual([['b', 8]]);
  });

  test('5b: no holder, if the unknown voters are a majority', () => {
    const forgotten = { memory: 'forgotten', served: 0 } as const;
    expect(kept(stands('a', x(7)), stands('b', forgotten))).toEqual([]);
    // It has promised this very epoch since it started, as all voters have: none can have forgotten a later one.
    const promised = { ...forgotten, pending: [{ epoch: 1, proposer: 'a', members: ['a', 'b', 'c'], next: membership }] };
    expect(kept(stands('a', x(7)), stands('b', promised), stands('c', promised))).toEqual([['a', 7]]);
    expect(kept(stands('a', x(7)), stands('b', promised), stands('c', forgotten))).toEqual([]);
    expect(kept(stands('a', x(7)), stands('b', promised))).toEqual([]);
  });

  test('5c: no holder that a later epoch, which may have begun, does not name', () => {
    const pending = (proposer: string, ...members: string[]) => ({
      pending: [{ epoch: 2, proposer, members, next: membership }],
    });
    expect(kept(stands('a', x(7)), stands('b', pending('c', 'b', 'c')))).toEqual([]);
    expect(kept(stands('a', x(7)), stands('b', pending('c', 'a', 'b', 'c')))).toEqual([['a', 7]]);
    // Its proposer is present, and has not served it.
    expect(kept(stands('a', x(7)), stands('b', pending('b', 'b', 'c')))).toEqual([['a', 7]]);
  });
});

test('4: the common memory of the voters that promise', () => {
  const forgotten = { memory: 'forgotten', served: 0 } as const;
  const of = (...reports: PromiseReport[]) => recallOf(reports, membership);
  expect(of(stands('a'), stands('b'))).toBe('enough');
  expect(of(stands('a'), stands('b', { memory: 'new' }))).toBe('enough');
  expect(of(stands('a'), stands('b', forgotten))).toBe('too little');
  expect(of(stands('a'), stands('b', forgotten), stands('c'))).toBe('enough');
  expect(of(stands('a'), stands('b', forgotten), stands('c', forgotten))).toBe('none is missing');
  // Its first fences are above all earlier ones, as at a first start.
  expect(of(stands('a', { memory: 'founding' }), stands('b', forgotten))).toBe('none is missing');
  expect(of(stands('a', { memory: 'founding' }), stands('b'), stands('c'))).toBe('enough');

  // 9: c has forgotten whether it began an epoch of another list, and d has never known anything.
  const next = membershipAfter(membership, { add: 'd', remove: 'a' }, BOUNDS.bytes)!;
  const pending = [{ epoch: 2, proposer: 'c', members: ['a', 'b', 'c', 'd'], next }];
  const [a, b] = [stands('a', { pending }), stands('b', { pending })];
  const [c, d] = [stands('c', forgotten), stands('d', { ...forgotten, pending })];
  expect(of(a, b, c)).toBe('too little');
  expect(of(a, b, c, d)).toBe('none is missing');
  expect(of(a, b, c, { ...d, memory: 'new' })).toBe('enough');
});

describe('the named members, if not all reach each other', () => {
  const four = firstMembership(['a', 'b', 'c', 'd']);
  const whole: Readonly<Record<string, readonly string[]>> = {
    a: ['b', 'c', 'd'],
    b: ['a', 'd'],
    c: ['a', 'b', 'd'],
    d: ['a', 'b', 'c'],
  };
  /** b and c do not reach each other, because b is not notified yet. Except for `standing`, all nodes have the same values. */
  const named = (proposer: string, standings: Readonly<Record<string, Partial<PromiseReport>>> = {}) => {
    const others = Object.keys(whole).filter((node) => node !== proposer);
    const reports = [proposer, ...others].map((node) => stands(node, { links: whole[node]!, ...standings[node] }));
    return cliqueOf(reports, four, four);
  };

  test('all members of an epoch reach each other', () => {
    expect(named('b')).toEqual(['a', 'b', 'd']);
    expect(named('c')).toEqual(['a', 'c', 'd']);
  });

  test('first holders of kept locks, then latest members, then by number of links', () => {
    const old = { served: 0 } as const;
    const pending = { served: 0, pending: [{ epoch: 1, proposer: 'd', members: ['b', 'd'], next: four }] };
    expect(named('a', { b: { links: ['a', 'd', 'x'] } })).toEqual(['a', 'b', 'd']);
    expect(named('a')).toEqual(['a', 'c', 'd']);
    expect(named('a', { c: old })).toEqual(['a', 'b', 'd']);
    expect(named('a', { b: pending, c: old })).toEqual(['a', 'b', 'd']);
    expect(named('a', { b: x(7) })).toEqual(['a', 'b', 'd']);
    // It lost that lock when others went on, and is not notified yet.
    expect(named('a', { b: { ...x(7), ...old } })).toEqual(['a', 'c', 'd']);
  });

  test('a majority, even if it leaves out the preferred voter', () => {
    const reports = [
      stands('a', { links: ['b', 'c', 'd'] }),
      stands('b', { links: ['a'], ...x(7) }),
      stands('c', { links: ['a', 'd'] }),
      stands('d', { links: ['a', 'c'] }),
    ];
    expect(cliqueOf(reports, four, four)).toEqual(['a', 'c', 'd']);
    expect(cliqueOf(reports.slice(0, 3), four, four)).toBeNull();
  });
});

interface Arrivals {
  readonly nodes: readonly string[];
  readonly memory: 'new' | 'forgotten';
  readonly hold: number;
  readonly events: readonly Readonly<Record<string, unknown>>[];
}

/** No links are up at first; links come up, and never go down. */
const arrive = ({ nodes, memory, hold, events }: Arrivals, seed: number, protocol: typeof locks) => {
  const scenario = {
    protocol: 'locks',
    options: { hold, memory },
    topology: { nodes, links: [] },
    network: { latency: { min: 1, max: 29 }, order: 'fifo' },
    events: events.toSorted((p, q) => Number(p['at']) - Number(q['at'])),
    seed,
    until: { idle: true },
  };
  return new Simulation(parseScenario(scenario, { locks: protocol }), { host: 'snapshots' }).run();
};

/** All links come up within a short time, while all nodes request again and again. */
function coldStart(seed: number, protocol = locks) {
  const random = new Random(seed, 'cold start');
  const four = nodes.slice(0, 4);
  const links = random.shuffle(pairs.filter(([u, v]) => four.includes(u) && four.includes(v)));
  const events: Record<string, unknown>[] = links.map((link) => ({ at: random.below(200), do: 'join', link }));
  for (let at = 0; at < 500; at += 1 + random.below(30)) events.push({ at, do: 'request', node: random.pick(four) });
  return arrive({ nodes: four, memory: 'forgotten', hold: 30, events }, seed, protocol);
}

/** The leader changes while the first epoch of three begins: one node is granted the lock in it before the others have received it. */
const leaderChanges = (seed: number, protocol = locks) => {
  const up = (at: number, ...channel: string[]) => ({ at, do: 'up', channel });
  const links = [up(30, 'a', 'b'), up(51, 'b', 'a'), up(90, 'a', 'c'), up(91, 'b', 'c'), up(121, 'c', 'b'), up(129, 'c', 'a')];
  const asked = [42, 95, 64].map((at, i) => ({ at, do: 'request', node: nodes[i] }));
  return arrive({ nodes: nodes.slice(0, 3), memory: 'forgotten', hold: 400, events: [...links, ...asked] }, seed, protocol);
};

/** Two of three serve, and one of them holds the lock, when the third one joins, which the election prefers. */
function lateLeader(seed: number, protocol = locks) {
  const random = new Random(seed, 'late leader');
  const events = [
    { at: 0, do: 'join', link: ['b', 'c'] },
    { at: 300, do: 'request', node: 'c' },
    { at: 400, do: 'join', link: ['a', 'b'] },
    { at: 400 + random.below(100), do: 'join', link: ['a', 'c'] },
  ];
  return arrive({ nodes: nodes.slice(0, 3), memory: 'new', hold: 1000, events }, seed, protocol);
}

/** a and c serve, and c holds the lock, when b joins, whose links come up one by one. */
function lateMember(seed: number, protocol = locks) {
  const random = new Random(seed, 'late member');
  const events = [
    { at: 0, do: 'join', link: ['a', 'c'] },
    { at: 300, do: 'request', node: 'c' },
    { at: 400, do: 'join', link: ['a', 'b'] },
    { at: 400 + random.below(300), do: 'join', link: ['b', 'c'] },
  ];
  return arrive({ nodes: nodes.slice(0, 3), memory: 'new', hold: 1000, events }, seed, protocol);
}

describe('peers that start one after the other, and links that come up', () => {
  const many = Array.from({ length: 30 }, (_, seed) => seed);
  const loses = { name: 'without a failure no lock is lost', kind: 'always', holds: false };

  test('no lock is lost or held twice, fences grow, and all requests are granted', () => {
    for (const seed of many) {
      expect(coldStart(seed)).toMatchObject({ verdict: 'valid', summary: { lost: 0 } });
      expect(lateLeader(seed)).toMatchObject({ verdict: 'valid', summary: { lost: 0, grants: [{ node: 'c' }] } });
      expect(lateMember(seed)).toMatchObject({ verdict: 'valid', summary: { lost: 0, grants: [{ node: 'c' }] } });
      expect(leaderChanges(seed)).toMatchObject({ verdict: 'valid', summary: { lost: 0 } });
    }
  });

  test('without rule 6 a holder loses its lock because another node starts', () => {
    const never = () => false;
    const guards = { leavesOutMembers: never, leavesOutNamed: never, leavesOutMembersNewly: never, leavesOutNamedNewly: never };
    const broken = many.map((seed) => lateLeader(seed, mutant({ guards }))).filter(({ verdict }) => verdict === 'invalid');
    expect(broken[0]?.properties).toContainEqual(loses);
  });

  test('without rule 6 at the leader, which names nodes by name, as well', () => {
    const broken = many.map((seed) => lateMember(seed, namingByName)).filter(({ verdict }) => verdict === 'invalid');
    expect(broken[0]?.properties).toContainEqual(loses);
  });
});
