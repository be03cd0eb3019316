/** Compares the messages that one end of a link sends in one step with the reasons for them, in order. */
import type { Course } from './course.js';
import { fresh, isAhead, owesAck, sizeOf, type Bye, type Frame, type LinkContext } from './frames.js';
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
  readonly told: number;
  readonly unreported: number;
}

export const NOTHING_SENT: Spoken = { upTo: 0, told: 0, unreported: 0 };

/** The progress according to the end, for steps whose messages could not be seen. */
export const spokenBy = ({ base, sent, told, unreported }: LinkContext): Spoken => ({ upTo: base + sent, told, unreported });

export class Speech {
  private next = 0;
  private isRight = true;

  /** Takes the end after the step, and the progress before it. */
  constructor(
    private readonly messages: readonly Utterance[],
    private readonly context: LinkContext,
    private readonly event: LinkChartEvent,
    public said: Spoken,
  ) {}

  /** True if each reason has its message, no message is without a reason, and all messages that count as sent were sent. */
  get isOver(): boolean {
    const { base, sent } = this.context;
    return this.isRight && this.next === this.messages.length && this.said.upTo === base + sent;
  }

  /** Handles a frame of the connection: it may begin the connection, make room for more messages, or require a reply. */
  receive({ frame, isFirst }: NonNullable<Course['received']>, expected: number): void {
    const { context } = this;
    if (isFirst) this.say('first');
    const size = fresh({ ...context, expected }, frame).reduce<number>((sum, body) => sum + sizeOf(body), 0);
    this.said = { ...this.said, unreported: this.said.unreported + size };
    if (frame.rejects) {
      if (context.outbox.length > 0) this.say('again');
      return;
    }
    this.say('news');
    const owes = owesAck({ ...context, ...this.said });
    if (owes || isAhead(context, frame)) this.say(isAhead(context, frame) ? 'missing' : 'acknowledged');
    if (owes) this.said = { ...this.said, told: context.expected, unreported: 0 };
  }

  say(why: Why): void {
    const { said } = this;
    // No message is sent if none waits or the next one does not fit.
    if (why === 'news' && this.context.base + this.context.sent === said.upTo) return;
    const message = this.messages[this.next++];
    if (!message || !this.fits(message, why)) this.isRight = false;
    if (message?.type !== 'frame' || why === 'challenge') return;
    const upTo = Math.max(said.upTo, message.seq + message.bodies.length);
    const tells = why === 'standing' || upTo > said.upTo;
    this.said = tells ? { upTo, told: message.ack, unreported: 0 } : said;
  }

  private fits(message: Utterance, why: Why): boolean {
    const { session, nonce, theirs, theirNonce, expected, base, sent } = this.context;
    if (message.session !== session) return false;
    if (message.type === 'bye') return why === 'farewell' && message.echo === theirNonce;
    const { seq, bodies, rejects } = message;
    if (message.nonce !== nonce || rejects !== (why === 'missing')) return false;
    if (why === 'challenge') return bodies.length === 0 && this.isAnswer(message);
    if (message.to !== theirs || message.echo !== theirNonce || message.ack !== (why === 'first' ? 0 : expected)) return false;
    switch (why) {
      case 'first':
        return seq === 0;
      case 'news':
        return seq === this.said.upTo && bodies.length > 0;
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
