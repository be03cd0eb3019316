/**
 * One end of a link: reliable, ordered, told when it comes and goes, over a medium that loses, doubles and reorders.
 *
 * Not from a paper, but what the papers assume of their links: sequence numbers, cumulative acknowledgments and go-back-n with
 * rejections as in every textbook of protocols, a handshake of sessions, and a failure detector that counts heartbeats. Nothing is sent
 * again for being late: a slow medium would get slower by it. A heartbeat says how much was sent before it, and who misses some of that
 * rejects. An acknowledgment bears the checksum of all that it acknowledges: who reads there that the peer has delivered what was never
 * sent, because somebody has spoken in this end's name, begins a new session, and the link is down for a moment at both ends.
 *
 * Each run draws a nonce and says it in all its frames; each frame echoes that of the receiver, as the verification tag of SCTP (RFC 9260,
 * section 8.5). Who does not echo it may be a peer that has started again, or a stranger that writes in its name: it is answered with a
 * challenge, which is posted to the peer and echoes what it said of itself, and nothing is noted (RFC 5961, section 4, does so with segments
 * that would reset a connection). So the session that there is stays until the next one has shown that it hears what is sent to
 * the peer. Against who hears that as well it is not a protection.
 *
 * Assumes that frames which keep being sent are heard in the end, that nobody guesses a nonce, and that an end which starts again has a
 * larger session (if its clock went back, the peer's memory corrects it). Promises: a connection is a pair of sessions; `link.up` and
 * `link.down` alternate at each end; what is delivered between them is a prefix of what the peer posted on that connection, in order,
 * nothing twice, and all of it if the connection lasts. Silence cannot tell a dead peer from a slow one or from a cut: a peer counted as
 * gone may well be alive, and then both ends see the link go down and come again.
 *
 * A medium may know more: that a connection was closed, and that its other end refuses a new one. Such a report (`gone`) shortens the patience
 * to one and a half heartbeats and asks a relay for another way. It never takes a link down whose peer is heard, so a false report
 * changes nothing.
 *
 * States.
 *   seeking  never up yet: what is posted waits
 *   up       the peer has answered this session
 *   down     was up, looks for the peer again: what is posted is lost
 *   left     said good-bye
 * Invariants: in `up`, `theirs === latest`; `sent <= window`; `outbox.length <= window + room`; what is under way has a size of at most
 * `windowSize`, or is a single message; what is kept, of at most `roomSize`.
 */
import { assign, emit, raise, setup } from 'xstate';
import {
  arm,
  disarm,
  effects,
  send,
  tell,
  withEvent,
  type NodeId,
  type Received,
  type Send,
  type TimerEvent,
} from '../effects.js';
import {
  ackFrame,
  againFrame,
  answersSession,
  byeOf,
  challengeFrame,
  CHECKSUM_BASIS,
  emptyFrame,
  fresh,
  hasRoomFor,
  isAhead,
  isDeceived,
  isProven,
  owesAck,
  remembersLater,
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
import {
  firstWay,
  passing,
  wayAfter,
  wayAfterBeat,
  wayAfterReport,
  type Heard,
  type Pass,
  type Relay,
  type Relayed,
} from './ways.js';

interface Post {
  readonly type: 'post';
  readonly body: FrameBody;
}

export type LinkChartEvent =
  | Heard<Frame>
  | Heard<Bye>
  | Received<Relay>
  | Received<Relayed>
  | Pass
  | TimerEvent
  | Post
  | { type: 'leave' }
  /** The medium reports that the peer is gone, rightly or wrongly. */
  | { type: 'gone' }
  /** The process was started again and knows nothing; only its clock has gone on. */
  | { type: 'restart' };

export type LinkNotification =
  | { readonly type: 'link.up' | 'link.down'; readonly peer: NodeId }
  /** After `link.down`: the peer was silent after a report that it is gone, so that its process has ended, as far as the medium knows. */
  | { readonly type: 'link.gone'; readonly peer: NodeId }
  | { readonly type: 'received'; readonly peer: NodeId; readonly bodies: readonly FrameBody[] }
  /** More was posted for a peer that has not come yet than the outbox holds; that message is lost. */
  | { readonly type: 'overflow'; readonly peer: NodeId };

type In<E = unknown> = { context: LinkContext; event: E };

const answer = ({ context }: In) => ({ to: context.peer, message: emptyFrame(context) });
const whatWaits = ({ context }: In) => ({ to: unsent(context).length > 0 ? context.peer : [], message: unsentFrame(context) });
const firstWords = ({ context }: In) => ({ to: context.peer, message: unsentFrame(context) });
const dueAck = ({ context, event }: In<Frame>) => ({
  to: owesAck(context) || isAhead(context, event) ? context.peer : [],
  message: ackFrame(context, event),
});
const again = ({ context }: In) => ({ to: context.outbox.length > 0 ? context.peer : [], message: againFrame(context) });
const goodbye = ({ context }: In) => ({ to: context.peer, message: byeOf(context) });
const challenge = ({ context, event }: In<Frame>) => ({ to: context.peer, message: challengeFrame(context, event) });
/** By all ways that there are. */
const say = <E>(message: (args: In<E>) => Send<Frame | Bye>, way = ({ context }: In<E>) => context) =>
  [send(message), tell((args: In<E>) => passing(way(args), () => message(args)))] as const;
/** By the way back of what was heard, which is not learned: anybody may have said that. */
const challengeIt = say(challenge, ({ context, event }: In<Heard<Frame>>) => ({ ...context, ...wayAfter(context, event) }));

const passedOn = ({ context, event: { target, message } }: In<Pass>) => ({
  to: context.peer,
  message: { type: 'relay' as const, target, message },
});
const relayed = ({ context, event: { from: origin, message } }: In<Received<Relay>>) => ({
  to: context.peer,
  message: { type: 'relayed' as const, origin, message },
});
const nextBeat = ({ context }: In) => ({ timer: 'beat', delay: context.beat });
/** Within this time a peer that is alive is heard: it beats once, and its beat arrives. */
const answerTime = ({ context }: In) => ({ timer: 'beat', delay: Math.ceil(1.5 * context.beat) });

const silent = { theirs: null, silence: 0, isReported: false };
const nothingSent = {
  outbox: [],
  outboxSize: 0,
  base: 0,
  sent: 0,
  acknowledged: CHECKSUM_BASIS,
  expected: 0,
  delivered: CHECKSUM_BASIS,
  told: 0,
  unreported: 0,
};
const stranger = (c: LinkInput) => ({ latest: -1, theirNonce: null, ...firstWay(c) });
/** What this connection has come to is not a good: another one. */
const beginAnew = ['beginSession', ...say(answer)] as const;

/** Until the link is up every frame is heard for its sessions alone. */
const handshake = [
  { guard: withEvent('remembersLater'), actions: [withEvent('outdoSession'), ...challengeIt] },
  {
    guard: withEvent('answersSession'),
    target: 'up',
    actions: [withEvent('hearSession'), 'announceUp', ...say(firstWords), 'noteSent', withEvent('hearAgain')],
  },
  { actions: challengeIt },
] as const;

/** A frame of this connection: it may carry messages, make room for more, or call for an acknowledgment. */
const takeFrame = [withEvent('take'), ...say(whatWaits), 'noteSent', ...say(dueAck), 'noteAck'] as const;
/** One that says that something is missing: it brings nothing. */
const takeRejection = [withEvent('take'), ...say(again), 'noteSent'] as const;

/** The peer counts as gone. */
const lookAgain = ['beginSession', ...say(answer), arm(nextBeat)] as const;

const seek = { actions: [...say(answer), 'tryNextRelay', arm(nextBeat)] } as const;

/**
 * The chart of one end of a link: sequence numbers, acknowledgments, a handshake of sessions and a detector that counts
 * heartbeats. It is run by `link`.
 *
 * @public
 */
export const linkMachine = setup({
  types: {} as { context: LinkContext; events: LinkChartEvent; input: LinkInput; emitted: LinkNotification },
  actions: {
    ...effects<Frame | Bye | Relay | Relayed>(),
    hearSession: assign(({ context }, frame: Heard<Frame>) => ({
      theirs: frame.session,
      latest: frame.session,
      theirNonce: frame.nonce,
      silence: 0,
      isReported: false,
      ...wayAfter(context, frame),
    })),
    noteSession: assign((_, { session, nonce }: Frame) => ({ theirs: null, latest: session, theirNonce: nonce })),
    take: assign(({ context }, frame: Heard<Frame>) => taken(context, frame)),
    noteSent: assign(({ context }) => {
      const { length } = unsent(context);
      return length === 0 ? {} : { sent: context.sent + length, told: context.expected, unreported: 0 };
    }),
    noteAck: assign(({ context }) => (owesAck(context) ? { told: context.expected, unreported: 0 } : {})),
    noteBeat: assign(({ context }) => {
      const silence = Math.min(context.silence + 1, context.patience);
      return { told: context.expected, unreported: 0, silence, ...wayAfterBeat(context, silence) };
    }),
    noteReport: assign(({ context }) => ({ isReported: true, silence: context.patience, ...wayAfterReport(context) })),
    tryNextRelay: assign(({ context }) => wayAfterBeat(context, context.silence)),
    keep: assign(({ context }, { body }: Post) => ({
      outbox: [...context.outbox, body],
      outboxSize: context.outboxSize + sizeOf(body),
    })),
    noteSuspicion: assign({ suspicions: ({ context }) => context.suspicions && context.suspicions - 1 }),
    outdoSession: assign({ session: (_, { to }: Frame) => to! + 1 }),
    beginSession: assign(({ context }) => ({ session: context.session + 1, ...silent })),
    forgetConnection: assign(nothingSent),
    forgetPeer: assign(({ context }) => stranger(context)),
    changeNonce: assign({ nonce: ({ context }) => context.nonce + 1 }),
    hearAgain: raise((_, frame: Heard<Frame>) => frame),
    hearOrigin: raise((_, { origin, from, message }: Received<Relayed>) => ({ ...message, from: origin, via: from })),
    announceUp: emit(({ context }) => ({ type: 'link.up' as const, peer: context.peer })),
    announceDown: emit(({ context }) => ({ type: 'link.down' as const, peer: context.peer })),
    announceGone: emit(({ context }) => ({ type: 'link.gone' as const, peer: context.peer })),
    announceReceived: emit(({ context }, frame: Frame) => ({
      type: 'received' as const,
      peer: context.peer,
      bodies: fresh(context, frame),
    })),
    announceOverflow: emit(({ context }) => ({ type: 'overflow' as const, peer: context.peer })),
  },
  guards: {
    isLate: ({ context }, { session, nonce }: Frame) => session < context.latest && nonce === context.theirNonce,
    beginsSession: ({ context }, frame: Frame) => isProven(context, frame) && frame.session > context.latest,
    remembersLater: ({ context }, frame: Frame) => remembersLater(context, frame),
    isProven: ({ context }, bye: Bye) => isProven(context, bye),
    answersSession: ({ context }, frame: Frame) => answersSession(context, frame),
    isOfAnotherConnection: ({ context }, frame: Frame) => !answersSession(context, frame),
    isDeceived: ({ context }, frame: Frame) => isDeceived(context, frame),
    isRejection: (_, { rejects }: Frame) => rejects,
    bringsMessages: ({ context }, frame: Frame) => fresh(context, frame).length > 0,
    hasRoom: ({ context }, { body }: Post) => hasRoomFor(context, body),
    isSilent: ({ context }) => suspects(context),
    isSilentAsReported: ({ context }) => suspects(context) && context.isReported,
    isByRelay: ({ context }, { from }: Received<Relayed>) => context.relays.includes(from),
    passesOn: ({ context }) => context.relays.length > 0 && context.via === null,
  },
}).createMachine({
  id: 'link',
  context: ({ input }) => ({ ...input, ...silent, ...nothingSent, ...stranger(input) }),
  initial: 'seeking',
  on: {
    leave: { target: '.left', actions: [...say(goodbye)] },
    relayed: { guard: withEvent('isByRelay'), actions: withEvent('hearOrigin') },
    restart: { target: '.seeking', actions: ['beginSession', 'forgetConnection', 'forgetPeer', 'changeNonce'] },
  },
  states: {
    seeking: {
      entry: [...say(answer), arm(nextBeat)],
      on: {
        frame: handshake,
        post: [{ guard: withEvent('hasRoom'), actions: withEvent('keep') }, { actions: 'announceOverflow' }],
        timer: seek,
      },
    },
    down: { on: { frame: [{ guard: withEvent('isLate') }, ...handshake], timer: seek } },
    up: {
      exit: ['announceDown', 'forgetConnection'],
      on: {
        frame: [
          { guard: withEvent('isLate') },
          // Another node of this id has come: this end is told by nobody else, and says no more.
          { guard: withEvent('remembersLater') },
          { guard: withEvent('beginsSession'), target: 'down', actions: [withEvent('noteSession'), withEvent('hearAgain')] },
          { guard: withEvent('isOfAnotherConnection'), actions: challengeIt },
          { guard: withEvent('isDeceived'), target: 'down', actions: beginAnew },
          { guard: withEvent('isRejection'), actions: takeRejection },
          { guard: withEvent('bringsMessages'), actions: [withEvent('announceReceived'), ...takeFrame] },
          { actions: takeFrame },
        ],
        bye: { guard: withEvent('isProven'), target: 'down', actions: 'beginSession' },
        gone: { actions: ['noteReport', ...say(answer), arm(answerTime)] },
        pass: { guard: 'passesOn', actions: send(passedOn) },
        relay: { guard: 'passesOn', actions: send(relayed) },
        post: [
          { guard: withEvent('hasRoom'), actions: [withEvent('keep'), ...say(whatWaits), 'noteSent'] },
          { target: 'down', actions: beginAnew },
        ],
        timer: [
          { guard: 'isSilentAsReported', target: 'down', actions: ['noteSuspicion', 'announceGone', ...lookAgain] },
          { guard: 'isSilent', target: 'down', actions: ['noteSuspicion', ...lookAgain] },
          { actions: [...say(answer), 'noteBeat', arm(nextBeat)] },
        ],
      },
    },
    left: { entry: disarm(() => ({ timer: 'beat' })), on: { leave: {} } },
  },
});
