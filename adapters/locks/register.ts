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
 * stored then survives the end of all peers at once. Without it a peer that starts again has forgotten its copy. It is not a witness until
 * somebody who has read a majority writes to it, and listens to no holder of an epoch before its own. If all peers have forgotten, the value begins again; if too many have but not all, nobody knows
 * it for sure, and every change is refused with a `ForgottenError`. So the first start needs all peers, later ones a majority.
 */
import { UsageError } from '../../machines/errors.js';
import { isObject } from '../../machines/checks.js';
import type { Message, NodeId } from '../../machines/effects.js';
import { hash } from '../../machines/hash.js';
import { firstFence } from '../../machines/locks/epoch.js';
import { firstMembership } from '../../machines/locks/membership.js';
import { drawBelow } from '../environment.js';
import { shownValue } from '../../network/scenario/read.js';
import { checkOptions, must, optional, signal as aborting, someLocks, someText } from '../options.js';
import { Channels } from '../node/channels.js';
import { loadStored, save, type Keeping } from '../storage/storage.js';
import { ConfigurationError, ForgottenError, LostError } from '../transports/errors.js';
import { escape, quote } from '../transports/reading.js';
import type { Locks } from './locks.js';
import {
  decidedBy,
  registerCopyOf,
  hasKeepers,
  keepersAfter,
  knownBy,
  keeperLists,
  knowledgeOf,
  NOBODY,
  tellForgotten,
  writing,
  type Answers,
  type CopyAnswer,
  type Copy,
  type Keepers,
  type KnownCopies,
  type CopyQuestion,
} from './register-copies.js';
import { RegisterLock } from './register-lock.js';
import { RegisterMoves } from './register-moves.js';
import { numbered, CopyQuestions } from './register-questions.js';
import { RegisterRoom } from './register-room.js';
import type { Json } from '../transports/transport.js';

/** What a change has begun to write: under which fence for the first time, and under which ones the value that it would have now. */
interface Tried {
  readonly since: number;
  readonly fences: readonly number[];
}

const REGISTER_CHECKS = {
  locks: someLocks,
  name: someText,
  initial: must('what it holds before the first change, the same for everybody, as 0 of a counter', () => true),
  isValue: must('a function that tells whether a value is one of this register', (value) => typeof value === 'function'),
};

const CHANGE_CHECKS = {
  how: must('a function of the value, as in register.change((count) => count + 1)', (value) => typeof value === 'function'),
};
const SIGNAL_CHECKS = { signal: optional(aborting) };

/** What others hear of a value, and no part of it is anybody else's; `undefined` for what they cannot hear. */
function toJson(value: unknown): Json | undefined {
  try {
    return JSON.parse(JSON.stringify(value)) as Json;
  } catch {
    return undefined;
  }
}

/**
 * What `createRegister` is given.
 *
 * @public
 */
export interface RegisterOptions<T extends Json> {
  /** Their members keep the value; each member creates the register as it starts, on locks of the same name. */
  readonly locks: Locks;
  /** The name of the register, the same at all members. */
  readonly name: string;
  /** The value before the first change, the same at all members. */
  readonly initial: T;
  /** Rejects what other members send, or what a change returns, if it is not a value of this register. */
  readonly isValue: (value: unknown) => value is T;
}

/**
 * A value that outlives the peers who keep it: every member has a copy, and what more than half of them have stored is not lost. It
 * is changed under a lock of its own, by one peer at a time.
 *
 * @throws UsageError for options that are missing or wrong, an `initial` that `isValue` rejects or that is too long for a message, and locks of a
 * client or of tabs.
 * @example
 * ```ts
 * import { createLocks } from 'xstate-quiver/locks';
 * import { createRegister } from 'xstate-quiver/register';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const locks = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a'] });
 * const isValue = (value: unknown): value is number => Number.isSafeInteger(value);
 * const visits = createRegister({ locks, name: 'visits', initial: 0, isValue });
 * console.log(await visits.change((count) => count + 1)); // 1
 * await locks.close();
 * ```
 * @public
 */
export function createRegister<T extends Json>(options: RegisterOptions<T>): Register<T> {
  checkOptions('createRegister', options, REGISTER_CHECKS);
  return new Register(options.locks, options.name, options.initial, options.isValue);
}

/**
 * A value that a majority of peers keeps; `createRegister` makes it.
 *
 * @public
 */
export class Register<T extends Json> {
  private copy: Copy | null = null;
  /** The largest fence that has been here; infinite until this peer knows what it had stored, or else is a member of an epoch. */
  private promised = Infinity;
  /** What was written under this fence or a later one has not been forgotten; `null` where nothing has. */
  private since: number | null = null;
  private readonly channels: Channels;
  private readonly conversation: string;
  private readonly questions: CopyQuestions;
  private readonly initial: T;
  /** Its digest: everybody has the same one, and who has not is named. */
  private readonly beginning: number;
  private readonly begun: Promise<void>;
  /** Questions are answered one after the other. */
  private last: Promise<unknown> = Promise.resolve();
  private readonly lock: RegisterLock;
  private readonly moves: RegisterMoves;
  private readonly room: RegisterRoom;
  /** Those of whom it was said on the console that they begin with another value. */
  private readonly differing = new Set<NodeId>();

  /**
   * @param locks whose members keep the value; each of them makes the register as it starts, on locks of the same name.
   * @param name of the register; its lock is called after it and after the locks.
   * @param initial what it holds before the first change, the same for everybody.
   * @param isValue refuses what comes from others, or from a change made here, and is no such value.
   * @throws UsageError for arguments that are missing or wrong, an `initial` that `isValue` refuses or that has no room in a message, and locks of a client or of tabs.
   */
  constructor(
    private readonly locks: Locks,
    private readonly name: string,
    initial: T,
    private readonly isValue: (value: unknown) => value is T,
  ) {
    checkOptions('createRegister', { locks, name, initial, isValue }, REGISTER_CHECKS);
    const { id, environment, closed } = locks.node;
    if (!locks.isKeeper)
      throw new UsageError(
        `"${name}" is stored by voters, and "${id}" is a ${locks.peers.length === 0 ? 'tab' : 'client'}. Create it at the voters and request its value from them`,
      );
    this.conversation = `${locks.node.name}/${name}`;
    this.lock = new RegisterLock(locks, name, this.conversation);
    this.room = new RegisterRoom(locks.transport, this.conversation);
    this.initial = this.checked(initial, 'its initial value is');
    this.beginning = hash(JSON.stringify(this.initial));
    this.channels = Channels.of(locks.transport);
    const asked = drawBelow(environment.crypto, 2 ** 32);
    this.questions = new CopyQuestions(locks, this.channels, name, this.conversation, asked);
    this.channels.open(this.conversation, {
      message: (from, message) => this.hear(from, message),
    });
    void closed.then(() => this.channels.close(this.conversation));
    this.begun = this.begin();
    this.begun.catch(() => {});
    this.moves = new RegisterMoves(locks, name, {
      begun: this.begun,
      keepers: () => this.copy?.keepers,
      move: () => this.move(),
    });
  }

  /** Resolves when its locks have closed, with the error that closed them or with `null`. */
  get closed(): Promise<Error | null> {
    return this.locks.node.closed;
  }

  private get keeping(): Keeping {
    const { id, environment } = this.locks.node;
    return { peer: id, key: this.conversation, clock: environment.clock };
  }

  private get decided(): Keepers {
    return decidedBy(this.locks);
  }

  /** The list that this peer was given. */
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
    const known = registerCopyOf(copy);
    if (stored && known !== undefined && Number.isSafeInteger(promised)) {
      this.copy = known;
      this.promised = promised as number;
    } else {
      const epoch = await served;
      this.promised = firstFence(epoch, knowledgeOf(this.locks)!.bounds.grants);
      this.since = this.promised;
    }
  }

  /** True if the cluster began with the list that this peer was given. */
  private isOfFirst(): boolean {
    return knowledgeOf(this.locks)?.membership.origin === firstMembership(this.locks.peers).origin;
  }

  /**
   * Changes the value by a function of what it was; resolves with the new value once a majority has stored it. When the lock is
   * lost on the way, it begins again, so `how` may be called several times; a change counts once at most. `how` is given a copy, and
   * gives the new value at once.
   *
   * @throws UsageError for a `how` that is not a function and for options that are not known, and when `how` gives a promise, what `isValue` refuses, or what has no room in a message (docs/locks.md): then nothing has changed; LostError when the lock was lost
   * while the new value was being written, and others have changed it since: whether the
   * change counts is not known; ConfigurationError when the register is made elsewhere with another `isValue`, so that too many refuse the
   * new value, or hold one that is refused here, or too long to be told; ForgottenError when too many peers have started again to know the value; ClosedError when the locks
   * are closed; the signal's reason.
   */
  async change(how: (value: T) => T, options: { readonly signal?: AbortSignal } = {}): Promise<T> {
    checkOptions(`change of "${this.name}"`, { how }, CHANGE_CHECKS);
    checkOptions(`change of "${this.name}"`, options, SIGNAL_CHECKS);
    const { signal } = options;
    let tried = null as Tried | null;
    const changed = await this.lock.under(async (fence, over) => {
      const { latest } = await this.read(fence, over);
      const own: readonly number[] = tried?.fences.includes(latest.fence) ? tried.fences : [];
      if (tried && own.length === 0 && latest.fence >= tried.since) return null;
      const value = own.length > 0 ? (latest.value as T) : this.checked(how(toJson(latest.value) as T), 'a change of it gives');
      tried = { since: tried?.since ?? fence, fences: [...own, fence] };
      await this.write(fence, value, latest.keepers, over);
      return { value };
    }, signal);
    if (changed) return changed.value;
    throw new LostError(
      `the lock was lost while "${this.name}" was being changed, and others have changed it since: it is unknown whether the change was stored. Read the value and decide`,
    );
  }

  private move(): Promise<void> {
    return this.lock.under(async (fence, over) => {
      const { latest, isSettled } = await this.read(fence, over);
      if (isSettled && latest.keepers.version >= this.decided.version) this.moves.note(latest.keepers);
      else await this.write(fence, latest.value, latest.keepers, over);
    });
  }

  /** As others hear it. */
  private checked(value: unknown, whatIs: string): T {
    if (value instanceof Promise) {
      value.catch(() => {});
      throw new UsageError(`"${this.name}": ${whatIs} a promise. Await it first, and pass the value. Nothing has changed`);
    }
    const heard = toJson(value);
    if (heard === undefined || !this.isValue(heard)) {
      const why = heard === undefined ? 'JSON does not carry' : 'isValue refuses, as JSON carries it';
      throw new UsageError(`"${this.name}": ${whatIs} ${shownValue(value)}, which ${why}. Nothing has changed`);
    }
    const refused = this.room.refused(heard);
    if (refused !== null)
      throw new UsageError(
        `"${this.name}": ${whatIs} one that peers could not tell each other: a message with it ${refused}. Nothing has changed`,
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
        return known.unread.length > 0 && isOver ? this.unreadable(known.unread, answers) : null;
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
    const copies = keepersAfter(kept, this.decided).map((keepers) => ({ fence, value, keepers }));
    this.requireRoom(copies);
    for (const copy of copies) {
      const { keepers } = copy;
      const question = writing(copy);
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
          return isOver ? this.refused(refusing, answers) : null;
        },
        awaited: () => keeperLists(keepers).flat(),
      });
      this.moves.note(keepers);
    }
  }

  /** A peer with larger messages may have written a value that fits there only. */
  private requireRoom(copies: readonly Copy[]): void {
    for (const copy of copies) {
      const refused = this.room.refusedCopy(copy);
      if (refused === null) continue;
      const who = keeperLists(copy.keepers).flat().join(', ');
      throw new UsageError(
        `"${this.name}" holds a value that is too long to be kept with ${who}: a message with it ${refused}. Change it to a shorter one. Nothing has changed`,
      );
    }
  }

  private unreadable(peers: readonly NodeId[], answers: Answers): ConfigurationError {
    const long = peers.filter((peer) => answers.get(peer)?.type === 'long');
    return new ConfigurationError(
      long.length > 0
        ? `"${this.name}" has at ${long.join(', ')} a value that is too long to be told by a message, where ${this.room.bytes} bytes are the limit at "${this.locks.node.id}": give all a transport that carries longer ones, or keep what it shall hold in a register of another name`
        : `"${this.name}" has at ${peers.join(', ')} a value that isValue refuses at "${this.locks.node.id}". Pass all the same isValue: let first all peers read what is new, and then one write it`,
    );
  }

  private refused(peers: readonly NodeId[], answers: Answers): ConfigurationError {
    const long = peers.filter((peer) => 'long' in answers.get(peer)!);
    const why =
      long.length > 0
        ? `is too long at ${long.join(', ')} for a message that would tell it. Pass all a transport that carries the same`
        : `is refused by isValue at ${peers.join(', ')}. Pass all the same isValue: let first all peers read what is new, and then one write it`;
    return new ConfigurationError(
      `the new value of "${this.name}" ${why}; whether the change counts is not known until it was made again, or another one`,
    );
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
        .then((answer) => this.tell(from, answer, number))
        .catch(() => {});
      return;
    }
    const answer = this.answerIn(message);
    if (answer) this.questions.heard(number, from, answer);
  }

  /** What is too long is said to be. */
  private tell(peer: NodeId, answer: CopyAnswer, number: number): void {
    const isLong = answer.type === 'copy' && answer.copy !== null && this.room.refusedCopy(answer.copy) !== null;
    this.channels.send(this.conversation, peer, numbered(isLong ? { type: 'long' } : answer, number));
  }

  /** Everybody is to begin with the same value; who does not is named once. */
  private compare(from: NodeId, initial: unknown): void {
    if (typeof initial !== 'number' || initial === this.beginning || this.differing.has(from)) return;
    this.differing.add(from);
    const { id, name } = this.locks.node;
    console.warn(
      escape(
        `"${this.name}" of "${name}" starts at peer "${quote(from)}" with a different initial value than at "${id}", where it is ${shownValue(this.initial)}. Pass all the same, of a lasting quota the same budget: one of them has counted`,
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
      if (this.room.refusedCopy(copy) !== null) return { type: 'refused', long: true };
    }
    const { storage } = this.locks;
    if (storage) await save(storage, this.keeping, { promised: fence, copy: copy && { ...copy } });
    this.promised = fence;
    this.copy = copy;
    if (question.type === 'read')
      return { type: 'copy', copy, initial: this.beginning, ...(copy === null && this.since !== null && { since: this.since }) };
    this.moves.look();
    return { type: 'stored' };
  }

  private questionIn(message: Readonly<Record<string, unknown>>): CopyQuestion | undefined {
    const { type, fence } = message;
    if (type === 'read') return Number.isSafeInteger(fence) ? { type, fence: fence as number } : undefined;
    if (type !== 'write') return undefined;
    const copy = registerCopyOf(message);
    return copy ? { type, ...copy } : undefined;
  }

  private answerIn({ type, long, copy: given, since }: Readonly<Record<string, unknown>>): CopyAnswer | undefined {
    if (type === 'stored' || type === 'late' || type === 'long') return { type };
    if (type === 'refused') return { type, ...(long === true && { long }) };
    const copy = type === 'copy' ? registerCopyOf(given) : undefined;
    return copy === undefined
      ? undefined
      : { type: 'copy', copy, ...(Number.isSafeInteger(since) && { since: since as number }) };
  }
}
