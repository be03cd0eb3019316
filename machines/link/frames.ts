/** The frames between the two ends of a link, and the arithmetic of sequence numbers, sessions and windows. */
import type { NodeId } from '../effects.js';
import { hash, HASH_BASIS } from '../hash.js';
import { receivesDirectly, silenceAfterFrame, wayAfter, type Incoming } from './ways.js';

/** A message of the application, as JSON. */
export type FrameBody = unknown;

/** The link layer's frame. Without bodies it is a heartbeat, an acknowledgment or, with `rejects`, a request for retransmission. */
export interface Frame {
  readonly type: 'frame';
  /** The sender's session, and the session of the receiver that the sender has received since its own session began. */
  readonly session: number;
  readonly to: number | null;
  /** The nonce of the sender's run, and the receiver's nonce as the sender last received it, in this session or before. */
  readonly nonce: number;
  readonly echo: number | null;
  /** How many messages of this connection the sender has delivered, and the checksum of all of them (`checksumOf`). */
  readonly ack: number;
  readonly checksum: number;
  /** The number of the first body in this connection. */
  readonly seq: number;
  /** True if messages before a heartbeat are missing: the receiver has to send everything again that is not acknowledged. */
  readonly rejects: boolean;
  /** True if the sender receives frames from the receiver directly, so that no relay is needed in that direction. */
  readonly hears: boolean;
  readonly bodies: readonly FrameBody[];
  /** Present if the sender is a client. Two clients do not link. */
  readonly client?: true;
}

/** Notifies the peer that the sender's session has ended. */
export interface Bye {
  readonly type: 'bye';
  readonly session: number;
  readonly echo: number | null;
}

export interface LinkInput {
  readonly peer: NodeId;
  /** The other peers of this node, which may relay frames that do not reach this peer directly. */
  readonly relays: readonly NodeId[];
  /** True for a client's end. Clients link only with peers that are not clients. */
  readonly isClient?: true;
  /** True if the peer is in no list here (guests.ts). This end is forgotten when the peer has left. */
  readonly isGuest?: true;
  /** Larger than the session of every earlier run of this end. The milliseconds of the clock are suitable. */
  readonly session: number;
  /** Random and unguessable, drawn for each run. A sender that knows it has received what was sent to the peer. */
  readonly nonce: number;
  /** Ticks between two heartbeats. */
  readonly beat: number;
  /** The number of silent heartbeats after which the peer is suspected. */
  readonly patience: number;
  /** How often this end may suspect its peer. `null`: no limit; a checker without time needs one. */
  readonly suspicions: number | null;
  /** How many messages may be in flight without an acknowledgment, and how many more may wait. */
  readonly window: number;
  readonly room: number;
  /** The same limits as sizes (`sizeOf`): of the messages in flight, and of all that are kept. A frame holds at most `windowSize`. */
  readonly windowSize: number;
  readonly roomSize: number;
}

export interface LinkContext extends LinkInput {
  /** The peer's session while this end is up. */
  readonly theirs: number | null;
  /** The latest proven session of the peer, -1 for none, and its nonce. Frames of older sessions are late. */
  readonly latest: number;
  readonly theirNonce: number | null;
  /** Messages that are not acknowledged yet, in order. The first has the number `base`, and the first `sent` of them have been sent. */
  readonly outbox: readonly FrameBody[];
  readonly outboxSize: number;
  readonly base: number;
  readonly sent: number;
  /** The checksum of all acknowledged messages. */
  readonly acknowledged: number;
  /** The number of the next message to deliver, the checksum of all before it, and the last number that was acknowledged to the peer. */
  readonly expected: number;
  readonly delivered: number;
  readonly reported: number;
  /** The size of the delivered messages that are not acknowledged to the peer yet. */
  readonly unreported: number;
  /** Heartbeats of this end since the last frame from the peer. */
  readonly silence: number;
  /** True if the medium has reported since then that the peer is gone. */
  readonly isReported: boolean;
  /** Heartbeats between the last use of the timer and the next one: more than one while a link is idle. */
  readonly pace: number;
  /** The relay that frames take in addition to the direct way; `null` while both ends receive each other directly. */
  readonly via: NodeId | null;
  /** Heartbeats of this end since the last direct frame from the peer, counted up to half the patience. */
  readonly deaf: number;
}

const frame = (c: LinkContext, seq: number, bodies: readonly FrameBody[], rejects = false): Frame => ({
  type: 'frame',
  session: c.session,
  to: c.theirs,
  nonce: c.nonce,
  echo: c.theirNonce,
  ack: c.expected,
  checksum: c.delivered,
  seq,
  rejects,
  hears: receivesDirectly(c),
  bodies,
  ...(c.isClient && { client: true }),
});

export const emptyFrame = (c: LinkContext): Frame => frame(c, c.base + c.sent, []);

/** A heartbeat that requires an immediate answer: the peer replies to a frame without a session (`challengeFrame`). */
export const probeFrame = (c: LinkContext): Frame => ({ ...emptyFrame(c), to: null });

export const byeOf = (c: LinkContext): Bye => ({ type: 'bye', session: c.session, echo: c.theirNonce });

/**
 * The reply to a sender that has not proven its identity: nothing of its frame is recorded, and only the true peer can receive and answer
 * this reply. It contains the latest known session if the frame's session is earlier, because the clock of a run may have been set back.
 */
export const challengeFrame = (c: LinkContext, { session, nonce }: Frame): Frame =>
  session === c.theirs
    ? emptyFrame(c)
    : // The values of a new connection, in case the peer replies.
      { ...emptyFrame(c), to: Math.max(session, c.latest), echo: nonce, ack: 0, checksum: CHECKSUM_BASIS, seq: 0 };

/** True if the sender has received what was sent to the peer, since it knows this run's nonce, and its session is not an earlier one. */
export const isProven = ({ nonce, latest }: LinkContext, { echo, session }: Frame | Bye): boolean =>
  echo === nonce && session >= latest;

/** True if a proven frame belongs to the sender's session with this session, and not to an earlier connection. */
export const answersSession = (c: LinkContext, received: Frame): boolean => isProven(c, received) && received.to === c.session;

/** True if the peer remembers a later session of this id: of another run, whose clock was ahead, or of another node with the same id. */
export const remembersLater = (c: LinkContext, received: Frame): boolean =>
  isProven(c, received) && received.to !== null && received.to > c.session;

/** The size of a body: the characters of a text and its separator; 1 for any other value, such as a number of the checker. */
export const sizeOf = (body: FrameBody): number => (typeof body === 'string' ? body.length + 4 : 1);

const sizeOfAll = (bodies: readonly FrameBody[]): number => bodies.reduce<number>((sum, body) => sum + sizeOf(body), 0);

/** The checksum before the first message. */
export const CHECKSUM_BASIS = HASH_BASIS;

/** The checksum of all messages of one direction of a connection, from that of the earlier ones and the messages that follow. */
export const checksumOf = (before: number, bodies: readonly FrameBody[]): number =>
  bodies.reduce<number>((sum, body) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    // The length marks where a message ends.
    return hash(text, sum ^ text.length);
  }, before);

/** True if a late frame contains nothing new: its sender has acknowledged more since. */
const isOutdated = ({ base }: LinkContext, { ack }: Pick<Frame, 'ack'>): boolean => ack < base;

/**
 * True if the peer acknowledges messages that this end never sent: another sender has forged frames in this end's name, and the peer
 * ignores true messages with the same numbers as duplicates. If as many messages were sent, only the checksum shows it. The checksum is not
 * secret and does not prevent forged frames, but the peer's next frame reveals them.
 */
export function isDeceived(c: LinkContext, received: Pick<Frame, 'ack' | 'checksum'>): boolean {
  const { ack, checksum } = received;
  if (isOutdated(c, received)) return false;
  return ack > c.base + c.sent || checksum !== checksumOf(c.acknowledged, c.outbox.slice(0, ack - c.base));
}

/** Waiting messages that fit into the window. The first one always fits. */
export function unsent(c: LinkContext): readonly FrameBody[] {
  const waiting = c.outbox.slice(c.sent, c.window);
  if (waiting.length === 0) return waiting;
  let size = sizeOfAll(c.outbox.slice(0, c.sent));
  const over = waiting.findIndex((body) => (size += sizeOf(body)) > c.windowSize);
  return over === -1 ? waiting : waiting.slice(0, c.sent === 0 ? Math.max(1, over) : over);
}

export const hasRoomFor = (c: LinkContext, body: FrameBody): boolean =>
  c.outbox.length < c.window + c.room && c.outboxSize + sizeOf(body) <= c.roomSize;

export const unsentFrame = (c: LinkContext): Frame => frame(c, c.base + c.sent, unsent(c));

/** All unacknowledged messages, and the waiting ones that fit behind them. */
export const againFrame = (c: LinkContext): Frame => frame(c, c.base, c.outbox.slice(0, c.sent + unsent(c).length));

/**
 * True if a heartbeat shows that a message is missing or late: it carries a larger number than the expected one. Only heartbeats are
 * rejected: if each frame of a burst were rejected after a lost one, the burst would be sent again each time. A rejection is not rejected,
 * which would never end.
 */
export const isAhead = (c: LinkContext, { seq, bodies, rejects }: Frame): boolean =>
  bodies.length === 0 && !rejects && seq > c.expected;

export const ackFrame = (c: LinkContext, received: Frame): Frame => frame(c, c.base + c.sent, [], isAhead(c, received));

/** True if enough messages are unacknowledged, so that a long one-way stream does not wait for a heartbeat. */
export const isAckDue = (c: LinkContext): boolean =>
  2 * (c.expected - c.reported) >= c.window || 2 * c.unreported >= c.windowSize;

/** Heartbeats between two frames of an idle link. A peer that is alive sends at least six in its patience, on a client's link three. */
const idlePace = ({ patience, isClient, isGuest }: LinkInput): number =>
  Math.max(1, Math.floor(patience / (isClient || isGuest ? 3 : 6)));

/** True if two idle beats of the peer are missing, and it has to be probed. */
export const isOverdue = (c: LinkContext): boolean => c.silence >= 2 * idlePace(c);

/** True if a message waits for an acknowledgment of the peer, or one of the peer waits for an acknowledgment here. */
const isBusy = ({ outbox, expected, reported }: LinkContext): boolean => outbox.length > 0 || expected !== reported;

/** The heartbeats until the next one is sent. */
export const paceOf = (c: LinkContext): number => (isBusy(c) || isOverdue(c) || c.via !== null ? 1 : idlePace(c));

/** True if the next heartbeat of an idle link is too late for a message. */
export const isTooSlow = (c: LinkContext): boolean => c.pace > 1 && isBusy(c);

/** True if the silence is long enough to suspect the peer. */
export const suspects = (c: LinkContext): boolean => c.silence >= c.patience && c.suspicions !== 0;

/** The bodies of a frame that are next to be delivered. */
export const fresh = (c: LinkContext, { seq, bodies }: Frame): readonly FrameBody[] =>
  seq <= c.expected ? bodies.slice(c.expected - seq) : [];

/**
 * The context after a frame of this connection: acknowledged messages are removed, and new ones are delivered. An outdated frame is not a
 * sign of life: if another sender has acknowledged in the peer's name what it never received, all its own frames are outdated.
 */
export function taken(c: LinkContext, received: Incoming<Frame>): Partial<LinkContext> {
  const outdated = isOutdated(c, received);
  const done = outdated ? 0 : received.ack - c.base;
  const bodies = fresh(c, received);
  return {
    outbox: c.outbox.slice(done),
    outboxSize: c.outboxSize - sizeOfAll(c.outbox.slice(0, done)),
    base: c.base + done,
    sent: c.sent - done,
    acknowledged: outdated ? c.acknowledged : received.checksum,
    expected: c.expected + bodies.length,
    delivered: checksumOf(c.delivered, bodies),
    unreported: c.unreported + sizeOfAll(bodies),
    silence: outdated ? c.silence : silenceAfterFrame(c),
    isReported: outdated && c.isReported,
    ...wayAfter(c, received),
  };
}
