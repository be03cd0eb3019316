/** Runs the queue from corrupted states, and measures how many round trips pass until every edge is legal and stays so. */
import { parseScenario, Simulation } from '../../../entries/network.js';
import { protocols } from '../../../entries/machines.js';
import { simulateByName } from '../../../testing/simulate.js';
import { type Report } from '../../../index.js';
import { edgeName, edgesOf, isUnderObservation, look, type TreeEdge } from '../../../machines/queue/view.js';
import { Random } from '../../../network/random.js';

/** R in ticks: fine enough to separate events that rounding would put into one tick. */
const ROUND_TRIP = 1000;

export const delays = {
  random: { min: 1, max: ROUND_TRIP / 2 },
  longest: ROUND_TRIP / 2,
} as const;

export type Delays = keyof typeof delays;

export const spanningShapes = ['binary', 'path', 'star', 'random'] as const;
export type SpanningShape = (typeof spanningShapes)[number];

export interface Stabilization {
  readonly max: number;
  readonly mean: number;
}

/** Runs a fixed tree from an arbitrary state of every node, edge and message, for one round trip more than the bound. */
export function fixedTree(shape: SpanningShape, n: number, delay: Delays, tau: number, seeds: number): Stabilization {
  const until = { at: (4 + tau) * ROUND_TRIP };
  return extremesOf(seeds, (seed) =>
    timeOf(simulateByName({ ...corruptTree(shape, n, delay, tau, seed), until }, { host: 'snapshots', watch: false })),
  );
}

/** A fixed tree in an arbitrary initial state. */
const corruptTree = (shape: SpanningShape, n: number, delay: Delays, tau: number, seed: number) => ({
  protocol: 'queue',
  topology: topologyOf(shape, n, seed),
  options: { root: 'n0', tau },
  network: { latency: delays[delay] },
  events: [{ at: 0, do: 'corrupt' }],
  seed,
});

/** Round trips of a run at rest: a multiple of each period of the table. */
const AT_REST = 24;

/** Messages on an edge in a round trip, in a legal state without requests. */
export function messagesAtRest(shape: SpanningShape, n: number, tau: number): number {
  const { verdict, messages } = simulateByName(
    {
      protocol: 'queue',
      topology: topologyOf(shape, n, 1),
      options: { root: 'n0', tau },
      network: { latency: delays.longest },
      // The return of the last observer is sent half a round trip later.
      until: { at: (AT_REST + 1) * ROUND_TRIP },
    },
    { host: 'snapshots' },
  );
  if (verdict !== 'valid')
    throw new Error(
      'The experiment began in a legal state and made no requests, but a property was violated: the queue protocol is wrong.',
    );
  return messages.total / (n - 1) / AT_REST;
}

function extremesOf(seeds: number, timeOfSeed: (seed: number) => number): Stabilization {
  const times = each(seeds, timeOfSeed);
  return { max: Math.max(...times), mean: times.reduce((sum, time) => sum + time, 0) / times.length };
}

/** Time until P1 has held once on every edge, if it does within the bound and a round trip (Lemma 6.4). */
export function untilObserved(shape: SpanningShape, n: number, delay: Delays, tau: number, seeds: number): Stabilization {
  return extremesOf(seeds, (seed) => {
    const scenario = { ...corruptTree(shape, n, delay, tau, seed), until: { at: (2 + tau) * ROUND_TRIP } };
    const simulation = new Simulation(parseScenario(scenario, protocols), { host: 'snapshots', watch: false });
    const c = simulation.configuration;
    const unobserved = new Set<string>();
    let last = 0;
    simulation.network.steps$.subscribe(({ kind, at }) => {
      // A state may satisfy P1 by chance and lose it to the timer (S5), so only an observation that the guardian started counts.
      const holds = (edge: TreeEdge) => {
        const view = look(c, edge);
        return view.guardian.value === 'observe' && view.guardian.context.timely && isUnderObservation(view);
      };
      if (kind === 'corrupt') for (const edge of edgesOf(c)) unobserved.add(edgeName(edge));
      for (const edge of edgesOf(c))
        if (unobserved.has(edgeName(edge)) && holds(edge) && unobserved.delete(edgeName(edge))) last = at;
    });
    simulation.run();
    if (unobserved.size > 0)
      throw new Error(
        `In the run with seed ${seed}, property P1 of the paper never held on the edges ${[...unobserved].join(', ')}.`,
      );
    return last / ROUND_TRIP;
  });
}

/** Time from the last change of the tree until every edge is fully legal, with arbitrary tree and queue. */
export function layered(topology: object, requests: number, seeds: number): number {
  const times = each(seeds, (seed) =>
    timeOf(
      simulateByName(
        {
          protocol: 'queue',
          topology,
          options: { tree: 'stabilizing' },
          network: { latency: delays.random },
          events: [{ at: 0, do: 'corrupt' }],
          ...(requests > 0 ? { workload: { concurrent: 3, requests } } : {}),
          seed,
        },
        { host: 'snapshots', watch: false },
      ),
    ),
  );
  return Math.max(...times);
}

const each = <T>(seeds: number, run: (seed: number) => T): T[] => Array.from({ length: seeds }, (_, i) => run(i + 1));

/** The meter of the report, which counts from the last change of the tree. */
function timeOf({ verdict, meters, seed }: Report): number {
  const measured = meters.find(({ name }) => name === 'stabilizationRoundTrips')?.measured;
  if (verdict !== 'valid' || measured === undefined)
    throw new Error(
      `The run with seed ${seed} did not stabilize, was cut off, or violated a property. Run it in the simulator with this seed to see which.`,
    );
  return measured;
}

function topologyOf(shape: SpanningShape, n: number, seed: number): object {
  if (shape !== 'random') return { kind: shape === 'binary' ? 'tree' : shape, n };
  const random = new Random(seed, 'random tree');
  const nodes = Array.from({ length: n }, (_, i) => `n${i}`);
  return { nodes, links: nodes.slice(1).map((node, i) => [nodes[random.below(i + 1)], node]) };
}
