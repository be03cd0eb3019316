/** Checks that each message that one end of a link sends in a step has a reason, and that the messages are in order. */
import type { Course } from './course.js';
import { fresh, isAhead, isAckDue, sizeOf, type Bye, type Frame, type LinkContext } from './frames.js';
import type { LinkChartEvent } from './machine.js';

export type Utterance = Frame | Bye;

/**
 * The reason for a message: those of a `Course`; the first one of a connection; or a received frame that requires all messages again, a
 * rejection or an acknowledgment.
 */
type Why = Course['description'][number] | 'first' | 'again' | 'missing' | 'acknowledged';

/**
 * The progress of a connection: the number up to which messages were sent, the acknowledged number of received ones, and the size of those
 * not acknowledged.
 */
export interface Spoken {
  readonly upTo: number;
  readonly reported: number;
  readonly unreported: number;
}

export const NOTHING_SENT: Spoken = { upTo: 0, reported: 0, unreported: 0 };

/** The progress according to the end, for steps whose messages could not be seen. */
export const spokenBy = ({ base, sent, reported, unreported }: LinkContext): Spoken => ({
  upTo: base + sent,
  reported,
  unreported,
});

export class Speech {
  private next = 0;
  private isRight = true;

  /** Takes the end after the step, and the progress before it. */
  constructor(
    private readonly messages: readonly Utterance[],
    private readonly context: LinkContext,
    private readonly event: LinkChartEvent,
    public spoken: Spoken,
  ) {}

  /** True if each reason has its message, no message is without a reason, and all messages that count as sent were sent. */
  get isOver(): boolean {
    const { base, sent } = this.context;
    return this.isRight && this.next === this.messages.length && this.spoken.upTo === base + sent;
  }

  /** Handles a frame of the connection: it may begin the connection, make room for more messages, or require a reply. */
  receive({ frame, isFirst }: NonNullable<Course['received']>, expected: number): void {
    const { context } = this;
    if (isFirst) this.require('first');
    const size = fresh({ ...context, expected }, frame).reduce<number>((sum, body) => sum + sizeOf(body), 0);
    this.spoken = { ...this.spoken, unreported: this.spoken.unreported + size };
    if (frame.rejects) {
      if (context.outbox.length > 0) this.require('again');
      return;
    }
    this.require('news');
    const isDue = isAckDue({ ...context, ...this.spoken });
    if (isDue || isAhead(context, frame)) this.require(isAhead(context, frame) ? 'missing' : 'acknowledged');
    if (isDue) this.spoken = { ...this.spoken, reported: context.expected, unreported: 0 };
  }

  require(why: Why): void {
    const { spoken } = this;
    // No message is sent if none waits or the next one does not fit.
    if (why === 'news' && this.context.base + this.context.sent === spoken.upTo) return;
    const message = this.messages[this.next++];
    if (!message || !this.fits(message, why)) this.isRight = false;
    if (message?.type !== 'frame' || why === 'challenge') return;
    const upTo = Math.max(spoken.upTo, message.seq + message.bodies.length);
    const reports = why === 'standing' || upTo > spoken.upTo;
    this.spoken = reports ? { upTo, reported: message.ack, unreported: 0 } : spoken;
  }

  private fits(message: Utterance, why: Why): boolean {
    const { session, nonce, theirs, theirNonce, expected, base, sent } = this.context;
    if (message.session !== session) return false;
    if (message.type === 'bye') return why === 'farewell' && message.echo === theirNonce;
    const { seq, bodies, rejects } = message;
    if (message.nonce !== nonce || rejects !== (why === 'missing')) return false;
    if (why === 'challenge') return bodies.length === 0 && this.isAnswer(message);
    if (
      message.to !== (why === 'probe' ? null : theirs) ||
      message.echo !== theirNonce ||
      message.ack !== (why === 'first' ? 0 : expected)
    )
      return false;
    switch (why) {
      case 'first':
        return seq === 0;
      case 'news':
        return seq === this.spoken.upTo && bodies.length > 0;
      case 'again':
        return seq === base && bodies.length === sent;
      default:
        return why !== 'farewell' && seq === base + sent && bodies.length === 0;
    }
  }

  /** True if the challenge contains numbers that only a receiver of the peer's frames can know. */
  private isAnswer({ to, echo }: Frame): boolean {
    if (this.event.type !== 'frame') return false;
    const { theirs, theirNonce, latest } = this.context;
    const { session, nonce } = this.event;
    return session === theirs ? to === theirs && echo === theirNonce : to === Math.max(session, latest) && echo === nonce;
  }
}
