/**
 * A wave over a whole network and back, 2|E| messages: a spanning tree, and a message to the initiator that all nodes were reached.
 *
 * Paper: Chang, "Echo Algorithms: Depth Parallel Operations on General Graphs" (IEEE TSE 8(4), 1982). Assumes reliable two-way links in any
 * order, one node that begins, and nodes that do not fail. States. asleep: not reached yet. initiator: has begun and waits for a message
 * from each neighbor. engaged: was reached by `parent` and waits for the other neighbors. finished: has echoed to its parent. decided: the
 * initiator has a message from each neighbor. Invariants: parents lead to the initiator; a finished node has received a message from every
 * neighbor, by any path.
 */
import { assign, emit, setup } from 'xstate';
import { effects, send, withEvent, type NodeId, defineProtocol, type Configuration, type Property } from '../../index.js';
import { costPer, isIn, nodesIn, classicRole } from './common.js';

export interface EchoContext {
  readonly neighbors: readonly NodeId[];
  readonly parent: NodeId | null;
  /** Neighbors without a message yet. */
  readonly awaited: number;
}
type Wave = { readonly type: 'wave' };
type Event = (Wave & { from: NodeId }) | { type: 'begin' };
type In<E = unknown> = { context: EchoContext; event: E };

const wave = { type: 'wave' as const };
const toAll = ({ context: { neighbors } }: In) => ({ to: neighbors, message: wave });
const toOthers = ({ context: { neighbors }, event: { from } }: In<{ from: NodeId }>) => ({
  to: neighbors.filter((node) => node !== from),
  message: wave,
});
const toParent = ({ context: { parent } }: In) => ({ to: parent!, message: wave });

export const echoMachine = setup({
  types: {} as { context: EchoContext; events: Event; input: Pick<EchoContext, 'neighbors'>; emitted: { type: 'decided' } },
  actions: {
    ...effects<Wave>(),
    adopt: assign((_, { from }: { from: NodeId }) => ({ parent: from })),
    count: assign({ awaited: ({ context }) => context.awaited - 1 }),
    announce: emit({ type: 'decided' }),
  },
  guards: { receivedAll: ({ context }) => context.awaited === 0 },
}).createMachine({
  id: 'echo',
  context: ({ input: { neighbors } }) => ({ neighbors, parent: null, awaited: neighbors.length }),
  initial: 'asleep',
  states: {
    asleep: {
      on: {
        begin: { target: 'initiator', actions: send(toAll) },
        wave: { target: 'engaged', actions: [withEvent('adopt'), 'count', send(toOthers)] },
      },
    },
    initiator: {
      always: { guard: 'receivedAll', target: 'decided', actions: 'announce' },
      on: { wave: { actions: 'count' } },
    },
    engaged: {
      always: { guard: 'receivedAll', target: 'finished', actions: send(toParent) },
      on: { wave: { actions: 'count' } },
    },
    finished: {},
    decided: {},
  },
});

/** The description of the echo algorithm. */
const parentOf = (c: Configuration, node: NodeId) => classicRole<EchoContext>(c, node).context.parent;
const leadsToInitiator = (c: Configuration, node: NodeId): boolean => {
  const way = new Set<NodeId>();
  for (let at: NodeId | null = node; at !== null && !way.has(at); at = parentOf(c, at)) way.add(at);
  return isIn(c, [...way].at(-1)!, 'initiator') || isIn(c, [...way].at(-1)!, 'decided');
};
const reached = (c: Configuration) => [...c.nodes.keys()].filter((node) => !isIn(c, node, 'asleep'));

const properties: readonly Property[] = [
  {
    name: 'all nodes participated',
    description: 'When the initiator decides, every other node has finished.',
    kind: 'always',
    holds: (c) => nodesIn(c, 'decided').length === 0 || nodesIn(c, 'finished').length === c.nodes.size - 1,
  },
  {
    name: 'a spanning tree',
    description: 'From every node that was reached, the parents lead to the initiator.',
    kind: 'always',
    holds: (c) => reached(c).every((node) => leadsToInitiator(c, node)),
  },
  {
    name: 'it decides',
    description: 'A node that starts eventually decides.',
    kind: 'eventually',
    when: (c, node) => isIn(c, node, 'initiator'),
    holds: (c, node) => isIn(c, node, 'decided'),
  },
];

export const echo = defineProtocol(
  {
    name: 'echo',
    charts: { echo: echoMachine },
    network: { reach: 'links' },
    input: (id, { topology: { links } }) => ({
      neighbors: links.flatMap(([u, v]) => (u === id ? [v] : v === id ? [u] : [])),
    }),
    messages: { wave: {} },
    commands: { begin: { completedBy: ['decided'] } },
  },
  { properties: () => properties },
  {
    paper: 'Chang: Echo Algorithms, Depth Parallel Operations on General Graphs (IEEE TSE 8(4), 1982)',
    observe: costPer('decided', ({ topology }) => 2 * topology.links.length),
    overlay: (node, id, _, c) => {
      const parent = parentOf(c, id);
      return { badge: String(node['echo']!.value), ...(parent !== null && { pointers: [{ to: parent }] }) };
    },
  },
);
