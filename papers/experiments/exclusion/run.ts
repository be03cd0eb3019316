/** One run of local mutual exclusion in which all nodes or some request once, and its cost. */
import { exclusion } from '../../../machines/exclusion/index.js';
import type { Topology } from '../../../machines/protocol.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Random } from '../../../network/random.js';
import { Simulation } from '../../../network/simulation.js';

export interface LockRequest {
  readonly topology: unknown;
  readonly options: Readonly<Record<string, unknown>>;
  readonly latency?: number | { readonly min: number; readonly max: number };
  readonly seed?: number;
  /** Nodes that request at time 0. @defaultValue all */
  readonly askers?: readonly string[];
  /** Probability that a link is cut in a round, during churn; it returns with ten times that probability, at most one half. */
  readonly churn?: number;
  /** Time limit of the run; without it, a run ends at rest. */
  readonly until?: number;
}

export interface LockingOutcome {
  readonly asked: number;
  readonly locks: readonly { readonly requestedAt: number; readonly lockedAt: number; readonly unlockedAt: number | null }[];
  readonly edgeMessages: number;
  readonly trials: number;
  readonly maxInTransitPerEdge: number;
  readonly at: number;
  readonly violated: readonly string[];
  readonly degree: number;
}

const CHURN_ROUNDS = 200;

export function runLocking({ topology, options, latency = 1, seed = 1, askers, churn = 0, until }: LockRequest): LockingOutcome {
  const read = (events: readonly unknown[]) =>
    parseScenario(
      {
        protocol: 'exclusion',
        options,
        topology,
        network: { latency },
        events,
        seed,
        until: until ? { at: until } : { idle: true },
      },
      { exclusion },
    );
  const built = read([]).graph.topology;
  const callers = askers ?? built.nodes;
  const events = [...callers.map((node) => ({ at: 0, node, do: 'lock' })), ...changes(built, churn, seed)];
  const report = new Simulation(read(events), { host: 'snapshots' }).run();
  const { locks, edgeMessages, trials, maxInTransitPerEdge } = report.summary as any;
  const violated = report.properties.filter(({ holds }) => holds === false).map(({ name }) => name);
  return {
    asked: callers.length,
    locks,
    edgeMessages,
    trials,
    maxInTransitPerEdge,
    at: report.at,
    violated,
    degree: degreeOf(built),
  };
}

export function changes({ links }: Topology, churn: number, seed: number) {
  if (churn === 0) return [];
  const random = new Random(seed, 'churn');
  const up = links.map(() => true);
  return Array.from({ length: CHURN_ROUNDS }, (_, round) =>
    links.flatMap(([u, v], i) => {
      if (!random.chance(up[i] ? churn : Math.min(0.5, 10 * churn))) return [];
      up[i] = !up[i];
      return [{ at: round + 1, do: up[i] ? 'join' : 'cut', link: [u, v] }];
    }),
  ).flat();
}

function degreeOf({ nodes, links }: Topology): number {
  const degrees = new Map(nodes.map((node) => [node, 0]));
  for (const [u, v] of links) for (const node of [u, v]) degrees.set(node, degrees.get(node)! + 1);
  return Math.max(...degrees.values());
}
