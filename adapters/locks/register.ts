/**
 * A value that outlives the peers who keep it: every member has a copy, and what more than half of them have stored is not lost.
 *
 * It is changed under a lock, by one peer at a time: the copies of a majority are read, of which the one with the largest fence is the
 * latest; the new value is written to a majority. A peer that has promised its copy to a later holder refuses an earlier one, so that a
 * holder whose lock was taken away changes nothing any more. (Attiya, Bar-Noy, Dolev: Sharing Memory Robustly; the fence is the
 * timestamp.) A change that was cut short may count or not, and is never made twice: who has lost the lock on the way reads first whether
 * the latest copy is its own.
 *
 * When the members change, each of them that has made the register moves it to their list, under the lock, and a change does so on its way
 * (register-copies.ts): first to majorities of both lists, then with the new one alone. After that nobody of the old list is needed.
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
import { hash } from '../../machines/hash.js';
import { firstFence } from '../../machines/locks/epoch.js';
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import { firstMembership, NO_MEMBERSHIP, type Membership } from '../../machines/locks/membership.js';
import { EPOCHS } from '../../machines/locks/messages.js';
import { drawBelow } from '../environment.js';
import { shownValue } from '../../network/scenario/read.js';
import { anything, checkOptions, must, someLocks, someText } from '../options.js';
import { Channels } from '../node/channels.js';
import { loadStored, save, type Keeping } from '../storage/storage.js';
import { ClosedError, ConfigurationError, ForgottenError, LostError } from '../transports/errors.js';
import { later } from '../transports/later.js';
import { escape, quote } from '../transports/reading.js';
import type { Locks } from './locks.js';
import {
  registerCopyOf,
  hasKeepers,
  keepersAfter,
  knownBy,
  keeperLists,
  NOBODY,
  tellForgotten,
  writing,
  type CopyAnswer,
  type Copy,
  type Keepers,
  type KnownCopies,
  type CopyQuestion,
} from './register-copies.js';
import { numbered, CopyQuestions, WAITING_MS } from './register-questions.js';
import type { Json } from '../transports/transport.js';

/** What a change has begun to write: under which fence for the first time, and under which ones the value that it would have now. */
interface Tried {
  readonly since: number;
  readonly fences: readonly number[];
}

const REGISTER_CHECKS = {
  locks: someLocks,
  name: someText,
  initial: anything,
  isValue: must('a function that tells whether a value is one of this register', (value) => typeof value === 'function'),
};

/** What others hear of a value, and no part of it is anybody else's; `undefined` for what they cannot hear. */
function heardOf(value: unknown): Json | undefined {
  try {
    return JSON.parse(JSON.stringify(value)) as Json;
  } catch {
    return undefined;
  }
}

/** Who votes, as far as it is decided and known here. */
const decidedBy = ({ node }: Locks): Membership =>
  (node.role(EPOCHS)?.context as EpochsContext | undefined)?.membership ?? NO_MEMBERSHIP;

/**
 * A value that outlives the peers who keep it: every member has a copy, and what more than half of them have stored is not lost. It
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
  private copy: Copy | null = null;
  /** The largest fence that has been here; infinite until this peer knows what it had stored, or else is a member of an epoch. */
  private promised = Infinity;
  private readonly channels: Channels;
  private readonly conversation: string;
  private readonly questions: CopyQuestions;
  private readonly initial: T;
  /** Its digest: everybody has the same one, and who has not is named. */
  private readonly beginning: number;
  private readonly begun: Promise<void>;
  /** Questions are answered one after the other. */
  private last: Promise<unknown> = Promise.resolve();
  /** The version of the list with which it is kept alone, by a majority of it, as far as this peer has seen. */
  private settled = 1;
  private isMoving = false;
  /** Who waits until it has moved, or cannot. */
  private readonly waiting = new Set<(cannot?: true) => void>();
  /** Those of whom it was said on the console that they begin with another value. */
  private readonly differing = new Set<NodeId>();

  /**
   * @param locks whose members keep the value; each of them makes the register as it starts, on locks of the same name.
   * @param name of the register; its lock is called after it and after the locks.
   * @param initial what it holds before the first change, the same for everybody.
   * @param isValue refuses what comes from others, or from a change made here, and is no such value.
   * @throws UsageError for arguments that are missing or wrong, an `initial` that `isValue` refuses, and locks of a client or of tabs.
   */
  constructor(
    private readonly locks: Locks,
    private readonly name: string,
    initial: T,
    private readonly isValue: (value: unknown) => value is T,
  ) {
    checkOptions('Register', { locks, name, initial, isValue }, REGISTER_CHECKS);
    this.initial = this.checked(initial, 'its initial value is');
    this.beginning = hash(JSON.stringify(this.initial));
    const { id, environment, notices$, closed } = locks.node;
    if (!locks.isKeeper)
      throw new UsageError(
        `"${name}" is kept by peers that vote and stay, and "${id}" is a ${locks.peers.length === 0 ? 'tab' : 'client'}; keep it on those, and ask them`,
      );
    this.conversation = `${locks.node.name}/${name}`;
    this.channels = Channels.of(locks.transport);
    const asked = drawBelow(environment.crypto, 2 ** 32);
    this.questions = new CopyQuestions(locks, this.channels, name, this.conversation, asked);
    this.channels.open(this.conversation, {
      message: (from, message) => this.hear(from, message),
    });
    locks.registers.add(this);
    void closed.then(() => {
      this.channels.close(this.conversation);
      locks.registers.delete(this);
      for (const end of this.waiting) end(true);
    });
    this.begun = this.begin();
    this.begun.catch(() => {});
    // Once the step that tells of it is over.
    const moveOn = () => void this.begun.then(() => this.move()).catch(() => {});
    moveOn();
    notices$.subscribe(({ type }) => {
      if (type === 'members' || type === 'serving') moveOn();
    });
  }

  private get keeping(): Keeping {
    const { id, environment } = this.locks.node;
    return { peer: id, key: this.conversation, clock: environment.clock };
  }

  /** Those who vote keep it. */
  private get decided(): Keepers {
    const { version, voters } = decidedBy(this.locks);
    return { version, peers: voters };
  }

  /** With whom a copy is kept that does not say so: the release before counted the list that it was given. */
  private get first(): Keepers {
    const { peers } = this.locks;
    return peers.length === 0 ? NOBODY : { version: 1, peers };
  }

  /** What it had stored is what it knows; a storage in which nothing ever was is that of a peer that has never changed the value. */
  private async begin(): Promise<void> {
    const { storage, served, node } = this.locks;
    const stored = storage && (await loadStored(storage, this.keeping));
    if (stored && Object.keys(stored).length === 0) {
      await node.ready;
      this.copy = { fence: 0, value: this.initial, keepers: this.isOfFirst() ? this.first : NOBODY };
      this.promised = 0;
      return;
    }
    const { promised, copy } = (stored ?? {}) as { promised?: unknown; copy?: unknown };
    const known = registerCopyOf(copy, this.first);
    if (stored && known !== undefined && Number.isSafeInteger(promised)) {
      this.copy = known;
      this.promised = promised as number;
    } else this.promised = firstFence(await served);
  }

  /** Whether the cluster began with the list that this peer was given. */
  private isOfFirst(): boolean {
    return decidedBy(this.locks).origin === firstMembership(this.locks.peers).origin;
  }

  /**
   * Changes the value by a function of what it was; resolves with the new value once a majority has stored it. When the lock is
   * lost on the way, it begins once more, so `how` may be called several times; a change counts once at most. `how` is given a copy, and
   * gives the new value at once.
   *
   * @throws UsageError when `how` gives a promise, or what `isValue` refuses: then nothing has changed; LostError when the lock was lost
   * while the new value was being written, and others have changed it since: whether the
   * change counts is not known; ConfigurationError when the register is made elsewhere with another `isValue`, so that too many refuse the
   * new value, or hold one that is refused here; ForgottenError when too many peers have started anew to know the value; ClosedError when the locks
   * are closed; the signal's reason.
   */
  async change(how: (value: T) => T, { signal }: { readonly signal?: AbortSignal } = {}): Promise<T> {
    let tried = null as Tried | null;
    for (;;) {
      const lock = await this.locks.acquire(this.conversation, signal ? { signal } : {});
      const { fence } = lock;
      try {
        const over = signal ? AbortSignal.any([signal, lock.signal]) : lock.signal;
        const { latest } = await this.read(fence, over);
        const own: readonly number[] = tried?.fences.includes(latest.fence) ? tried.fences : [];
        if (tried && own.length === 0 && latest.fence >= tried.since) break;
        const value =
          own.length > 0 ? (latest.value as T) : this.checked(how(heardOf(latest.value) as T), 'a change of it gives');
        tried = { since: tried?.since ?? fence, fences: [...own, fence] };
        await this.write(fence, value, latest.keepers, over);
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

  /**
   * Resolves once it is kept with the members of now, or cannot be moved to them, which was said on the console.
   *
   * @internal
   */
  moved(): Promise<void> {
    const { version } = this.decided;
    const { id, environment } = this.locks.node;
    const timer = new Subscription();
    return new Promise<void>((resolve) => {
      const look = (cannot?: true) => {
        const { keepers } = this.copy ?? {};
        // Who is a member no more sees by its copy what the others have done.
        const isSettled = this.decided.peers.includes(id)
          ? this.settled >= version
          : keepers !== undefined && !keepers.from && keepers.version >= version;
        if (!isSettled && !cannot) return;
        this.waiting.delete(look);
        timer.unsubscribe();
        resolve();
      };
      this.waiting.add(look);
      later(timer, environment.clock, () => look(true), WAITING_MS);
      look();
    });
  }

  /** Whoever is a member moves it to a later list; who finds that done does nothing. */
  private async move(): Promise<void> {
    if (this.isMoving) return;
    this.isMoving = true;
    try {
      while (this.decided.version > this.settled && this.decided.peers.includes(this.locks.node.id)) await this.moveNow();
    } catch (error) {
      const { node } = this.locks;
      const { message } = error as Error;
      if (!(error instanceof ClosedError))
        console.warn(
          escape(`"${this.name}" of "${node.name}" at peer "${node.id}" cannot move to the members of now: ${message}`),
        );
      for (const end of this.waiting) end(true);
    } finally {
      this.isMoving = false;
    }
  }

  private async moveNow(): Promise<void> {
    const lock = await this.locks.acquire(this.conversation);
    try {
      const { latest, isSettled } = await this.read(lock.fence, lock.signal);
      if (isSettled && latest.keepers.version >= this.decided.version) this.note(latest.keepers);
      else await this.write(lock.fence, latest.value, latest.keepers, lock.signal);
    } catch (error) {
      if (!(error instanceof LostError)) throw error;
    } finally {
      lock.release();
    }
  }

  /** As others hear it. */
  private checked(value: unknown, whatIs: string): T {
    if (value instanceof Promise) {
      value.catch(() => {});
      throw new UsageError(
        `"${this.name}": ${whatIs} a promise; wait for what it takes before, and give the value itself; nothing has changed`,
      );
    }
    const heard = heardOf(value);
    if (heard === undefined || !this.isValue(heard))
      throw new UsageError(
        `"${this.name}": ${whatIs} ${shownValue(value)}, which isValue refuses, as JSON carries it; nothing has changed`,
      );
    return heard;
  }

  /** The latest copy, and whether a majority keeps it with its one list. */
  private async read(fence: number, over: AbortSignal): Promise<{ latest: Copy; isSettled: boolean }> {
    const { name, initial, questions, decided } = this;
    const question: CopyQuestion = { type: 'read', fence, initial: this.beginning };
    const known = await questions.ask<KnownCopies>({
      question,
      own: () => this.ownAnswer(question),
      over,
      outcome: (answers) => {
        const known = knownBy(answers, decided, this.isValue);
        if (known.is !== 'waiting') return known;
        const isOver = [...known.asked].every((peer) => answers.has(peer) || !questions.isHere(peer));
        return known.unread.length > 0 && isOver ? this.unreadable(known.unread) : null;
      },
      awaited: (answers) => knownBy(answers, decided, this.isValue).asked,
    });
    if (known.is === 'forgotten')
      throw new ForgottenError(`"${name}" is known to ${tellForgotten(known, decided)}; the others have started anew`);
    const { latest } = known;
    if (!latest || known.is === 'unwritten') return { latest: { fence: 0, value: initial, keepers: decided }, isSettled: false };
    return { latest: latest.fence === 0 ? { ...latest, value: initial } : latest, isSettled: known.is === 'settled' };
  }

  /** To those who keep it, and to the members of now on the way. */
  private async write(fence: number, value: Json, kept: Keepers, over: AbortSignal): Promise<void> {
    const { questions } = this;
    for (const keepers of keepersAfter(kept, this.decided)) {
      const question = writing({ fence, value, keepers });
      await questions.ask<true>({
        question,
        own: () => this.ownAnswer(question),
        over,
        outcome: (answers) => {
          const who = (type: CopyAnswer['type']) =>
            [...answers].filter(([, answer]) => answer.type === type).map(([peer]) => peer);
          const stored = who('stored');
          if (hasKeepers(new Set(stored), keepers)) return true;
          const refusing = who('refused');
          const open = keeperLists(keepers).flatMap((list) =>
            list.filter((peer) => !answers.has(peer) && questions.isHere(peer)),
          );
          const isOver = refusing.length > 0 && !hasKeepers(new Set([...stored, ...open]), keepers);
          return isOver ? this.refused(refusing) : null;
        },
        awaited: () => keeperLists(keepers).flat(),
      });
      this.note(keepers);
    }
  }

  private unreadable(peers: readonly NodeId[]): ConfigurationError {
    return new ConfigurationError(
      `"${this.name}" has at ${peers.join(', ')} a value that isValue refuses at "${this.locks.node.id}"; give all the same isValue: let first all peers read what is new, and then one write it`,
    );
  }

  private refused(peers: readonly NodeId[]): ConfigurationError {
    return new ConfigurationError(
      `the new value of "${this.name}" is refused by isValue at ${peers.join(', ')}; give all the same isValue: let first all peers read what is new, and then one write it; whether the change counts is not known until it was made again, or another one`,
    );
  }

  private note({ version, from }: Keepers): void {
    if (from) return;
    this.settled = Math.max(this.settled, version);
    for (const look of this.waiting) look();
  }

  private ownAnswer(question: CopyQuestion): Promise<CopyAnswer> {
    return this.begun.then(() => this.answer(question));
  }

  private hear(from: NodeId, message: Message): void {
    if (!isObject(message) || !Number.isSafeInteger(message['number'])) return;
    const number = message['number'] as number;
    this.compare(from, message['initial']);
    const question = this.questionIn(message);
    if (question) {
      if (this.promised === Infinity) return;
      // What could not be saved is not said, and nothing is after the end.
      void this.answer(question)
        .then((answer) => this.channels.send(this.conversation, from, numbered(answer, number)))
        .catch(() => {});
      return;
    }
    const answer = this.answerIn(message);
    if (answer) this.questions.heard(number, from, answer);
  }

  /** Everybody is to begin with the same value; who does not is named once. */
  private compare(from: NodeId, initial: unknown): void {
    if (typeof initial !== 'number' || initial === this.beginning || this.differing.has(from)) return;
    this.differing.add(from);
    const { id, name } = this.locks.node;
    console.warn(
      escape(
        `"${this.name}" of "${name}" begins at peer "${quote(from)}" with another value than at "${id}", where it is ${shownValue(this.initial)}; give all the same, of a lasting quota the same budget: one of them has counted`,
      ),
    );
  }

  private answer(question: CopyQuestion): Promise<CopyAnswer> {
    const answered = this.last.then(() => this.answerNow(question));
    this.last = answered.catch(() => {});
    return answered;
  }

  private async answerNow(question: CopyQuestion): Promise<CopyAnswer> {
    const { fence } = question;
    if (fence < this.promised) return { type: 'late' };
    let { copy } = this;
    if (question.type !== 'read') {
      const { value, keepers } = question;
      if (!this.isValue(value)) return { type: 'refused' };
      // What was said before is heard after it, where it is said again.
      if (copy?.fence === fence && !copy.keepers.from && keepers.from) return { type: 'late' };
      copy = { fence, value, keepers };
    }
    const { storage } = this.locks;
    if (storage) await save(storage, this.keeping, { promised: fence, copy: copy && { ...copy } });
    this.promised = fence;
    this.copy = copy;
    if (question.type === 'read') return { type: 'copy', copy, initial: this.beginning };
    for (const look of this.waiting) look();
    return { type: 'stored' };
  }

  private questionIn(message: Readonly<Record<string, unknown>>): CopyQuestion | undefined {
    const { type, fence, keepers } = message;
    if (type === 'read') return Number.isSafeInteger(fence) ? { type, fence: fence as number } : undefined;
    if (type !== 'write' && type !== 'move') return undefined;
    // The release before knows no later list, and its copy would say nothing of this one.
    if (keepers === undefined && (this.decided.version > 1 || this.copy?.keepers.from)) return undefined;
    const copy = registerCopyOf(message, this.first);
    return copy ? { type, ...copy } : undefined;
  }

  private answerIn({ type, copy: given }: Readonly<Record<string, unknown>>): CopyAnswer | undefined {
    if (type === 'stored' || type === 'late' || type === 'refused') return { type };
    const copy = type === 'copy' ? registerCopyOf(given, this.first) : undefined;
    return copy === undefined ? undefined : { type: 'copy', copy };
  }
}
