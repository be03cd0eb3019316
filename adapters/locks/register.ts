/**
 * A value that outlives the peers who keep it: every peer has a copy, and what more than half of them have stored is not lost.
 *
 * It is changed under a lock, by one peer at a time: the copies of a majority are read, of which the one with the largest fence is the
 * latest; the new value is written to a majority. A peer that has promised its copy to a later holder refuses an earlier one, so that a
 * holder whose lock was taken away changes nothing any more. (Attiya, Bar-Noy, Dolev: Sharing Memory Robustly; the fence is the
 * timestamp.) A change that was cut short may count or not, and is never made twice: who has lost the lock on the way reads first whether
 * the latest copy is its own.
 *
 * With storage (`createLocks({ storage })`) a peer keeps its copy and its promise, and saves both before it answers: what a majority has
 * stored then survives the end of all peers at once. Without it a peer that starts again has forgotten its copy. It is no witness until
 * somebody who has read a majority writes to it, and listens to no holder of an epoch before its own. If all peers have forgotten, the value begins anew; if too many have but not all, nobody knows
 * it for sure, and every change is refused with a `ForgottenError`. So the first start needs all peers, later ones a majority.
 */
import { UsageError } from '../../machines/errors.js';
import { Subscription } from 'rxjs';
import { isObject } from '../../machines/checks.js';
import type { Message, NodeId } from '../../machines/effects.js';
import { firstFence } from '../../machines/locks/epoch.js';
import { drawBelow } from '../environment.js';
import { anything, checkOptions, must, someLocks, someText } from '../options.js';
import { Channels } from '../node/channels.js';
import { loadStored, save, type Keeping } from '../storage/storage.js';
import { ForgottenError, LostError } from '../transports/errors.js';
import { later } from '../transports/later.js';
import type { Locks } from './locks.js';
import type { Json } from '../transports/transport.js';

interface Copy<T> {
  readonly fence: number;
  readonly value: T;
}

/** `late`: somebody with a larger fence has been here. */
type Answer<T> =
  | { readonly type: 'copy'; readonly copy: Copy<T> | null }
  | { readonly type: 'stored' }
  | { readonly type: 'late' };

type Question<T> =
  | { readonly type: 'read'; readonly fence: number }
  | { readonly type: 'write'; readonly fence: number; readonly value: T };

/** What a change has begun to write: under which fence for the first time, and under which ones the value that it would have now. */
interface Tried {
  readonly since: number;
  readonly fences: readonly number[];
}

/** Peers that have not opened the register yet, or were cut off, are asked again. */
const AGAIN_MS = 100;

const REGISTER_CHECKS = {
  locks: someLocks,
  name: someText,
  initial: anything,
  isValue: must('a function that tells whether a value is one of this register', (value) => typeof value === 'function'),
};

/**
 * A value that outlives the peers who keep it: every peer has a copy, and what more than half of them have stored is not lost. It
 * is changed under a lock of its own, by one peer at a time.
 *
 * @example
 * ```ts
 * import { InProcessBus } from 'xstate-quiver/adapters/in-process';
 * import { createLocks } from 'xstate-quiver/adapters/locks';
 * import { Register } from 'xstate-quiver/adapters/register';
 *
 * const locks = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a'] });
 * const visits = new Register<number>(locks, 'visits', 0, (value): value is number => Number.isSafeInteger(value));
 * console.log(await visits.change((count) => count + 1)); // 1
 * await locks.close();
 * ```
 * @public
 */
export class Register<T extends Json> {
  private copy: Copy<T> | null = null;
  /** The largest fence that has been here; infinite until this peer knows what it had stored, or else is a member of an epoch. */
  private promised = Infinity;
  private readonly channels: Channels;
  private readonly conversation: string;
  private readonly open = new Map<number, (peer: NodeId, answer: Answer<T>) => void>();
  /** Answers to an earlier life of this peer are none to this one. */
  private asked: number;
  private readonly begun: Promise<void>;
  /** Questions are answered one after the other. */
  private last: Promise<unknown> = Promise.resolve();

  /**
   * @param locks whose peers keep the value; everybody makes the register, on locks of the same name.
   * @param name of the register; its lock is called after it and after the locks.
   * @param initial what it holds before the first change.
   * @param isValue refuses what comes from others and is no such value.
   * @throws UsageError for arguments that are missing or wrong.
   */
  constructor(
    private readonly locks: Locks,
    private readonly name: string,
    private readonly initial: T,
    private readonly isValue: (value: unknown) => value is T,
  ) {
    checkOptions('Register', { locks, name, initial, isValue }, REGISTER_CHECKS);
    const { id } = locks.node;
    if (!locks.peers.includes(id))
      throw new UsageError(
        `"${name}" is kept by the peers with whom createLocks began, and "${id}" is ${locks.peers.length === 0 ? 'one that joined later' : 'a client'}; keep it on those, and ask them`,
      );
    this.asked = drawBelow(locks.node.environment.crypto, 2 ** 32);
    this.conversation = `${locks.node.name}/${name}`;
    this.channels = Channels.of(locks.transport);
    this.channels.open(this.conversation, {
      message: (from, message) => this.hear(from, message),
    });
    void locks.node.closed.then(() => this.channels.close(this.conversation));
    this.begun = this.begin();
    this.begun.catch(() => {});
  }

  private get keeping(): Keeping {
    const { id, environment } = this.locks.node;
    return { peer: id, key: this.conversation, clock: environment.clock };
  }

  /** What it had stored is what it knows; a storage in which nothing ever was is that of a peer that has never changed the value. */
  private async begin(): Promise<void> {
    const { storage, served } = this.locks;
    const stored = storage && (await loadStored(storage, this.keeping));
    if (stored && Object.keys(stored).length === 0) {
      this.copy = { fence: 0, value: this.initial };
      this.promised = 0;
    } else if (stored && this.isStored(stored)) {
      this.copy = stored.copy;
      this.promised = stored.promised;
    } else this.promised = firstFence(await served);
  }

  /**
   * Changes the value by a function of what it was; resolves with the new value once a majority has stored it. When the lock is
   * lost on the way, it begins once more, so `how` may be called several times; a change counts once at most.
   *
   * @throws LostError when the lock was lost while the new value was being written, and others have changed it since: whether the
   * change counts is not known; ForgottenError when too many peers have started anew to know the value; ClosedError when the locks
   * are closed; the signal's reason.
   */
  async change(how: (value: T) => T, { signal }: { readonly signal?: AbortSignal } = {}): Promise<T> {
    let tried = null as Tried | null;
    for (;;) {
      const lock = await this.locks.acquire(this.conversation, signal ? { signal } : {});
      const { fence } = lock;
      try {
        const over = signal ? AbortSignal.any([signal, lock.signal]) : lock.signal;
        const latest = await this.read(fence, over);
        const own: readonly number[] = tried?.fences.includes(latest.fence) ? tried.fences : [];
        if (tried && own.length === 0 && latest.fence >= tried.since) break;
        const value = own.length > 0 ? latest.value : how(latest.value);
        tried = { since: tried?.since ?? fence, fences: [...own, fence] };
        await this.ask({ type: 'write', fence, value }, over, (answers) => this.isMajority(answers.size));
        return value;
      } catch (error) {
        // The lock was taken away: once more, from the beginning.
        if (!(error instanceof LostError) || signal?.aborted) throw error;
      } finally {
        lock.release();
      }
    }
    throw new LostError(
      `the lock was lost while "${this.name}" was being changed, and others have changed it since: whether the change counts is not known; read the value and decide`,
    );
  }

  private async read(fence: number, over: AbortSignal): Promise<Copy<T>> {
    const { peers } = this.locks;
    const copies = (answers: ReadonlyMap<NodeId, Answer<T>>): Copy<T>[] =>
      [...answers.values()].flatMap((answer) => (answer.type === 'copy' && answer.copy ? [answer.copy] : []));
    const answers = await this.ask(
      { type: 'read', fence },
      over,
      (heard) => this.isMajority(copies(heard).length) || heard.size === peers.length,
    );
    const known = copies(answers);
    if (known.length === 0) return { fence: 0, value: this.initial };
    if (!this.isMajority(known.length))
      throw new ForgottenError(
        `"${this.name}" is known to ${known.length} of ${peers.length} peers; the others have started anew`,
      );
    return known.reduce((latest, copy) => (copy.fence > latest.fence ? copy : latest));
  }

  /** Asks everybody, oneself included, until it is enough. */
  private ask(
    question: Question<T>,
    over: AbortSignal,
    isEnough: (answers: ReadonlyMap<NodeId, Answer<T>>) => boolean,
  ): Promise<ReadonlyMap<NodeId, Answer<T>>> {
    const { id } = this.locks.node;
    const number = ++this.asked;
    const answers = new Map<NodeId, Answer<T>>();
    return new Promise<ReadonlyMap<NodeId, Answer<T>>>((resolve, reject) => {
      const giveUp = () => settle(() => reject(over.reason as Error));
      const again = new Subscription();
      const settle = (how: () => void) => {
        again.unsubscribe();
        this.open.delete(number);
        over.removeEventListener('abort', giveUp);
        how();
      };
      const askAll = () => {
        for (const peer of this.locks.transport.peers)
          if (!answers.has(peer)) this.channels.send(this.conversation, peer, numbered(question, number));
        later(again, this.locks.node.environment.clock, askAll, AGAIN_MS);
      };
      this.open.set(number, (peer, answer) => {
        answers.set(peer, answer);
        if (answer.type === 'late') settle(() => reject(new LostError(`somebody else has changed "${this.name}" since`)));
        else if (isEnough(answers)) settle(() => resolve(answers));
      });
      if (over.aborted) return giveUp();
      over.addEventListener('abort', giveUp, { once: true });
      askAll();
      this.begun
        .then(() => this.answer(question))
        .then(
          (answer) => this.open.get(number)?.(id, answer),
          (error: Error) => settle(() => reject(error)),
        );
    });
  }

  private hear(from: NodeId, message: Message): void {
    const { locks, channels, conversation } = this;
    if (!locks.peers.includes(from) || !isObject(message) || !Number.isSafeInteger(message['number'])) return;
    const number = message['number'] as number;
    if (this.isQuestion(message)) {
      if (this.promised === Infinity) return;
      // What could not be saved is not said, and nothing is after the end.
      void this.answer(message)
        .then((answer) => channels.send(conversation, from, numbered(answer, number)))
        .catch(() => {});
    } else if (this.isAnswer(message)) this.open.get(number)?.(from, message);
  }

  private answer(question: Question<T>): Promise<Answer<T>> {
    const answered = this.last.then(() => this.answerNow(question));
    this.last = answered.catch(() => {});
    return answered;
  }

  private async answerNow({ fence, ...question }: Question<T>): Promise<Answer<T>> {
    if (fence < this.promised) return { type: 'late' };
    const copy = question.type === 'read' ? this.copy : { fence, value: question.value };
    const { storage } = this.locks;
    if (storage) await save(storage, this.keeping, { promised: fence, copy: copy && { ...copy } });
    this.promised = fence;
    this.copy = copy;
    return question.type === 'read' ? { type: 'copy', copy } : { type: 'stored' };
  }

  private isStored(stored: object): stored is { readonly promised: number; readonly copy: Copy<T> | null } {
    const { promised, copy } = stored as { promised?: unknown; copy?: unknown };
    return Number.isSafeInteger(promised) && this.isCopy(copy);
  }

  private isQuestion(message: object): message is Question<T> {
    const { type, fence, value } = message as { type?: unknown; fence?: unknown; value?: unknown };
    return Number.isSafeInteger(fence) && (type === 'read' || (type === 'write' && this.isValue(value)));
  }

  private isAnswer(message: object): message is Answer<T> {
    const { type, copy } = message as { type?: unknown; copy?: unknown };
    return type === 'copy' ? this.isCopy(copy) : type === 'stored' || type === 'late';
  }

  private isCopy(copy: unknown): copy is Copy<T> | null {
    return copy === null || (isObject(copy) && Number.isSafeInteger(copy['fence']) && this.isValue(copy['value']));
  }

  private isMajority(count: number): boolean {
    return 2 * count > this.locks.peers.length;
  }
}

const numbered = <M extends Message>(message: M, number: number): M & { readonly number: number } => ({ ...message, number });
