/** What the two ends of a link say to each other, and the arithmetic of it. */
import type { NodeId } from '../effects.js';

/** Whatever the layer above sends; plain JSON. */
export type Body = unknown;

/** The only frame there is: with no bodies it is a heartbeat and an acknowledgement. */
export interface Frame {
  readonly type: 'frame';
  /** The sender's session, and the session of the receiver that it has heard since its own began. */
  readonly session: number;
  readonly to: number | null;
  /** How many messages of this connection the sender has delivered. */
  readonly ack: number;
  /** The number of the first body in this connection. */
  readonly seq: number;
  readonly bodies: readonly Body[];
}

/** The sender's session ends; nothing follows. */
export interface Bye {
  readonly type: 'bye';
  readonly session: number;
}

export interface LinkInput {
  readonly peer: NodeId;
  /** Larger than that of every earlier run of this end; the milliseconds of the clock will do. */
  readonly session: number;
  /** Ticks between two heartbeats. */
  readonly beat: number;
  /** So many heartbeats of silence, and the peer counts as gone. */
  readonly patience: number;
  /** How often this end may count its peer as gone; `null` is for ever, which only a checker that knows no time cannot live with. */
  readonly suspicions: number | null;
  /** How many messages may be under way without an acknowledgement, and how many more may wait for their turn. */
  readonly window: number;
  readonly room: number;
}

export interface LinkContext extends LinkInput {
  /** The peer's session, once heard in this session of ours. */
  readonly theirs: number | null;
  /** The latest session of the peer ever heard, -1 for none: older frames are late. */
  readonly latest: number;
  /** Not yet acknowledged, in order; the first has number `base`, and the first `sent` have been sent. */
  readonly outbox: readonly Body[];
  readonly base: number;
  readonly sent: number;
  /** Messages below this number had been sent at the last heartbeat. */
  readonly checked: number;
  /** The number of the next message to deliver, and the last that the peer was told. */
  readonly expected: number;
  readonly told: number;
  /** Heartbeats of ours since the peer was heard. */
  readonly silence: number;
}

const frame = (c: LinkContext, seq: number, bodies: readonly Body[]): Frame => ({
  type: 'frame',
  session: c.session,
  to: c.theirs,
  ack: c.expected,
  seq,
  bodies,
});

export const emptyFrame = (c: LinkContext): Frame => frame(c, c.base + c.sent, []);

/** What waits and fits into the window. */
export const unsent = (c: LinkContext): readonly Body[] => c.outbox.slice(c.sent, c.window);

export const unsentFrame = (c: LinkContext): Frame => frame(c, c.base + c.sent, unsent(c));

/** At a heartbeat: what was sent before the last one and is not acknowledged goes again. */
export const beatFrame = (c: LinkContext): Frame =>
  c.base < c.checked ? frame(c, c.base, c.outbox.slice(0, c.sent)) : emptyFrame(c);

/** A long one-way stream must not wait for a heartbeat to be acknowledged. */
export const owesAck = (c: LinkContext): boolean => 2 * (c.expected - c.told) >= c.window;

/** After so much silence the peer counts as gone. */
export const suspects = (c: LinkContext): boolean => c.silence >= c.patience && c.suspicions !== 0;

/** The bodies of a frame that are next to be delivered. */
export const fresh = (c: LinkContext, { seq, bodies }: Frame): readonly Body[] =>
  seq <= c.expected ? bodies.slice(c.expected - seq) : [];

/** The context after a frame of this connection: what it acknowledges is done, what it brings is delivered. */
export function taken(c: LinkContext, received: Frame): Partial<LinkContext> {
  const done = Math.max(0, Math.min(received.ack - c.base, c.sent));
  return {
    outbox: c.outbox.slice(done),
    base: c.base + done,
    sent: c.sent - done,
    expected: c.expected + fresh(c, received).length,
    silence: 0,
  };
}
