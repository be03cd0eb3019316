/**
 * Messages to the other peers of a cluster, and the turns of its actors.
 *
 * Messages for one peer that are sent at about the same time are one message of the transport, a parcel, because most of the costs of a
 * message do not depend on its size. They leave when everything that has arrived before is handled. Just before that, actors begin the
 * next turn with all events that have arrived. So under load there is one parcel to each peer for each version of an actor.
 */
import { asyncScheduler, type SchedulerLike } from 'rxjs';
import { fieldsOf, isObject } from '../../machines/checks.js';
import type { AnyMessage, Message, NodeId } from '../../machines/effects.js';

const PARCEL = 'parcel';

/**
 * In Node, sockets are read before the next immediate. Elsewhere, and on another clock, messages wait for a few microtasks. An
 * acknowledgment resolves the promise of a caller in that time, whose next event then leaves with the replies of this process.
 */
const MICROTASKS = 8;
const platform: { readonly setImmediate?: (run: () => void) => unknown } = globalThis;

function afterMicrotasks(run: () => void, count = MICROTASKS): void {
  void Promise.resolve().then(() => (count > 1 ? afterMicrotasks(run, count - 1) : run()));
}

export class Mail {
  private waiting = new Map<NodeId, AnyMessage[]>();
  private turns: (() => void)[] = [];
  private isDue = false;

  constructor(
    private readonly clock: SchedulerLike,
    private readonly transmit: (to: NodeId, message: AnyMessage) => void,
  ) {}

  post(to: NodeId, message: AnyMessage): void {
    const waiting = this.waiting.get(to);
    if (waiting) waiting.push(message);
    else this.waiting.set(to, [message]);
    this.leaveSoon();
  }

  /** Calls a function before the messages leave. */
  whenHandled(run: () => void): void {
    this.turns.push(run);
    this.leaveSoon();
  }

  private leaveSoon(): void {
    if (this.isDue) return;
    this.isDue = true;
    if (platform.setImmediate && this.clock === asyncScheduler) platform.setImmediate(() => this.leave());
    else afterMicrotasks(() => this.leave());
  }

  /** Begins the turns that are due, and sends all messages. */
  leave(): void {
    const { turns } = this;
    this.turns = [];
    for (const run of turns) run();
    this.isDue = false;
    const { waiting } = this;
    this.waiting = new Map();
    for (const [to, messages] of waiting) this.transmit(to, messages.length === 1 ? messages[0]! : { type: PARCEL, messages });
    if (this.turns.length > 0) this.leaveSoon();
  }
}

/** The messages of a parcel; `null` for any other message. */
export function parcelOf(message: Message): readonly Message[] | null {
  const { type, messages } = fieldsOf(message);
  return type === PARCEL && Array.isArray(messages) && messages.every(isMessage) ? messages : null;
}

const isMessage = (value: unknown): value is Message =>
  isObject(value) && typeof value['type'] === 'string' && value['type'] !== PARCEL;
