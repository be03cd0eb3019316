/**
 * Leader election in a network whose links come and go.
 *
 * Paper: Tbarka, "Hierarchical Leader Election Algorithm With Remoteness Constraint", chapter 3 (an extension of TORA: heights, link
 * reversal, leader pairs with election times). Assumes reliable FIFO channels while they are up, whose sender alone is notified when they
 * come up or go down; nodes that do not fail; distinct identities; a causal clock, perfect or logical.
 *
 * States. Control flow is within one step: `deciding` contains all rules of spec section 4 in order, `updating` sends the new height to the
 * neighbors concerned. Between two steps a node is in one of the named states of spec section 5. They are views: `reading` derives them
 * from the own height and the neighbors, and no rule depends on them. The states have no transitions because the paper's conditions (SINK,
 * the comparisons of reference levels and leader pairs) depend only on heights: otherwise each state would repeat all eleven rules in the
 * same order.
 *
 *   isolated    no neighbors; leads itself
 *   leader      leads a component of at least two
 *   oriented    its links show the way down to the leader
 *   searching   takes part in a search for the leader: `originator` started it, `propagating` passes it on
 *   reflected   the search has met a dead end and is on its way back: `originator` gets its own search back
 * Searching and reflected may be final: after a search that found the leader its reference level stays. Invariants: properties A to K of
 * properties.ts; the named state follows from the height and the neighbors.
 *
 * Departures. SINK demands lid != id, which the paper prints the other way round (erratum 1; `sink: 'printed'` is the print). The answer to
 * a neighbor with an older height, which the paper has in prose only, is mandatory (5, 24). `hello` repairs one-sided neighbors (19). Among
 * the neighbors' reference levels, the largest is propagated with the smallest delta of its holders (3). A perfect clock is the tick:
 * events of one tick share a stamp, and identities order them. Presence tables (spec section 8) belong to the levels, which are separate
 * roles: each level adds its table to an outgoing Update.
 */
import { assign, emit, setup } from 'xstate';
import { chartTypes, effects, type LinkEvent, type NodeId, type Received, send, tell, withEvent } from '../effects.js';
import {
  adoptLeaderPair,
  compareHeights,
  compareLeaderPairs,
  electSelf,
  isReferenceLevelOf,
  isSame,
  propagateLargestRefLevel,
  reflectRefLevel,
  startNewRefLevel,
  type Height,
  type Identity,
} from './height.js';
import { allPeers, heightOf, heightsOf, isLinked, neighbors, withLink, withoutLink, type LinkTable } from './links.js';
import { levelRole, type LeaderChange, type Turn, type Update } from './messages.js';

export interface ElectionInput {
  readonly id: Identity;
  readonly height: Height;
  readonly links: LinkTable;
  readonly clock: 'perfect' | 'logical';
  readonly hello: boolean;
  /** True if a leader that loses its last neighbor keeps its office instead of electing itself again. */
  readonly skipIfLeader: boolean;
  readonly sink: 'settled' | 'printed';
  /** Number of levels of leaders below this one. */
  readonly levels: number;
}

export interface ElectionContext extends ElectionInput {
  /** The clock at the last event. */
  readonly now: number;
}

type ReceivedUpdate = Received<Update> & { readonly at?: number };
type Change = LinkEvent<NodeId> & { readonly at?: number };

export type ElectionEvent =
  | ReceivedUpdate
  | Change
  /** The levels have completed their turn. */
  | Turn;

type In<E = ElectionEvent> = { context: ElectionContext; event: E };

/** A perfect clock is at 0 before the first event, and stamps are positive, so events of tick 0 are half a tick later. */
const TICK_ZERO = 0.5;

function timeOf({ context, event }: In): number {
  if (context.clock === 'perfect') return ('at' in event && event.at) || TICK_ZERO;
  return Math.max(context.now, (event.type === 'update' && event.stamp) || 0) + 1;
}

const peerOf = (event: ElectionEvent): NodeId => (event.type === 'update' ? event.from : event.type === 'turn' ? '' : event.peer);

/** Height in an Update that has just arrived; `null` at any other event. */
const received = ({ context, event }: In): Height | null =>
  event.type === 'update' ? heightOf(context.links, event.from) : null;

const nearby = ({ context }: In) => heightsOf(context.links);

export function isSink({ height, links, sink }: Pick<ElectionContext, 'height' | 'links' | 'sink'>): boolean {
  const around = heightsOf(links);
  return (
    around.length > 0 &&
    isSame(height.lid, height.id) === (sink === 'printed') &&
    around.every((other) => compareLeaderPairs(other, height) === 0 && compareHeights(height, other) < 0)
  );
}

function sharedReferenceLevel(args: In): Height | null {
  const [first, ...others] = nearby(args);
  return first && others.every(isReferenceLevelOf(first)) ? first : null;
}

const updateOf = ({ context, event }: In): Update => ({
  type: 'update',
  height: context.height,
  hello: context.hello && event.type === 'link.up',
  stamp: context.clock === 'logical' ? context.now : null,
  tables: [],
});

const turnOf = (args: In, to: readonly NodeId[]): { role: string; message: Turn } => ({
  role: levelRole(1),
  message: {
    type: 'turn',
    now: args.context.now,
    links: args.context.links,
    received: args.event.type === 'update' ? { peer: args.event.from, tables: args.event.tables } : null,
    to,
    update: updateOf(args),
  },
});

const all = ({ context }: In) => allPeers(context.links);
const peer = ({ event }: In) => [peerOf(event)];
const none = () => [];

/** Sends the new height, or first lets the levels add their tables to it. */
const updateWith = (to: (args: In) => NodeId[]) =>
  ({
    always: [
      { guard: 'hasLevels', target: '#election.reading', actions: tell((args: In) => turnOf(args, to(args))) },
      { target: '#election.reading', actions: send((args: In) => ({ to: to(args), message: updateOf(args) })) },
    ],
  }) as const;

const completed = ({ event }: In<Turn>) => ({ to: event.to, message: event.update });

/**
 * Chart of one node of the election (Tbarka, chapter 3): heights, link reversal, leader pairs. `election` runs it.
 *
 * @public
 */
export const electionMachine = setup({
  types: chartTypes<{ context: ElectionContext; events: ElectionEvent; input: ElectionInput; emitted: LeaderChange }>(),
  actions: {
    ...effects<Update | Turn>(),
    tick: assign({ now: timeOf }),
    form: assign(({ context }, { peer }: Change) => ({ links: withLink(context.links, peer, null) })),
    forget: assign(({ context }, { peer }: Change) => ({ links: withoutLink(context.links, peer) })),
    learn: assign(({ context }, { from, height }: ReceivedUpdate) => ({ links: withLink(context.links, from, height) })),
    electSelf: assign({ height: ({ context }: In) => electSelf(context.height, context.now) }),
    startNewRefLevel: assign({ height: ({ context }: In) => startNewRefLevel(context.height, context.now) }),
    reflectRefLevel: assign({ height: (args: In) => reflectRefLevel(args.context.height, nearby(args)) }),
    propagateLargestRefLevel: assign({ height: (args: In) => propagateLargestRefLevel(args.context.height, nearby(args)) }),
    adoptLeaderPair: assign({ height: (args: In) => adoptLeaderPair(args.context.height, received(args)!) }),
    announceLeader: emit(({ context: { height } }: In) => ({
      type: 'leader' as const,
      leader: height.lid[1],
      term: 0 - height.nlts,
    })),
  },
  guards: {
    hasLevels: ({ context }) => context.levels > 0,
    isFromStranger: ({ context }, { from }: ReceivedUpdate) => !isLinked(context.links, from),
    isAlone: ({ context }) => neighbors(context.links).length === 0,
    leads: ({ context: { height } }) => isSame(height.lid, height.id),
    isAloneInOffice: ({ context: { height, links, skipIfLeader } }) =>
      skipIfLeader && neighbors(links).length === 0 && isSame(height.lid, height.id),
    lostItsLastWayDown: ({ context, event }) => event.type === 'link.down' && isSink(context),
    receivesMoreRecentLeader: (args) => received(args) !== null && compareLeaderPairs(received(args)!, args.context.height) < 0,
    receivesStalerLeader: (args) => received(args) !== null && compareLeaderPairs(received(args)!, args.context.height) > 0,
    hasWayDown: ({ context }) => !isSink(context),
    hasWayDownAndIsGreeted: ({ context, event }) => event.type === 'update' && event.hello && context.hello && !isSink(context),
    isDeadEnd: (args) => {
      const shared = sharedReferenceLevel(args);
      return shared !== null && shared.tau > 0 && shared.r === 0;
    },
    hasSearchedInVain: (args) => {
      const shared = sharedReferenceLevel(args);
      return shared !== null && shared.r === 1 && isSame(shared.oid, args.context.id);
    },
    receivesOneReferenceLevel: (args) => sharedReferenceLevel(args) !== null,
    takesPartInNoSearch: ({ context: { height } }) => height.tau === 0,
    isOriginator: ({ context: { height } }) => isSame(height.oid, height.id),
    isReflected: ({ context: { height } }) => height.r === 1,
    isReflectedOriginator: ({ context: { height } }) => height.r === 1 && isSame(height.oid, height.id),
  },
}).createMachine({
  id: 'election',
  context: ({ input }) => ({ ...input, now: 0 }),
  initial: 'reading',
  on: {
    'link.up': { target: '.updating.peer', actions: ['tick', withEvent('form')] },
    'link.down': { target: '.deciding', actions: ['tick', withEvent('forget')] },
    update: [
      { guard: withEvent('isFromStranger'), actions: 'tick' },
      { target: '.deciding', actions: ['tick', withEvent('learn')] },
    ],
    turn: { actions: send(completed) },
  },
  states: {
    deciding: {
      always: [
        { guard: 'isAloneInOffice', target: 'updating.none' },
        { guard: 'isAlone', target: 'updating.all', actions: ['electSelf', 'announceLeader'] },
        { guard: 'lostItsLastWayDown', target: 'updating.all', actions: 'startNewRefLevel' },
        { guard: 'receivesMoreRecentLeader', target: 'updating.all', actions: ['adoptLeaderPair', 'announceLeader'] },
        { guard: 'receivesStalerLeader', target: 'updating.peer' },
        { guard: 'hasWayDownAndIsGreeted', target: 'updating.peer' },
        { guard: 'hasWayDown', target: 'updating.none' },
        { guard: 'isDeadEnd', target: 'updating.all', actions: 'reflectRefLevel' },
        { guard: 'hasSearchedInVain', target: 'updating.all', actions: ['electSelf', 'announceLeader'] },
        { guard: 'receivesOneReferenceLevel', target: 'updating.all', actions: 'startNewRefLevel' },
        { target: 'updating.all', actions: 'propagateLargestRefLevel' },
      ],
    },
    updating: { initial: 'all', states: { all: updateWith(all), peer: updateWith(peer), none: updateWith(none) } },
    reading: {
      always: [
        { guard: 'isAlone', target: 'isolated' },
        { guard: 'leads', target: 'leader' },
        { guard: 'takesPartInNoSearch', target: 'oriented' },
        { guard: 'isReflectedOriginator', target: 'reflected.originator' },
        { guard: 'isReflected', target: 'reflected.propagating' },
        { guard: 'isOriginator', target: 'searching.originator' },
        { target: 'searching.propagating' },
      ],
    },
    isolated: {},
    leader: {},
    oriented: {},
    searching: { initial: 'propagating', states: { originator: {}, propagating: {} } },
    reflected: { initial: 'propagating', states: { originator: {}, propagating: {} } },
  },
});
