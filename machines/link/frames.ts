/** What the two ends of a link say to each other, and the arithmetic of it. */
import type { NodeId } from '../effects.js';
import { hash, HASH_BASIS } from '../hash.js';
import { hearsDirectly, wayAfter, type Heard } from './ways.js';

/** Whatever the layer above sends; plain JSON. */
export type FrameBody = unknown;

/** The only frame there is: with no bodies it is a heartbeat, an acknowledgment or, when it rejects, a request to send again. */
export interface Frame {
  readonly type: 'frame';
  /** The sender's session, and the session of the receiver that it has heard since its own began. */
  readonly session: number;
  readonly to: number | null;
  /** The nonce of the sender's run, and that of the receiver's as the sender has heard it, in this session or before. */
  readonly nonce: number;
  readonly echo: number | null;
  /** How many messages of this connection the sender has delivered, and the checksum of them all (`checksumOf`). */
  readonly ack: number;
  readonly checksum: number;
  /** The number of the first body in this connection. */
  readonly seq: number;
  /** What should have come before a heartbeat has not: whatever is not acknowledged is to be sent again. */
  readonly rejects: boolean;
  /** True if the sender hears the receiver directly, so that nobody has to pass on what is sent to it. */
  readonly hears: boolean;
  readonly bodies: readonly FrameBody[];
}

/** The sender's session ends; nothing follows. */
export interface Bye {
  readonly type: 'bye';
  readonly session: number;
  readonly echo: number | null;
}

export interface LinkInput {
  readonly peer: NodeId;
  /** The other peers of this node, who may pass on what does not reach this one directly. */
  readonly relays: readonly NodeId[];
  /** Larger than that of every earlier run of this end; the milliseconds of the clock will do. */
  readonly session: number;
  /** Drawn for each run from so many numbers that nobody guesses it: who says it has heard what was sent to the peer. */
  readonly nonce: number;
  /** Ticks between two heartbeats. */
  readonly beat: number;
  /** So many heartbeats of silence, and the peer counts as gone. */
  readonly patience: number;
  /** How often this end may count its peer as gone; `null` is forever, which only a checker that knows no time cannot live with. */
  readonly suspicions: number | null;
  /** How many messages may be under way without an acknowledgment, and how many more may wait for their turn. */
  readonly window: number;
  readonly room: number;
  /** The same in sizes (see `sizeOf`): of what may be under way, and of all that is kept. A frame holds no more than the former. */
  readonly windowSize: number;
  readonly roomSize: number;
}

export interface LinkContext extends LinkInput {
  /** The peer's session while this end is up. */
  readonly theirs: number | null;
  /** The latest session of the peer that was ever proven, -1 for none, and the nonce that came with it: older frames are late. */
  readonly latest: number;
  readonly theirNonce: number | null;
  /** Not yet acknowledged, in order; the first has number `base`, and the first `sent` have been sent. */
  readonly outbox: readonly FrameBody[];
  readonly outboxSize: number;
  readonly base: number;
  readonly sent: number;
  /** The checksum of what has been acknowledged. */
  readonly acknowledged: number;
  /** The number of the next message to deliver, the checksum of all before it, and the last number that the peer was told. */
  readonly expected: number;
  readonly delivered: number;
  readonly told: number;
  /** The size of what has been delivered and the peer was not told of. */
  readonly unreported: number;
  /** Heartbeats of ours since the peer was heard. */
  readonly silence: number;
  /** True if the medium has reported since then that the peer is gone. */
  readonly isReported: boolean;
  /** Who passes frames on, besides their going directly; `null` while both ends hear each other directly. */
  readonly via: NodeId | null;
  /** Heartbeats of ours since the peer was heard directly, counted up to half the patience. */
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
  hears: hearsDirectly(c),
  bodies,
});

export const emptyFrame = (c: LinkContext): Frame => frame(c, c.base + c.sent, []);

export const byeOf = (c: LinkContext): Bye => ({ type: 'bye', session: c.session, echo: c.theirNonce });

/**
 * To who has proven nothing: what it says is noted nowhere, and only who hears what is sent to the peer can answer this. An earlier session than
 * the latest is notified of that one, since the clock of a run may have been set back.
 */
export const challengeFrame = (c: LinkContext, { session, nonce }: Frame): Frame =>
  session === c.theirs
    ? emptyFrame(c)
    : // As a connection begins, if the peer answers.
      { ...emptyFrame(c), to: Math.max(session, c.latest), echo: nonce, ack: 0, checksum: CHECKSUM_BASIS, seq: 0 };

/** True if the sender hears what is sent to the peer, since it knows the nonce of this run, and is of no earlier session. */
export const isProven = ({ nonce, latest }: LinkContext, { echo, session }: Frame | Bye): boolean =>
  echo === nonce && session >= latest;

/** True if it is of the sender's session with this one: what was said before is not, nor what somebody else says. */
export const answersSession = (c: LinkContext, said: Frame): boolean => isProven(c, said) && said.to === c.session;

/** True if the peer remembers a later session than this one: that of another run, whose clock was ahead, or of another node of this id. */
export const remembersLater = (c: LinkContext, said: Frame): boolean =>
  isProven(c, said) && said.to !== null && said.to > c.session;

/** A text counts its characters and what separates it from the next; anything else, a number of the checker's for instance, counts one. */
export const sizeOf = (body: FrameBody): number => (typeof body === 'string' ? body.length + 4 : 1);

const sizeOfAll = (bodies: readonly FrameBody[]): number => bodies.reduce<number>((sum, body) => sum + sizeOf(body), 0);

/** Of nothing. */
export const CHECKSUM_BASIS = HASH_BASIS;

/** The checksum of all messages of one direction of a connection: that of those before, and what follows them. */
export const checksumOf = (before: number, bodies: readonly FrameBody[]): number =>
  bodies.reduce<number>((sum, body) => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    // The length says where a message ends.
    return hash(text, sum ^ text.length);
  }, before);

/** True if a frame that came late tells nothing new: its sender has acknowledged more since. */
const isOutdated = ({ base }: LinkContext, { ack }: Pick<Frame, 'ack'>): boolean => ack < base;

/**
 * Who has delivered what was never sent to it has heard somebody else in our name, and takes for copies what we send under the same
 * numbers. The count alone does not show it, when as much has been sent meanwhile; the checksum does. It is not a secret: it keeps nobody from
 * lying, but the peer's own next frame gives the lie away.
 */
export function isDeceived(c: LinkContext, received: Pick<Frame, 'ack' | 'checksum'>): boolean {
  const { ack, checksum } = received;
  if (isOutdated(c, received)) return false;
  return ack > c.base + c.sent || checksum !== checksumOf(c.acknowledged, c.outbox.slice(0, ack - c.base));
}

/** What waits and fits into the window; the first always does. */
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

/** All that is not acknowledged, with what has room behind it. */
export const againFrame = (c: LinkContext): Frame => frame(c, c.base, c.outbox.slice(0, c.sent + unsent(c).length));

/**
 * A heartbeat bears the number of the next message. Where that is not the one that is expected, something is missing, or late; to say
 * so at every frame of a burst whose first is lost would have the burst sent again for each, and to answer a rejection with another one
 * would never end.
 */
export const isAhead = (c: LinkContext, { seq, bodies, rejects }: Frame): boolean =>
  bodies.length === 0 && !rejects && seq > c.expected;

export const ackFrame = (c: LinkContext, received: Frame): Frame => frame(c, c.base + c.sent, [], isAhead(c, received));

/** A long one-way stream must not wait for a heartbeat to be acknowledged. */
export const owesAck = (c: LinkContext): boolean => 2 * (c.expected - c.told) >= c.window || 2 * c.unreported >= c.windowSize;

/** After so much silence the peer counts as gone. */
export const suspects = (c: LinkContext): boolean => c.silence >= c.patience && c.suspicions !== 0;

/** The bodies of a frame that are next to be delivered. */
export const fresh = (c: LinkContext, { seq, bodies }: Frame): readonly FrameBody[] =>
  seq <= c.expected ? bodies.slice(c.expected - seq) : [];

/**
 * The context after a frame of this connection: what it acknowledges is done, what it brings is delivered. One that is outdated is not a sign
 * of life: from a peer that acknowledges less than it did come no others, if somebody has acknowledged in its name what it never got.
 */
export function taken(c: LinkContext, received: Heard<Frame>): Partial<LinkContext> {
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
    silence: outdated ? c.silence : 0,
    isReported: outdated && c.isReported,
    ...wayAfter(c, received),
  };
}
