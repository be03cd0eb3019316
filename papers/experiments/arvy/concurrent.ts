/**
 * The cost of requests that overlap, waiting included.
 *
 * The latency of a request is the time from the request until its find meets the end of the queue. Its optimum is that of an algorithm that
 * knows all requests (Herlihy, Kuhn, Tirthapura, Wattenhofer: "Dynamic Analysis of the Arrow Distributed Protocol", 2006). It chooses the order that
 * minimizes the sum of max(d(u, v), t - t'), where the request of v at t' follows that of u at t. A later request makes its successor wait.
 * Messages take as long as their way.
 */
import type { NodeId } from '../../../machines/effects.js';
import { directory } from '../../../machines/directory/index.js';
import { Random } from '../../../network/random.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import type { Table, TableCell } from '../experiment.js';
import { mean } from '../election/figures.js';
import { chain, costOf, type JsonObject } from './run.js';

export interface TimedRequest {
  readonly node: number;
  readonly at: number;
}

export interface ConcurrentCost {
  /** Sum of the latencies, and the optimum. */
  readonly latency: number;
  readonly opt: number;
  /** Requesting nodes in the order of the queue. */
  readonly order: readonly NodeId[];
}

export function concurrentCost(topology: JsonObject, options: JsonObject, requests: readonly TimedRequest[]): ConcurrentCost {
  const events = requests.map(({ node, at }) => ({ at, node: `n${node}`, do: 'request' }));
  const scenario = { protocol: 'directory', topology, options, network: { order: 'unordered', latency: 'weight' }, events };
  const simulation = new Simulation(parseScenario(scenario, { directory }), { host: 'snapshots', watch: false });
  const requestedAt = new Map<NodeId, number>();
  let latency = 0;
  simulation.network.steps$.subscribe(({ kind, node, at, event, sent }) => {
    if (kind === 'command' && event.type === 'request') requestedAt.set(node, at);
    const isForwarded = sent.some(({ message }) => message.type === 'find');
    if (kind === 'deliver' && event.type === 'find' && !isForwarded) latency += at - requestedAt.get(event['producer'])!;
  });
  const { summary } = simulation.run();
  const { rank, distance, options: read } = simulation.instance;
  const opt = optimumOf([{ node: rank(read.root), at: 0 }, ...requests], (u, v) => distance(`n${u}`, `n${v}`));
  return { latency, opt, order: summary['served'] as NodeId[] };
}

/** Minimum over all orders that begin with the first entry, by dynamic programming over subsets. */
export function optimumOf(entries: readonly TimedRequest[], distance: (u: number, v: number) => number): number {
  const [, ...requests] = entries;
  const step = (from: TimedRequest, to: TimedRequest) => Math.max(distance(from.node, to.node), from.at - to.at);
  const all = 2 ** requests.length - 1;
  const costs = Array.from({ length: all + 1 }, () => requests.map(() => Infinity));
  requests.forEach((request, i) => (costs[1 << i]![i] = step(entries[0]!, request)));
  for (let set = 1; set <= all; set++) {
    requests.forEach((last, i) => {
      const cost = costs[set]![i]!;
      if (cost === Infinity) return;
      requests.forEach((next, j) => {
        if (set & (1 << j)) return;
        const longer = costs[set | (1 << j)]!;
        longer[j] = Math.min(longer[j]!, cost + step(last, next));
      });
    });
  }
  return Math.min(...costs[all]!);
}

const REQUESTS = 9;
const SEEDS = Array.from({ length: 20 }, (_, i) => i + 1);
const GRAPHS: readonly (readonly [label: string, topology: JsonObject, n: number])[] = [
  ['ring of 16', { kind: 'ring', n: 16 }, 16],
  ['grid 4 × 4', { kind: 'grid', rows: 4, columns: 4 }, 16],
  ['complete, 16 nodes', { kind: 'complete', n: 16 }, 16],
];

/** Distinct nodes, each once, at random times of the given span. */
export function load(n: number, span: number, seed: number): TimedRequest[] {
  const random = new Random(seed, 'concurrent requests');
  const nodes = random.shuffle(Array.from({ length: n }, (_, i) => i)).slice(0, REQUESTS);
  return nodes.map((node) => ({ node, at: span === 0 ? 0 : random.below(span) }));
}

const POLICIES = ['arrow', 'ivy', 'bridge'] as const;
const SPANS = [
  { label: 'at once', span: 0 },
  { label: 'within 16 ticks', span: 16 },
  { label: 'within 160 ticks', span: 160 },
] as const;

export function concurrentTable(): Table {
  const rows = GRAPHS.flatMap(([label, topology, n]) =>
    SPANS.map(({ label: when, span }) => ({
      label: `${label}, ${when}`,
      cells: POLICIES.flatMap((policy): TableCell[] => {
        if (policy === 'bridge' && topology['kind'] !== 'ring') return [{ value: null }, { value: null }];
        const options = policy === 'bridge' ? { policy } : { policy, ...treeOf(topology, n) };
        const ratios = SEEDS.map((seed) => {
          const { latency, opt } = concurrentCost(topology, options, load(n, span, seed));
          return latency / opt;
        });
        return [{ value: Math.min(...ratios), expected: 1, check: 'atLeast' }, { value: Math.round(100 * mean(ratios)) / 100 }];
      }),
    })),
  );
  return {
    title: `Requests that overlap, waiting included: latency over the optimum, ${REQUESTS} nodes, ${SEEDS.length} loads`,
    columns: ['', ...POLICIES.flatMap((policy) => [`${policy}: least`, 'mean'])],
    rows,
    note: 'The optimum knows all requests and chooses the best order. Where Ivy and the bridge stand against it, the papers leave open.',
  };
}

/** A chain of the nodes on rings; otherwise shortest paths to the first node. */
const treeOf = ({ kind }: JsonObject, n: number): JsonObject => (kind === 'ring' ? chain(n) : { root: 'n0' });

/** Requests one after the other cost what the sequential runs pay: here both definitions meet. */
export function apartTable(): Table {
  const requests = [3, 11, 0, 7, 15, 5, 9];
  const spaced = requests.map((node, i) => ({ node, at: 1000 * i }));
  const topology = { kind: 'ring', n: 16 };
  const rows = POLICIES.map((policy) => {
    const options = policy === 'bridge' ? { policy } : { policy, ...chain(16) };
    const { latency, opt } = concurrentCost(topology, options, spaced);
    const sequential = costOf(topology, options, requests);
    return {
      label: policy,
      cells: [
        { value: latency, expected: sequential.findCost },
        { value: opt, expected: sequential.opt },
      ],
    };
  });
  return {
    title: 'Ring of 16, seven requests far apart: latency and optimum are those of the sequential analysis',
    columns: ['', 'latency', 'optimum'],
    rows,
  };
}

/** Arrow, all requests at once: each find ends at the nearest request that is not queued (Herlihy, Tirthapura, Wattenhofer 2001). */
export function nearestNeighborTable(): Table {
  const n = 32;
  const rows = SEEDS.slice(0, 5).map((seed) => {
    const { latency, order } = concurrentCost({ kind: 'path', n }, { policy: 'arrow', ...chain(n) }, load(n, 0, seed));
    const queue = [n - 1, ...order.map((node) => Number(node.slice(1)))];
    return {
      label: `seed ${seed}`,
      cells: [
        { value: isNearestNeighborPath(queue) ? 'yes' : 'no', expected: 'yes' },
        { value: latency, expected: lengthOf(queue) },
      ],
    };
  });
  return {
    title: `Arrow on a path of ${n}, ${REQUESTS} requests at once: the order of the queue is a nearest-neighbor path`,
    columns: ['', 'nearest neighbor next', 'latency, and length of the path'],
    rows,
  };
}

const lengthOf = (path: readonly number[]): number => path.slice(1).reduce((sum, node, i) => sum + Math.abs(node - path[i]!), 0);

export const isNearestNeighborPath = (path: readonly number[]): boolean =>
  path.every((node, i) => {
    const later = path.slice(i + 1).map((other) => Math.abs(other - node));
    return later.length === 0 || later[0] === Math.min(...later);
  });
