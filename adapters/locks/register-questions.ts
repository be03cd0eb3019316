/**
 * Questions of a register to all peers, including this one. They are repeated until the answers are enough, and peers that do not answer
 * are reported on the console.
 */
import { Subscription } from 'rxjs';
import type { Message, NodeId } from '../../machines/effects.js';
import type { Channels } from '../node/channels.js';
import { absenceOf } from '../transports/absence.js';
import { BackpressureError, LostError } from '../transports/errors.js';
import { later } from '../transports/later.js';
import { escape } from '../transports/reading.js';
import type { Locks } from './locks.js';
import type { CopyAnswer, Answers, CopyQuestion } from './register-copies.js';

/** The first delay, in milliseconds, before the question is repeated for peers that have not created the register yet or were cut off. */
export const AGAIN_MS = 100;
/** The longest delay. It doubles each time up to this value: over a slow link the first question may still be in flight. */
const AGAIN_MS_MAX = 16 * AGAIN_MS;

/** Longer than a start, a failure and its detection take. */
export const WAITING_MS = 10_000;

/** A peer has promised its copy to a holder with a larger fence. */
export class LateError extends LostError {
  constructor(
    readonly peer: NodeId,
    register: string,
  ) {
    super(`another peer has changed "${register}" since`);
  }
}

/** A question, with functions that evaluate the answers. `outcome` returns the result, an error, or `null` to wait for more answers. */
export interface Asking<R> {
  readonly question: CopyQuestion;
  /** The answer of this peer itself. */
  readonly own: () => Promise<CopyAnswer>;
  /** Stops waiting when it aborts. */
  readonly over: AbortSignal;
  readonly outcome: (answers: Answers) => R | Error | null;
  readonly awaited: (answers: Answers) => Iterable<NodeId>;
}

export class CopyQuestions {
  private readonly open = new Map<number, (peer: NodeId, answer: CopyAnswer) => void>();

  constructor(
    private readonly locks: Locks,
    private readonly channels: Channels,
    /** The name of the register, and its conversation. */
    private readonly name: string,
    private readonly conversation: string,
    /** The number of the last question. It starts at a random number, so that answers to an earlier run of this peer are ignored. */
    private asked: number,
  ) {}

  receive(number: number, from: NodeId, answer: CopyAnswer): void {
    this.open.get(number)?.(from, answer);
  }

  /** True if a peer can still answer the present question. */
  readonly isHere = (peer: NodeId): boolean => peer === this.locks.node.id || this.locks.transport.peers.has(peer);

  ask<R>({ question, own, over, outcome, awaited }: Asking<R>): Promise<R> {
    const { node, transport } = this.locks;
    const { id, environment } = node;
    const number = ++this.asked;
    const answers = new Map<NodeId, CopyAnswer>();
    return new Promise<R>((resolve, reject) => {
      const timers = new Subscription();
      const giveUp = () => settle(() => reject(over.reason as Error));
      const settle = (how: () => void) => {
        timers.unsubscribe();
        this.open.delete(number);
        over.removeEventListener('abort', giveUp);
        how();
      };
      const fail = (error: Error) => settle(() => reject(error));
      const look = () => {
        const end = outcome(answers);
        if (end instanceof Error) fail(end);
        else if (end !== null) settle(() => resolve(end));
      };
      const askOf = (peer: NodeId) => {
        if (!answers.has(peer) && !timers.closed) this.post(peer, numbered(question, number), fail);
      };
      const askAll = (againMs: number) => {
        for (const peer of transport.peers) askOf(peer);
        later(
          timers,
          environment.clock,
          () => {
            // A peer whose answer is needed may have gone.
            look();
            if (!timers.closed) askAll(Math.min(2 * againMs, AGAIN_MS_MAX));
          },
          againMs,
        );
      };
      timers.add(transport.events.subscribe((event) => event.type === 'up' && askOf(event.peer)));
      this.open.set(number, (peer, answer) => {
        answers.set(peer, answer);
        if (answer.type === 'late') fail(new LateError(peer, this.name));
        else look();
      });
      if (over.aborted) return giveUp();
      over.addEventListener('abort', giveUp, { once: true });
      later(timers, environment.clock, () => this.warn([...awaited(answers)].filter((peer) => !answers.has(peer))), WAITING_MS);
      askAll(AGAIN_MS);
      if (timers.closed) return;
      own().then((answer) => this.receive(number, id, answer), fail);
    });
  }

  /** Sends a question. It is repeated later if the peer's queue is full. */
  private post(peer: NodeId, question: Message, fail: (error: Error) => void): void {
    try {
      this.channels.send(this.conversation, peer, question);
    } catch (error) {
      if (!(error instanceof BackpressureError)) fail(error as Error);
    }
  }

  /** Reports the missing peers and the remedy. */
  private warn(awaited: readonly NodeId[]): void {
    const { node, transport } = this.locks;
    const missing = [...new Set(awaited)];
    const reasonOf = (peer: NodeId): string => {
      if (this.isHere(peer))
        return `"${peer}" is connected and does not answer. Create "${this.name}" there too: each member must create it at its start`;
      const absence = absenceOf(transport, peer);
      return `"${peer}" is not connected${absence === null ? '' : ` (${absence})`}`;
    };
    console.warn(
      escape(
        `"${this.name}" of "${node.name}" at peer "${node.id}" has waited for ${WAITING_MS / 1000} s for the members that store it: ${missing.map(reasonOf).join('; ')}`,
      ),
    );
    node.notify({ type: 'register.waits', register: this.name, ms: WAITING_MS, missing });
  }
}

/** Adds the number of the question, which its answer repeats. */
export const numbered = <M extends Message>(message: M, number: number): M & { readonly number: number } => ({
  ...message,
  number,
});
