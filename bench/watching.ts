/**
 * Measures the cost of watching: each protocol's runs with all properties against the same runs without, and searches with all
 * properties against bare ones. Ratios within one run, alternating.
 */
import { topologyOf, linksAt } from '../papers/experiments/election/run.js';
import { anywhere, variant } from '../machines/queue/checked.fixtures.js';
import { all as three, ask, crash } from '../machines/locks/systems.fixtures.js';
import { chain } from '../machines/controller/systems.fixtures.js';
import { cut, join, K3, lock } from '../machines/exclusion/systems.fixtures.js';
import { protocols } from '../machines/index.js';
import type { Protocol } from '../machines/protocol.js';
import { everyStart } from '../test/explore/directory.fixtures.js';
import { explore, type ExploreOptions } from '../test/explore/explore.js';
import { parseScenario } from '../network/scenario/parse.js';
import { Simulation } from '../network/simulation.js';
import { median, row, type MeasuredRow } from './measure.js';

const core = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1e6;
};

type Scenario = Readonly<Record<string, unknown>>;
type Sized = (n: number) => Scenario;

const geometric = (n: number) => ({ ...topologyOf({ kind: 'geometric', n, radius: Math.sqrt(10 / (Math.PI * n)), seed: 1 }) });

/** The leader of a network loses all its links. */
function leaderless(n: number, options: Scenario): Scenario {
  const topology = geometric(n);
  const events = linksAt('n0', topology as never).map((link) => ({ at: 1, do: 'cut', link }));
  return { protocol: 'election', topology, options, events };
}

const asking = (n: number, requests = 2 * n) => ({ concurrent: Math.max(1, n / 20), requests });

/** Every second node posts to its right neighbor. */
const posts = (n: number) =>
  Array.from({ length: n }, (_, i) => ({ at: 20 + (i % 10), node: `n${i}`, do: 'post', peer: `n${(i + 1) % n}`, body: i }));

/** A run of each protocol that takes some steps of every node. */
const runs: Readonly<Record<string, Sized>> = {
  directory: (n) => ({ protocol: 'directory', topology: { kind: 'ring', n }, options: { policy: 'ivy' }, workload: asking(n) }),
  queue: (n) => ({ protocol: 'queue', topology: { kind: 'tree', n }, workload: asking(n), until: { at: 60 } }),
  'queue, anywhere at first': (n) => ({
    protocol: 'queue',
    topology: { kind: 'tree', n },
    events: [{ at: 0, do: 'corrupt' }],
    until: { at: 40 },
  }),
  election: (n) => leaderless(n, {}),
  hierarchy: (n) => leaderless(n, { radii: [2, 4] }),
  exclusion: (n) => ({ protocol: 'exclusion', topology: geometric(n), options: { hold: 1 }, workload: asking(n, n) }),
  amoebots: (n) => ({
    protocol: 'exclusion',
    topology: { kind: 'grid', rows: 10, columns: n / 10 },
    options: { hold: 1 },
    workload: asking(n, n),
  }),
  controller: (n) => ({
    protocol: 'controller',
    topology: { kind: 'tree', n },
    options: { kind: 'modified', M: 4 * n, W: n },
    workload: asking(n),
  }),
  names: (n) => ({
    protocol: 'controller',
    topology: { kind: 'tree', n },
    options: { kind: 'names' },
    workload: { command: 'name', ...asking(n, n) },
  }),
  link: (n) => ({ protocol: 'link', topology: { kind: 'ring', n }, events: posts(n), until: { at: 60 } }),
  locks: (n) => ({
    protocol: 'locks',
    topology: { kind: 'complete', n },
    options: { hold: 1 },
    workload: { concurrent: 3, requests: 2 * n },
    until: { at: 400 },
  }),
};

/** Sizes other than 200, 1,000 and 10,000 nodes. A hierarchy is slow to start, and in a cluster of locks all nodes are connected. */
const SIZES: Readonly<Record<string, readonly number[]>> = { hierarchy: [200, 1000], locks: [5, 20] };

/** The run ends after this many steps: only the cost of a step is measured. */
const STEPS_MAX = 100_000;
const SECONDS_MAX = 5;

/** Microseconds of one core for each step, from the start of the nodes, without the final check. */
function stepOf(scenario: Scenario, watch: boolean): number {
  const simulation = new Simulation(parseScenario(scenario, protocols), { host: 'snapshots', watch });
  let steps = 0;
  const begin = core();
  simulation.network.steps$.subscribe(() => {
    steps++;
    if (steps >= STEPS_MAX || (steps % 256 === 0 && core() - begin > SECONDS_MAX)) simulation.stop();
  });
  simulation.start();
  while (simulation.advance());
  const seconds = core() - begin;
  const { verdict } = simulation.finish();
  if (verdict === 'invalid')
    throw new Error(`The verdict of the run of ${String(scenario['protocol'])} is ${verdict}. Expected valid.`);
  return (1e6 * seconds) / steps;
}

interface Searched {
  readonly protocol: Protocol;
  readonly question: ExploreOptions;
}

const post = (node: string, peer: string, body: number) =>
  ({ do: 'command', name: 'post', node, fields: { peer, body } }) as const;

const searches: Readonly<Record<string, Searched>> = {
  'directory, 4 nodes': { protocol: protocols['directory']!, question: everyStart(4, 1) },
  'directory, 5 nodes': { protocol: protocols['directory']!, question: everyStart(5, 0) },
  'queue, one edge anywhere at first': { protocol: variant({ messages: 2 }), question: anywhere({ a: 'a', b: 'a' }) },
  'election, 3 nodes': {
    protocol: protocols['election']!,
    question: {
      topology: K3,
      commands: [cut('n0', 'n1'), join('n0', 'n1'), cut('n0', 'n2')],
    },
  },
  'hierarchy, 3 nodes': {
    protocol: protocols['election']!,
    question: { topology: K3, options: { radii: [1] }, commands: [cut('n0', 'n1'), cut('n1', 'n2')] },
  },
  'exclusion, 2 nodes without end': {
    protocol: protocols['exclusion']!,
    question: {
      topology: { nodes: ['n0', 'n1'], links: [['n0', 'n1', 1]] },
      options: { priorities: 2, hold: 1 },
      commands: { unlimited: ['lock'] },
    },
  },
  'exclusion, 3 nodes': {
    protocol: protocols['exclusion']!,
    question: {
      topology: K3,
      options: { priorities: 2, hold: 1 },
      commands: [lock('n0'), lock('n1'), cut('n0', 'n1'), join('n0', 'n1')],
    },
  },
  'controller, basic': {
    protocol: protocols['controller']!,
    question: { topology: chain(4), options: { kind: 'basic', M: 6 }, commands: { unlimited: ['take'] } },
  },
  'controller, modified': {
    protocol: protocols['controller']!,
    question: { topology: chain(3), options: { kind: 'modified', M: 6, W: 0 }, commands: { unlimited: ['take'] } },
  },
  'locks, 3 voters': {
    protocol: protocols['locks']!,
    question: { topology: three, options: { hold: 1 }, commands: [ask('c'), ask('b'), ...crash('c')] },
  },
  'link, 2 ends': {
    protocol: protocols['link']!,
    question: {
      topology: { nodes: ['n0', 'n1'], links: [['n0', 'n1', 1]] },
      options: { window: 1, room: 1, patience: 2, beat: 20 },
      commands: [post('n0', 'n1', 1), post('n0', 'n1', 2), post('n1', 'n0', 3)],
    },
  },
};

/** Transitions for each second of one core. */
function rateOf({ protocol, question }: Searched, properties?: ExploreOptions['properties']): number {
  const begin = core();
  const { transitions, verdict } = explore(protocol, { ...question, ...(properties && { properties }) });
  if (verdict === 'invalid') throw new Error(`The verdict of ${protocol.name} is ${verdict}. Expected valid.`);
  return transitions / (core() - begin);
}

/** The median of the ratios of pairs, and of both sides. */
function inPairs(rounds: number, one: () => number, other: () => number) {
  const pairs = Array.from({ length: rounds }, () => [one(), other()] as const);
  return {
    one: median(pairs.map(([first]) => first)),
    other: median(pairs.map(([, second]) => second)),
    ratio: median(pairs.map(([first, second]) => second / first)),
  };
}

/** Those that are named, or all. */
export function watchingRows(names: readonly string[]): MeasuredRow[] {
  const asked = <T>(all: Readonly<Record<string, T>>) =>
    Object.entries(all).filter(([name]) => names.length === 0 || names.includes(name));
  const searched = asked(searches).map(([name, search]) => {
    rateOf(search, []);
    const { one, other, ratio } = inPairs(
      5,
      () => rateOf(search, []),
      () => rateOf(search),
    );
    const rates = `(${Math.round(other / 1e3)} of ${Math.round(one / 1e3)} thousand/s)`;
    return row(
      `${name}: transitions/s with all properties against bare`,
      `${ratio.toFixed(2)} ${rates}`,
      '0.6 or more',
      ratio >= 0.6,
    );
  });
  const run = asked(runs).flatMap(([name, sized]) =>
    (SIZES[name] ?? [200, 1000, 10_000]).map((n) => {
      const scenario = sized(n);
      const { one, other, ratio } = inPairs(
        n < 1000 ? 3 : 1,
        () => stepOf(scenario, false),
        () => stepOf(scenario, true),
      );
      const size = `${name}, ${n.toLocaleString('en-US')} nodes`;
      const costs = `(${other.toFixed(1)} of ${one.toFixed(1)} µs)`;
      return row(`${size}: a step watched against unwatched`, `${ratio.toFixed(2)} ${costs}`, '2.5 or less', ratio <= 2.5);
    }),
  );
  return [...searched, ...run];
}
