/**
 * One end of a link: reliable, ordered, told when it comes and goes, over a medium that loses, doubles and reorders.
 *
 * Not from a paper, but what the papers assume of their links: sequence numbers, cumulative acknowledgements and go-back-n with
 * rejections as in every textbook of protocols, a handshake of sessions, and a failure detector that counts heartbeats. Nothing is sent
 * again for being late: a slow medium would get slower by it. A heartbeat says how much was sent before it, and who misses some of that
 * rejects. An acknowledgement bears the checksum of all that it acknowledges: who reads there that the peer has delivered what was never
 * sent, because somebody has spoken in this end's name, begins a new session, and the link is down for a moment at both ends.
 *
 * Assumes that frames which keep being sent are heard in the end, and that an end which starts again has a larger session (if its clock
 * went back, the peer's memory corrects it). Promises: a connection is a pair of sessions; `link.up` and `link.down` alternate at each
 * end; what is delivered between them is a prefix of what the peer posted on that connection, in order, nothing twice, and all of it if
 * the connection lasts. Silence cannot tell a dead peer from a slow one or from a cut: a peer counted as gone may well be alive, and then
 * both ends see the link go down and come again.
 *
 * States.
 *   seeking  never up yet: what is posted waits
 *   up       both ends have heard each other's session
 *   down     was up, looks for the peer again: what is posted is lost
 *   left     said good-bye
 * Invariants: in `up`, `theirs === latest`; `sent <= window`; `outbox.length <= window + room`; what is under way has a size of at most
 * `windowSize`, or is a single message; what is kept, of at most `roomSize`.
 */
import { assign, emit, raise, setup } from 'xstate';
import { arm, disarm, effects, send, tell, type NodeId, type Send, type TimerEvent } from '../effects.js';
import {
  ackFrame,
  againFrame,
  CHECKSUM_BASIS,
  emptyFrame,
  fresh,
  hasRoomFor,
  isAhead,
  isDeceived,
  owesAck,
  sizeOf,
  suspects,
  taken,
  unsent,
  unsentFrame,
  type FrameBody,
  type Bye,
  type Frame,
  type LinkContext,
  type LinkInput,
} from './frames.js';
import { firstWay, passing, wayAfter, wayAfterBeat, type Heard, type Pass, type Relay, type Relayed } from './ways.js';

type Received<M> = M & { readonly from: NodeId };

export type LinkChartEvent =
  | Heard<Frame>
  | Heard<Bye>
  | Received<Relay>
  | Received<Relayed>
  | Pass
  | TimerEvent
  | { type: 'post'; body: FrameBody }
  | { type: 'leave' }
  /** The process was started again and knows nothing; only its clock has gone on. */
  | { type: 'restart' };

export type LinkNotice =
  | { readonly type: 'link.up' | 'link.down'; readonly peer: NodeId }
  | { readonly type: 'received'; readonly peer: NodeId; readonly bodies: readonly FrameBody[] }
  /** More was posted for a peer that has not come yet than the outbox holds; that message is lost. */
  | { readonly type: 'overflow'; readonly peer: NodeId };

type In<E = unknown> = { context: LinkContext; event: E };

const answer = ({ context }: In) => ({ to: context.peer, message: emptyFrame(context) });
const whatWaits = ({ context }: In) => ({ to: unsent(context).length > 0 ? context.peer : [], message: unsentFrame(context) });
const firstWords = ({ context }: In) => ({ to: context.peer, message: unsentFrame(context) });
const dueAck = ({ context, event }: In) => ({
  to: owesAck(context) || isAhead(context, event as Frame) ? context.peer : [],
  message: ackFrame(context, event as Frame),
});
const again = ({ context }: In) => ({ to: context.outbox.length > 0 ? context.peer : [], message: againFrame(context) });
const goodbye = ({ context }: In) => ({ to: context.peer, message: { type: 'bye' as const, session: context.session } });
/** By all ways that there are. */
const say = (message: (args: In) => Send<Frame | Bye>) =>
  [send(message), tell((args: In) => passing(args.context, () => message(args)))] as const;

const passedOn = ({ context, event }: In) => {
  const { target, message } = event as Pass;
  return { to: context.peer, message: { type: 'relay' as const, target, message } };
};
const relayed = ({ context, event }: In) => {
  const { from: origin, message } = event as Received<Relay>;
  return { to: context.peer, message: { type: 'relayed' as const, origin, message } };
};
const nextBeat = ({ context }: In) => ({ timer: 'beat', delay: context.beat });

const silent = { theirs: null, silence: 0 };
const nothingSent = {
  outbox: [],
  outboxSize: 0,
  base: 0,
  sent: 0,
  acknowledged: CHECKSUM_BASIS,
  expected: 0,
  delivered: CHECKSUM_BASIS,
  told: 0,
  untold: 0,
};
/** What this connection has come to is no good: another one. */
const beginAnew = ['beginSession', ...say(answer)] as const;

/** Until the link is up every frame is heard for its sessions alone. */
const handshake = [
  { guard: 'isLate' },
  { guard: 'remembersLaterSession', actions: ['outdoSession', 'hearSession', ...say(answer)] },
  { guard: 'answersSession', target: 'up', actions: ['hearSession', 'announceUp', ...say(firstWords), 'noteSent', 'hearAgain'] },
  { actions: ['hearSession', ...say(answer)] },
] as const;

/** A frame of this connection: it may carry messages, make room for more, or call for an acknowledgement. */
const takeFrame = ['take', ...say(whatWaits), 'noteSent', ...say(dueAck), 'noteAck'] as const;
/** One that says that something is missing: it brings nothing. */
const takeRejection = ['take', ...say(again), 'noteSent'] as const;

/** A peer that heard us, and whom we no longer hear, must learn that it is not heard: by a session that knows nothing of it. */
const seek = [
  { guard: 'hasLostTouch', actions: ['noteSuspicion', 'beginSession', ...say(answer), arm(nextBeat)] },
  { actions: [...say(answer), 'noteBeat', arm(nextBeat)] },
] as const;

/**
 * The chart of one end of a link: sequence numbers, acknowledgements, a handshake of sessions and a detector that counts
 * heartbeats.
 *
 * @public
 */
export const linkMachine = setup({
  types: { context: {} as LinkContext, events: {} as LinkChartEvent, input: {} as LinkInput, emitted: {} as LinkNotice },
  actions: {
    ...effects<Frame | Bye | Relay | Relayed>(),
    hearSession: assign(({ context, event }) => {
      const { session } = event as Heard<Frame>;
      return { theirs: session, latest: session, silence: 0, ...wayAfter(context, event as Heard<Frame>) };
    }),
    take: assign(({ context, event }) => taken(context, event as Heard<Frame>)),
    noteSent: assign(({ context }) => {
      const { length } = unsent(context);
      return length === 0 ? {} : { sent: context.sent + length, told: context.expected, untold: 0 };
    }),
    noteAck: assign(({ context }) => (owesAck(context) ? { told: context.expected, untold: 0 } : {})),
    noteBeat: assign(({ context }) => {
      const silence = Math.min(context.silence + 1, context.patience);
      return { told: context.expected, untold: 0, silence, ...wayAfterBeat(context, silence) };
    }),
    keep: assign(({ context, event }) => {
      const { body } = event as { body: FrameBody };
      return { outbox: [...context.outbox, body], outboxSize: context.outboxSize + sizeOf(body) };
    }),
    noteSuspicion: assign({ suspicions: ({ context }) => context.suspicions && context.suspicions - 1 }),
    outdoSession: assign({ session: ({ event }) => (event as Frame).to! + 1 }),
    beginSession: assign(({ context }) => ({ session: context.session + 1, ...silent })),
    forgetConnection: assign(nothingSent),
    forgetPeer: assign(({ context }) => ({ latest: -1, ...firstWay(context) })),
    hearAgain: raise(({ event }) => event as Heard<Frame>),
    hearOrigin: raise(({ event }) => {
      const { origin, from, message } = event as Received<Relayed>;
      return { ...message, from: origin, via: from };
    }),
    announceUp: emit(({ context }) => ({ type: 'link.up' as const, peer: context.peer })),
    announceDown: emit(({ context }) => ({ type: 'link.down' as const, peer: context.peer })),
    announceReceived: emit(({ context, event }) => ({
      type: 'received' as const,
      peer: context.peer,
      bodies: fresh(context, event as Frame),
    })),
    announceOverflow: emit(({ context }) => ({ type: 'overflow' as const, peer: context.peer })),
  },
  guards: {
    isLate: ({ context, event }) => (event as Frame | Bye).session < context.latest,
    beginsSession: ({ context, event }) => (event as Frame).session > context.latest,
    remembersLaterSession: ({ context, event }) => ((event as Frame).to ?? -1) > context.session,
    answersSession: ({ context, event }) => (event as Frame).to === context.session,
    isOfAnotherConnection: ({ context, event }) => (event as Frame).to !== context.session,
    isDeceived: ({ context, event }) => isDeceived(context, event as Frame),
    isRejection: ({ event }) => (event as Frame).rejects,
    bringsMessages: ({ context, event }) => fresh(context, event as Frame).length > 0,
    hasRoom: ({ context, event }) => hasRoomFor(context, (event as { body: FrameBody }).body),
    isSilent: ({ context }) => suspects(context),
    isByRelay: ({ context, event }) => context.relays.includes((event as Received<Relayed>).from),
    passesOn: ({ context }) => context.relays.length > 0 && context.via === null,
    hasLostTouch: ({ context }) => context.theirs !== null && suspects(context),
  },
}).createMachine({
  id: 'link',
  context: ({ input }) => ({ ...input, ...silent, ...nothingSent, ...firstWay(input), latest: -1 }),
  initial: 'seeking',
  on: {
    leave: { target: '.left', actions: [...say(goodbye)] },
    relayed: { guard: 'isByRelay', actions: 'hearOrigin' },
    restart: { target: '.seeking', actions: ['beginSession', 'forgetConnection', 'forgetPeer'] },
  },
  states: {
    seeking: {
      entry: [...say(answer), arm(nextBeat)],
      on: {
        frame: handshake,
        post: [{ guard: 'hasRoom', actions: 'keep' }, { actions: 'announceOverflow' }],
        timer: seek,
      },
    },
    down: { on: { frame: handshake, timer: seek } },
    up: {
      exit: ['announceDown', 'forgetConnection'],
      on: {
        frame: [
          { guard: 'isLate' },
          { guard: 'beginsSession', target: 'down', actions: 'hearAgain' },
          { guard: 'isOfAnotherConnection', actions: say(answer) },
          { guard: 'isDeceived', target: 'down', actions: beginAnew },
          { guard: 'isRejection', actions: takeRejection },
          { guard: 'bringsMessages', actions: ['announceReceived', ...takeFrame] },
          { actions: takeFrame },
        ],
        bye: [{ guard: 'isLate' }, { target: 'down', actions: 'beginSession' }],
        pass: { guard: 'passesOn', actions: send(passedOn) },
        relay: { guard: 'passesOn', actions: send(relayed) },
        post: [
          { guard: 'hasRoom', actions: ['keep', ...say(whatWaits), 'noteSent'] },
          { target: 'down', actions: beginAnew },
        ],
        timer: [
          { guard: 'isSilent', target: 'down', actions: ['noteSuspicion', 'beginSession', ...say(answer), arm(nextBeat)] },
          { actions: [...say(answer), 'noteBeat', arm(nextBeat)] },
        ],
      },
    },
    left: { entry: disarm(() => ({ timer: 'beat' })), on: { leave: {} } },
  },
});
