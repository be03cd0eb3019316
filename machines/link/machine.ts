/**
 * One end of a link: reliable and ordered, with notifications when it goes up and down, over a medium that loses, duplicates and reorders.
 *
 * No paper defines this chart; it provides what the papers assume of their links. It uses sequence numbers, cumulative acknowledgments and
 * go-back-n with rejections as in protocol textbooks, a handshake of sessions, and a failure detector that counts heartbeats. Nothing is
 * sent again because it is late, which would slow down a slow medium. A heartbeat contains how much was sent before it, and an end that
 * misses some of that sends a rejection. An acknowledgment contains the checksum of all acknowledged messages. If the peer has delivered
 * what this end never sent, because another node has forged its frames, this end begins a new session. The link is then briefly down at
 * both ends.
 *
 * Each run draws a nonce and puts it into all its frames; each frame echoes the receiver's nonce, as the verification tag of SCTP (RFC
 * 9260, section 8.5). A sender without the right echo may be a peer that has restarted, or an attacker that writes in its name. The reply
 * is a challenge, which is sent to the peer and echoes the received nonce, and nothing is recorded (RFC 5961, section 4, does so with
 * segments that would reset a connection). The present session therefore stays until the sender of the next one has proven that it receives
 * what is sent to the peer. This does not protect against an attacker that also receives those frames.
 *
 * Assumptions: a frame that is sent again and again arrives eventually, and nonces cannot be guessed. An end that restarts has a larger
 * session; if its clock was set back, the peer's memory corrects it.
 *
 * Guarantees: a connection is a pair of sessions, and `link.up` and `link.down` alternate at each end. The messages delivered between them
 * are a prefix of what the peer posted on that connection, in order, without duplicates, and all of it if the connection lasts.
 *
 * Limitations: silence cannot distinguish a dead peer from a slow one or a cut. A suspected peer may be alive, and then both ends see the
 * link go down and up again.
 *
 * An idle link sends a heartbeat every fifth beat, for the default patience of 30. The link of a client, of which a voter has many, sends
 * one every tenth beat. A message that waits for an acknowledgment brings the next one forward, and data frames carry acknowledgments
 * themselves. If two idle beats of the peer are missing, each beat is a probe, which the peer answers at once.
 *
 * A peer that is in no list here is a guest (guests.ts). Its end is forgotten when it has left, or has been silent for twice the patience.
 * Two clients do not link: each stops at the first proven frame of the other.
 *
 * A medium may know that a connection was closed and that its other end refuses a new one. Such a report (`gone`) shortens the patience to
 * one and a half heartbeats, probes the peer, and tries a relay. It never takes down a link whose peer sends frames, so a false report has no
 * effect.
 *
 * States.
 *    seeking  never up yet: posted messages wait
 *    up       the peer has replied to this session
 *    down     was up, and tries to reach the peer again: posted messages are lost
 *    left     has sent `bye`
 *    apart    both ends are clients
 *    forgotten  the guest has gone; the role is about to be closed
 * Invariants: in `up`, `theirs === latest`; `sent <= window`; `outbox.length <= window + room`. The messages in flight have a size of at
 * most `windowSize`, or are a single message. All kept messages have at most `roomSize`.
 */
import { assign, emit, raise, setup } from 'xstate';
import {
  arm,
  chartTypes,
  disarm,
  effects,
  type NodeId,
  type Received,
  send,
  type Send,
  tell,
  type TimerEvent,
  withEvent,
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
  isAckDue,
  isOverdue,
  isTooSlow,
  paceOf,
  probeFrame,
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
  type Incoming,
  type Pass,
  type Relay,
  type Relayed,
} from './ways.js';
import { GUESTS } from './view.js';

interface Post {
  readonly type: 'post';
  readonly body: FrameBody;
}

export type LinkChartEvent =
  | Incoming<Frame>
  | Incoming<Bye>
  | Received<Relay>
  | Received<Relayed>
  | Pass
  | TimerEvent
  | Post
  | { type: 'leave' }
  /** The medium reports that the peer is gone, rightly or wrongly. */
  | { type: 'gone' }
  /** The process has restarted and has forgotten everything; only its clock has advanced. */
  | { type: 'restart' };

export type LinkNotification =
  | { readonly type: 'link.up' | 'link.down'; readonly peer: NodeId }
  /** After `link.down`: the peer was silent after a report that it is gone, so its process has ended as far as the medium knows. */
  | { readonly type: 'link.gone'; readonly peer: NodeId }
  | { readonly type: 'received'; readonly peer: NodeId; readonly bodies: readonly FrameBody[] }
  /** More messages were posted to a peer that has not connected yet than the outbox holds. This message is lost. */
  | { readonly type: 'overflow'; readonly peer: NodeId };

type In<E = unknown> = { context: LinkContext; event: E };

const reply = ({ context }: In) => ({ to: context.peer, message: emptyFrame(context) });
const probe = ({ context }: In) => ({ to: context.peer, message: probeFrame(context) });
const probeIfOverdue = ({ context }: In) => ({ to: isOverdue(context) ? context.peer : [], message: probeFrame(context) });
const whatWaits = ({ context }: In) => ({ to: unsent(context).length > 0 ? context.peer : [], message: unsentFrame(context) });
const firstWords = ({ context }: In) => ({ to: context.peer, message: unsentFrame(context) });
const dueAck = ({ context, event }: In<Frame>) => ({
  to: isAckDue(context) || isAhead(context, event) ? context.peer : [],
  message: ackFrame(context, event),
});
const again = ({ context }: In) => ({ to: context.outbox.length > 0 ? context.peer : [], message: againFrame(context) });
const goodbye = ({ context }: In) => ({ to: context.peer, message: byeOf(context) });
const challenge = ({ context, event }: In<Frame>) => ({ to: context.peer, message: challengeFrame(context, event) });
/** Sends a frame directly, and through the relay if one is in use. */
const transmit = <E>(message: (args: In<E>) => Send<Frame | Bye>, way = ({ context }: In<E>) => context) =>
  [send(message), tell((args: In<E>) => passing(way(args), () => message(args)))] as const;
/** Replies by the way on which the frame came. That way is not recorded, because the frame may be forged. */
const challengeIt = transmit(challenge, ({ context, event }: In<Incoming<Frame>>) => ({
  ...context,
  ...wayAfter(context, event),
}));

const passedOn = ({ context, event: { target, message } }: In<Pass>) => ({
  to: context.peer,
  message: { type: 'relay' as const, target, message },
});
const relayed = ({ context, event: { from: origin, message } }: In<Received<Relay>>) => ({
  to: context.peer,
  message: { type: 'relayed' as const, origin, message },
});
const nextBeat = ({ context }: In) => ({ timer: 'beat', delay: context.beat * context.pace });
/** A peer that is alive is received within this time: it answers a probe. */
const answerTime = ({ context }: In) => ({ timer: 'beat', delay: Math.ceil(1.5 * context.beat) });

const silent = { theirs: null, silence: 0, isReported: false };
const noMoreBeats = disarm(() => ({ timer: 'beat' }));
const nothingSent = {
  pace: 1,
  outbox: [],
  outboxSize: 0,
  base: 0,
  sent: 0,
  acknowledged: CHECKSUM_BASIS,
  expected: 0,
  delivered: CHECKSUM_BASIS,
  reported: 0,
  unreported: 0,
};
const stranger = (c: LinkInput) => ({ latest: -1, theirNonce: null, ...firstWay(c) });
/** An end that knows nothing of its peer yet. */
export const newEnd = (input: LinkInput): LinkContext => ({ ...input, ...silent, ...nothingSent, ...stranger(input) });
/** Ends a connection with an overflow or a forged history by beginning another session. */
const reconnect = ['beginSession', ...transmit(reply)] as const;

/** Until the link is up, only the sessions of a frame are used. */
const handshake = [
  { guard: withEvent('isBetweenClients'), target: 'apart' },
  { guard: withEvent('remembersLater'), actions: [withEvent('outdoSession'), ...challengeIt] },
  {
    guard: withEvent('answersSession'),
    target: 'up',
    actions: [withEvent('receiveSession'), 'announceUp', ...transmit(firstWords), 'noteSent', withEvent('receiveAgain')],
  },
  { actions: challengeIt },
] as const;

/** A frame of this connection: it may carry messages, make room for more, or require an acknowledgment. */
const takeFrame = [withEvent('take'), ...transmit(whatWaits), 'noteSent', ...transmit(dueAck), 'noteAck'] as const;
/** A frame that reports missing messages and carries none. */
const takeRejection = [withEvent('take'), ...transmit(again), 'noteSent'] as const;

/** The peer is suspected: begins a new session. */
const lookAgain = ['beginSession', ...transmit(reply), arm(nextBeat)] as const;

const seek = [
  { guard: 'isForgotten', target: 'forgotten' },
  { guard: 'isGuest', actions: [send(reply), 'noteSilence', arm(nextBeat)] },
  { actions: [...transmit(reply), 'tryNextRelay', arm(nextBeat)] },
] as const;
/** The other client has not received a proven frame yet, and still seeks this one. */
const refusal = { guard: withEvent('isUnproven'), actions: challengeIt } as const;
const departure = { guard: withEvent('isDeparture'), target: 'forgotten' } as const;
const forgotten = ({ context: { peer } }: In) => ({ role: GUESTS, message: { type: 'forgotten' as const, peer } });

/**
 * One end of a link: sequence numbers, acknowledgments, a handshake of sessions, and a failure detector that counts heartbeats. `link` runs
 * it.
 *
 * @public
 */
export const linkMachine = setup({
  types: chartTypes<{ context: LinkContext; events: LinkChartEvent; input: LinkInput; emitted: LinkNotification }>(),
  actions: {
    ...effects<Frame | Bye | Relay | Relayed>(),
    receiveSession: assign(({ context }, frame: Incoming<Frame>) => ({
      theirs: frame.session,
      latest: frame.session,
      theirNonce: frame.nonce,
      silence: 0,
      isReported: false,
      ...wayAfter(context, frame),
    })),
    noteSession: assign((_, { session, nonce }: Frame) => ({ theirs: null, latest: session, theirNonce: nonce })),
    take: assign(({ context }, frame: Incoming<Frame>) => taken(context, frame)),
    noteSent: assign(({ context }) => {
      const { length } = unsent(context);
      return length === 0 ? {} : { sent: context.sent + length, reported: context.expected, unreported: 0 };
    }),
    noteAck: assign(({ context }) => (isAckDue(context) ? { reported: context.expected, unreported: 0 } : {})),
    noteBeat: assign(({ context }) => {
      const silence = Math.min(context.silence + context.pace, context.patience);
      const beaten = { reported: context.expected, unreported: 0, silence, ...wayAfterBeat(context, silence) };
      return { ...beaten, pace: paceOf({ ...context, ...beaten }) };
    }),
    hasten: assign({ pace: 1 }),
    noteReport: assign(({ context }) => ({ isReported: true, silence: context.patience, pace: 1, ...wayAfterReport(context) })),
    noteSilence: assign({ silence: ({ context }) => context.silence + 1 }),
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
    receiveAgain: raise((_, frame: Incoming<Frame>) => frame),
    receiveOrigin: raise((_, { origin, from, message }: Received<Relayed>) => ({ ...message, from: origin, via: from })),
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
    isUnproven: ({ context }, frame: Frame) => !isProven(context, frame),
    isGuest: ({ context }) => context.isGuest === true,
    isForgotten: ({ context: { isGuest, silence, patience } }) => isGuest === true && silence >= patience,
    isDeparture: ({ context }, bye: Bye) => context.isGuest === true && isProven(context, bye),
    isBetweenClients: ({ context }, frame: Frame) =>
      context.isClient === true && frame.client === true && isProven(context, frame),
    isOfPeer: (_, { client }: Frame) => client !== true,
    isTooSlow: ({ context }) => isTooSlow(context),
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
  context: ({ input }) => newEnd(input),
  initial: 'seeking',
  on: {
    leave: { target: '.left', actions: [...transmit(goodbye)] },
    relayed: { guard: withEvent('isByRelay'), actions: withEvent('receiveOrigin') },
    restart: { target: '.seeking', actions: ['beginSession', 'forgetConnection', 'forgetPeer', 'changeNonce'] },
  },
  states: {
    seeking: {
      entry: [...transmit(reply), arm(nextBeat)],
      on: {
        frame: handshake,
        post: [{ guard: withEvent('hasRoom'), actions: withEvent('keep') }, { actions: 'announceOverflow' }],
        bye: departure,
        timer: seek,
      },
    },
    down: { on: { frame: [{ guard: withEvent('isLate') }, ...handshake], bye: departure, timer: seek } },
    up: {
      always: { guard: 'isTooSlow', actions: ['hasten', arm(nextBeat)] },
      exit: ['announceDown', 'forgetConnection'],
      on: {
        frame: [
          { guard: withEvent('isLate') },
          // Another node with this id has come. This end ignores its frames and falls silent.
          { guard: withEvent('remembersLater') },
          { guard: withEvent('beginsSession'), target: 'down', actions: [withEvent('noteSession'), withEvent('receiveAgain')] },
          { guard: withEvent('isOfAnotherConnection'), actions: challengeIt },
          { guard: withEvent('isDeceived'), target: 'down', actions: reconnect },
          { guard: withEvent('isRejection'), actions: takeRejection },
          { guard: withEvent('bringsMessages'), actions: [withEvent('announceReceived'), ...takeFrame] },
          { actions: takeFrame },
        ],
        bye: [departure, { guard: withEvent('isProven'), target: 'down', actions: 'beginSession' }],
        gone: { actions: ['noteReport', ...transmit(probe), arm(answerTime)] },
        pass: { guard: 'passesOn', actions: send(passedOn) },
        relay: { guard: 'passesOn', actions: send(relayed) },
        post: [
          { guard: withEvent('hasRoom'), actions: [withEvent('keep'), ...transmit(whatWaits), 'noteSent'] },
          { target: 'down', actions: reconnect },
        ],
        timer: [
          { guard: 'isSilentAsReported', target: 'down', actions: ['noteSuspicion', 'announceGone', ...lookAgain] },
          { guard: 'isSilent', target: 'down', actions: ['noteSuspicion', ...lookAgain] },
          { actions: [...transmit(reply), ...transmit(probeIfOverdue), 'noteBeat', arm(nextBeat)] },
        ],
      },
    },
    left: { entry: noMoreBeats, on: { leave: {} } },
    apart: { entry: noMoreBeats, on: { frame: [{ guard: withEvent('isOfPeer'), target: 'seeking' }, refusal] } },
    forgotten: { entry: [noMoreBeats, tell(forgotten)] },
  },
});
