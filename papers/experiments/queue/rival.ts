/**
 * The rival of the queue's repair: correction of the pointers from the root downward, as the paper describes the general technique of Awerbuch,
 * Patt-Shamir and Varghese (section 1). It takes time in the order of the depth of the tree.
 *
 * For each edge the parent's pointer is right. A parent sends it to its children, and a child whose pointer does not fit changes it and sends
 * its own children the news at once. There are no requests, and no message is in transit at the start. Both favor the rival.
 *
 * State: `checking`. The pointer leads to the node itself, to its parent or to a child.
 */
import { assign, setup } from 'xstate';
import { defineProtocol } from '../../../machines/define.js';
import { arm, effects, send, type NodeId, type Received, type TimerEvent } from '../../../machines/effects.js';
import type { Configuration, NodeView, Protocol } from '../../../machines/protocol.js';
import { queue } from '../../../machines/queue/index.js';
import { isFullyLegalEverywhere } from '../../../machines/queue/properties.js';
import { OBSERVE } from '../../../machines/queue/guardian.js';
import { guardianOf, POINTER } from '../../../machines/queue/messages.js';
import { guardiansOf } from '../../../machines/queue/view.js';
import { isNode } from '../../../machines/shapes.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import { createTopology } from '../../../network/topology/index.js';
import type { Table } from '../experiment.js';

interface Points {
  readonly type: 'points';
  readonly to: NodeId;
}

interface RivalContext {
  readonly node: NodeId;
  readonly parent: NodeId | null;
  readonly children: readonly NodeId[];
  readonly pointer: NodeId;
}

type In = { context: RivalContext };

/** A round trip in ticks. */
const R = 1000;
const PERIOD = 2 * R;

const news = ({ context: { children, pointer } }: In) => ({ to: children, message: { type: 'points' as const, to: pointer } });
const nextCheck = () => ({ timer: 'check', delay: PERIOD });

export const rivalMachine = setup({
  types: {} as { context: RivalContext; events: Received<Points> | TimerEvent; input: RivalContext },
  actions: {
    ...effects<Points>(),
    correct: assign(({ context: { node, parent }, event }) => ({ pointer: (event as Points).to === node ? node : parent! })),
  },
  guards: {
    misfits: ({ context: { node, parent, pointer }, event }) => ((event as Points).to === node) === (pointer === parent),
  },
}).createMachine({
  id: 'rival',
  context: ({ input }) => input,
  entry: [send(news), arm(nextCheck)],
  on: {
    timer: { actions: [send(news), arm(nextCheck)] },
    points: { guard: 'misfits', actions: ['correct', send(news)] },
  },
});

/** Parent of each node, and the nodes on the way from the root to the last one. The tree lists its nodes from the root downward. */
function shapeOf({ nodes, links }: Pick<ReturnType<typeof createTopology>, 'nodes' | 'links'>) {
  const parents = new Map(links.map(([parent, child]) => [child, parent]));
  const way: NodeId[] = [];
  for (let at = nodes.at(-1); at !== undefined; at = parents.get(at)) way.unshift(at);
  return { parents, way };
}

/** All pointers lead to the last node, except that the root points to itself. */
function inputOf(node: NodeId, topology: Parameters<typeof shapeOf>[0]): RivalContext {
  const { parents, way } = shapeOf(topology);
  const children = topology.nodes.filter((other) => parents.get(other) === node);
  const parent = parents.get(node) ?? null;
  const place = way.indexOf(node);
  const pointer = parent === null ? node : place < 0 ? parent : (way[place + 1] ?? node);
  return { node, parent, children, pointer };
}

const rival = defineProtocol({
  name: 'rival',
  charts: { rival: rivalMachine },
  network: { reach: 'links', order: 'fifo' },
  input: (node, { topology }) => inputOf(node, topology),
  messages: { points: { to: isNode } },
});

/** True if exactly one of two pointers leads across each edge. */
function isLegal({ nodes, instance: { topology } }: Configuration): boolean {
  const pointer = (node: NodeId): NodeId => nodes.get(node)!['rival']!.context.pointer;
  return topology.links.every(([u, v]) => (pointer(u) === v) !== (pointer(v) === u));
}

const simulationOf = (protocol: Protocol, topology: object, until: number, more: object = {}): Simulation => {
  const json = { protocol: protocol.name, topology, network: { latency: R / 2 }, until: { at: until }, ...more };
  return new Simulation(parseScenario(json, { [protocol.name]: protocol }), { host: 'snapshots', watch: false });
};

/** Round trips until the state is legal for good. */
function timeUntil(simulation: Simulation, isGood: (c: Configuration) => boolean, from: number): number {
  let [wasGood, since] = [false, from];
  simulation.network.steps$.subscribe(({ at }) => {
    const is = isGood(simulation.configuration);
    if (is && !wasGood) since = at;
    wasGood = is;
  });
  while (simulation.advance());
  if (!wasGood) throw new Error('The run ended in an illegal state.');
  return (since - from) / R;
}

/** Time of the rival on a tree. */
export function timeOfRival(topology: object, depth: number): number {
  const simulation = simulationOf(rival, topology, (depth + 4) * R);
  simulation.start();
  return timeUntil(simulation, isLegal, 0);
}

/** Time of the queue from the same state: the last node has requested, and then the root's pointer leads to itself. */
export function timeOfQueue(topology: object, depth: number): number {
  const last = createTopology(topology).nodes.at(-1)!;
  // The request has arrived by then.
  const from = (depth / 2 + 4) * R;
  const simulation = simulationOf(queue, topology, from + 6 * R, { events: [{ at: 0, node: last, do: 'request' }] });
  simulation.start();
  while (simulation.network.now < from && simulation.advance());
  const [[root, roles]] = [...simulation.configuration.nodes] as [[NodeId, NodeView]];
  const pointer = { ...roles[POINTER]!, value: 'self', context: { ...roles[POINTER]!.context, pointer: root } };
  // The guardians of the root have just observed, and begin again a whole period later: they notice the fault as late as possible.
  const guardians = [...guardiansOf(roles).keys()].map(guardianOf);
  const observed = guardians.map((role) => {
    const { context, ...rest } = roles[role]!;
    return [role, { ...rest, value: 'correct', context: { ...context, sent: 0, est: 1 } }] as const;
  });
  const timers = guardians.map((role) => ({ role, timer: OBSERVE, delay: PERIOD }));
  simulation.network.world.put(root, 'corrupt', { ...roles, ...Object.fromEntries(observed), [POINTER]: pointer }, timers);
  return timeUntil(simulation, isFullyLegalEverywhere, simulation.network.now);
}

export function rivalTable(): Table {
  const shapes = [15, 63, 127].flatMap((n) => [
    { label: `path, n = ${n}`, topology: { kind: 'path', n }, depth: n - 1 },
    { label: `binary, n = ${n}`, topology: { kind: 'tree', n }, depth: Math.log2(n + 1) - 1 },
  ]);
  return {
    title: 'One wrong pointer at the root, all delays R/2: until all edges are legal, in R',
    columns: ['', 'depth', 'correction from the root', 'the queue'],
    rows: shapes.map(({ label, topology, depth }) => ({
      label,
      cells: [
        { value: depth },
        { value: timeOfRival(topology, depth), expected: depth / 2 },
        { value: timeOfQueue(topology, depth), expected: 5, check: 'atMost' as const },
      ],
    })),
    note: 'The general technique corrects edge after edge, so its time grows with the depth. The queue injects the missing find at the wrong edge.',
  };
}
