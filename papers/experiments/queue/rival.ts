/**
 * The rival of the queue's repair, the general technique (general-stabilizer.ts), against the queue: one wrong pointer at the root. The rival
 * corrects edge after edge, so it takes time in the order of the depth of the tree.
 */
import type { NodeId } from '../../../machines/effects.js';
import type { Configuration, NodeView, Protocol, Topology } from '../../../machines/protocol.js';
import { queue } from '../../../machines/queue/index.js';
import { isFullyLegalEverywhere } from '../../../machines/queue/properties.js';
import { OBSERVE } from '../../../machines/queue/guardian.js';
import { guardianOf, POINTER } from '../../../machines/queue/messages.js';
import { guardiansOf } from '../../../machines/queue/view.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import { createTopology } from '../../../network/topology/index.js';
import type { Table } from '../experiment.js';
import { isLegal, parentsOf, stabilizerFrom } from './general-stabilizer.js';

/** A round trip in ticks. */
const R = 1000;
/** Time between two checks of an edge, for both. */
const PERIOD = 2 * R;

/** All pointers lead to the last node, except that the root points to itself. */
function pointerOf(node: NodeId, topology: Topology): NodeId {
  const parents = parentsOf(topology);
  const parent = parents.get(node);
  if (parent === undefined) return node;
  const way: NodeId[] = [];
  for (let at = topology.nodes.at(-1); at !== undefined; at = parents.get(at)) way.unshift(at);
  const place = way.indexOf(node);
  return place < 0 ? parent : (way[place + 1] ?? node);
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

/** Time of the rival on a tree. All nodes have just checked. */
export function timeOfRival(topology: object, depth: number): number {
  const simulation = simulationOf(stabilizerFrom(pointerOf, PERIOD), topology, (2 * depth + 8) * R);
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
    columns: ['', 'depth', 'general technique', 'the queue'],
    rows: shapes.map(({ label, topology, depth }) => ({
      label,
      cells: [
        { value: depth },
        { value: timeOfRival(topology, depth), expected: 2 * depth + 2 },
        { value: timeOfQueue(topology, depth), expected: 5, check: 'atMost' as const },
      ],
    })),
    note: 'The general technique needs two round trips for each edge on the way, and a period. The queue injects the missing find at the wrong edge.',
  };
}
