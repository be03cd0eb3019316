/**
 * The self-stabilizing spanning tree under the queue: breadth-first from the smallest identity, maintained by heartbeats.
 *
 * Paper: Tirthapura, Herlihy, "Self-Stabilizing Distributed Queuing", takes any such tree as given; this one is the usual minimum-identity
 * tree with bounded distances (spec part 3). Assumes links that lose nothing while they are up, a bound on their delay, identities that are
 * distinct, and a `limit` of at least the number of nodes. A node stores only the last heartbeat of each neighbor, and all of it may be
 * arbitrary at the start. A root that does not exist grows more distant with every heartbeat and disappears at the limit. Then the tree of
 * the smallest real identity forms; ties go to the parent of the smaller identity.
 *
 * States:
 *
 *   steady   the tree above matches the entries
 *   moving   within one step: the entries define another tree, and the `client` role is notified of each difference in turn
 * Invariant between steps: `parent` and `children` are those that `received` gives.
 *
 * Departures. A heartbeat carries its sender's identity, since ties are broken by identity and peers are known by name. The client is
 * notified of new neighbors before lost ones, so its neighbors change from one tree to the next without a moment in which both are missing.
 */
import { assign, setup } from 'xstate';
import {
  arm,
  chartTypes,
  effects,
  type LinkEvent,
  type NodeId,
  type Received,
  send,
  tell,
  type TimerEvent,
  withEvent,
} from '../effects.js';
import { childrenOf, ownEntry, type TreeEntry, type TreeKnowledge, type Heartbeat } from './bfs.js';

export interface TreeInput extends TreeKnowledge {
  /** Ticks between two heartbeats. */
  readonly period: number;
  /** The role of the same node that uses the tree. */
  readonly client: string;
  readonly parent: NodeId | null;
  readonly children: readonly NodeId[];
}

export type TreeContext = TreeInput;

type ReceivedHeartbeat = Received<Heartbeat>;

export type TreeEvent = ReceivedHeartbeat | TimerEvent | LinkEvent<NodeId>;

/** Notifications to the role that uses the tree. */
export type TreeChange =
  | { readonly type: 'child.gained' | 'child.lost'; readonly child: NodeId }
  | { readonly type: 'parent.changed'; readonly parent: NodeId | null };

type In<E = unknown> = { context: TreeContext; event: E };

export const BEAT = 'beat';

const gained = (context: TreeContext) => childrenOf(context).find((child) => !context.children.includes(child));
const lost = (context: TreeContext) => {
  const children = childrenOf(context);
  return context.children.find((child) => !children.includes(child));
};

const ownHeartbeat = ({ context }: In) => {
  const { via: _, ...entry } = ownEntry(context);
  return { to: Object.keys(context.received), message: { type: 'heartbeat' as const, ...entry } };
};
const nextBeat = ({ context }: In) => ({ timer: BEAT, delay: context.period });

const gain = ({ context }: In) => toClient(context, { type: 'child.gained', child: gained(context)! });
const loss = ({ context }: In) => toClient(context, { type: 'child.lost', child: lost(context)! });
const newParent = ({ context }: In) => toClient(context, { type: 'parent.changed', parent: ownEntry(context).via });
const toClient = ({ client }: TreeContext, message: TreeChange) => ({ role: client, message });

const receivedFrom = (context: TreeContext, peer: NodeId, entry: TreeEntry | null) => ({
  received: { ...context.received, [peer]: entry },
});

/**
 * Chart of the self-stabilizing spanning tree under the queue: breadth-first from the smallest identity, maintained by heartbeats.
 *
 * @public
 */
export const treeMachine = setup({
  types: chartTypes<{ context: TreeContext; events: TreeEvent; input: TreeInput }>(),
  actions: {
    ...effects<Heartbeat>(),
    receive: assign(({ context }, { from, id, root, dist, par }: ReceivedHeartbeat) =>
      receivedFrom(context, from, { id, root, dist, par }),
    ),
    meet: assign(({ context }, { peer }: LinkEvent<NodeId>) => receivedFrom(context, peer, null)),
    part: assign(({ context }, { peer }: LinkEvent<NodeId>) => {
      const { [peer]: _, ...received } = context.received;
      return { received };
    }),
    gainChild: assign({ children: ({ context }) => [...context.children, gained(context)!] }),
    loseChild: assign({ children: ({ context }) => context.children.filter((child) => child !== lost(context)) }),
    adoptParent: assign({ parent: ({ context }) => ownEntry(context).via }),
  },
  guards: {
    isNeighbor: ({ context }, { from }: ReceivedHeartbeat) => from in context.received,
    hasGainedChild: ({ context }) => gained(context) !== undefined,
    hasLostChild: ({ context }) => lost(context) !== undefined,
    hasNewParent: ({ context }) => ownEntry(context).via !== context.parent,
  },
}).createMachine({
  id: 'tree',
  context: ({ input }) => ({ ...input }),
  entry: arm(nextBeat),
  initial: 'steady',
  on: { timer: { actions: [send(ownHeartbeat), arm(nextBeat)] } },
  states: {
    steady: {
      on: {
        heartbeat: { guard: withEvent('isNeighbor'), target: 'moving', actions: withEvent('receive') },
        'link.up': { target: 'moving', actions: withEvent('meet') },
        'link.down': { target: 'moving', actions: withEvent('part') },
      },
    },
    moving: {
      always: [
        { guard: 'hasGainedChild', actions: [tell(gain), 'gainChild'] },
        { guard: 'hasNewParent', actions: [tell(newParent), 'adoptParent'] },
        { guard: 'hasLostChild', actions: [tell(loss), 'loseChild'] },
        { target: 'steady' },
      ],
    },
  },
});
