/**
 * A value that outlives the peers that keep it: every member has a copy, and a value that a majority has stored is not lost.
 *
 * One peer at a time changes the value, under a lock. It reads the copies of a majority, of which the one with the largest fence is the
 * latest, and writes the new value to a majority. A peer that has promised its copy to a later holder rejects earlier ones, so a holder
 * that has lost its lock can no longer change the value. (Attiya, Bar-Noy, Dolev: Sharing Memory Robustly; the fence is the timestamp.) A
 * change that was interrupted may count or not, and is never made twice: a peer that has lost the lock first checks whether the latest copy
 * is its own.
 *
 * When the members change, each member that has created the register moves it to their list, under the lock, and so does each change of the
 * value (register-copies.ts). The value is first written to majorities of both lists, and then with the new list only. After that, no
 * member of the old list is needed.
 *
 * A peer with storage (`createLocks({ storage })`) keeps its copy and its promise, and saves both before it answers. A value that a
 * majority has stored then survives a stop of all peers. Without storage, a peer that restarts has forgotten its copy. It does not count as
 * a witness until a reader of a majority writes to it, and it rejects holders of epochs before its own. If all peers have forgotten, the
 * value starts again from `initial`. If too many peers have forgotten, but not all, the value is unknown, and every change is rejected with
 * a `ForgottenError`. The first start therefore needs all peers, later starts a majority.
 */
import { UsageError } from '../../machines/errors.js';
import { fieldsOf, isObject, isSafeInteger } from '../../machines/checks.js';
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
import { knowledgeAt } from './members.js';
import {
  decidedBy,
  registerCopyOf,
  hasKeepers,
  keepersAfter,
  knownBy,
  keeperLists,
  NO_KEEPERS,
  forgottenText,
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

/** A change in progress: the fence of its first write, and all fences under which its new value was written. */
interface Tried {
  readonly since: number;
  readonly fences: readonly number[];
}

const REGISTER_CHECKS = {
  locks: someLocks,
  name: someText,
  initial: must('the value before the first change, the same at all peers, such as 0 for a counter', () => true),
  isValue: must('a function that checks a value of this register', (value) => typeof value === 'function'),
};

const CHANGE_CHECKS = {
  how: must('a function of the value, as in register.change((count) => count + 1)', (value) => typeof value === 'function'),
};
const SIGNAL_CHECKS = { signal: optional(aborting) };

/** A copy of a value as other peers receive it; `undefined` for a value that JSON cannot represent. */
function toJson(value: unknown): Json | undefined {
  try {
    return JSON.parse(JSON.stringify(value));
  } catch {
    return undefined;
  }
}

/**
 * Options for `createRegister`.
 *
 * @public
 */
export interface RegisterOptions<T extends Json> {
  /** The locks whose members keep the value. Each member creates the register at its start, on locks with the same name. */
  readonly locks: Locks;
  /** The name of the register, the same at all members. */
  readonly name: string;
  /** The value before the first change, the same at all members. */
  readonly initial: T;
  /** Checks values. Values of other members, and results of a change, are rejected if they do not pass. */
  readonly isValue: (value: unknown) => value is T;
}

/**
 * Creates a value that outlives the peers that keep it: every member has a copy, and a value that a majority has stored is not lost. One
 * peer at a time changes it, under the register's own lock.
 *
 * @param options the locks, a name that is unique among the registers, the initial value, and a check of values.
 * @returns the register of this peer.
 * @throws UsageError for options that are missing or wrong, an `initial` that `isValue` rejects or that is too long for a message, and
 * locks of a client or of tabs.
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
 * A value that a majority of peers keeps, created by `createRegister`.
 *
 * @public
 */
export class Register<T extends Json> {
  private copy: Copy | null = null;
  /**
   * The largest fence that this peer has answered. Infinite until the stored state is loaded or, without it, the peer is a member of an
   * epoch.
   */
  private promised = Infinity;
  /** Values that were written with this fence or a larger one have not been forgotten; `null` if nothing was forgotten. */
  private since: number | null = null;
  private readonly channels: Channels;
  private readonly conversation: string;
  private readonly questions: CopyQuestions;
  private readonly initial: T;
  /** The digest of the initial value, which is the same at all peers. A peer with another one is reported. */
  private readonly beginning: number;
  private readonly begun: Promise<void>;
  /** Questions are answered one after the other. */
  private last: Promise<unknown> = Promise.resolve();
  private readonly lock: RegisterLock;
  private readonly moves: RegisterMoves;
  private readonly room: RegisterRoom;
  /** Peers with another initial value that were reported on the console. */
  private readonly differing = new Set<NodeId>();

  /**
   * Checks its arguments and opens the register at this peer.
   *
   * @param locks The locks whose members keep the value. Each member creates the register at its start, on locks with the same name.
   * @param name The name of the register. The name of its lock consists of the names of the locks and of the register.
   * @param initial The value before the first change, the same at all peers.
   * @param isValue Rejects values of other peers, and results of a change here, that are not valid.
   * @throws UsageError for arguments that are missing or wrong, an `initial` that `isValue` rejects or that is too long for a message, and
   * locks of a client or of tabs.
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
    this.channels.open(this.conversation, { message: (from, message) => this.receive(from, message) });
    void closed.then(() => this.channels.close(this.conversation));
    this.begun = this.begin();
    this.begun.catch(() => {});
    this.moves = new RegisterMoves(locks, name, {
      begun: this.begun,
      keepers: () => this.copy?.keepers,
      move: () => this.move(),
    });
  }

  /** Resolves when its locks have closed: with the error that closed them, or with `null`. */
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

  /** The list of peers that this peer was given. */
  private get first(): Keepers {
    const { peers } = this.locks;
    return peers.length === 0 ? NO_KEEPERS : { version: 1, peers };
  }

  /** Loads the stored state. Empty storage belongs to a peer that has never changed the value. */
  private async begin(): Promise<void> {
    const { storage, served, node } = this.locks;
    const stored = storage && (await loadStored(storage, this.keeping));
    if (stored && Object.keys(stored).length === 0) {
      await node.ready;
      this.copy = { fence: 0, value: this.initial, keepers: this.isOfFirst() ? this.first : NO_KEEPERS };
      this.promised = 0;
      return;
    }
    const { promised, copy } = fieldsOf(stored);
    const known = registerCopyOf(copy);
    if (stored && known !== undefined && Number.isSafeInteger(promised)) {
      this.copy = known;
      this.promised = promised as number;
    } else {
      const epoch = await served;
      this.promised = firstFence(epoch, knowledgeAt(this.locks.node)!.bounds.grants);
      this.since = this.promised;
    }
  }

  /** True if the cluster began with the list that this peer was given. */
  private isOfFirst(): boolean {
    return knowledgeAt(this.locks.node)?.membership.origin === firstMembership(this.locks.peers).origin;
  }

  /**
   * Changes the value with a function. Resolves with the new value after a majority has stored it. If the lock is lost meanwhile, the
   * change begins again, so `how` can be called several times; a change counts at most once.
   *
   * @param how Receives a copy of the value, and returns the new value synchronously.
   * @throws UsageError if `how` is not a function or an option is unknown, and if `how` returns a promise, a value that `isValue` rejects,
   * or one that is too long for a message (docs/locks.md). The value is unchanged then.
   * @throws LostError if the lock was lost while the new value was being written and other peers have changed it since. It is unknown
   * whether the change counts.
   * @throws ConfigurationError if too many peers reject the new value because they use another `isValue`, or hold a value that is rejected
   * here or too long to send.
   * @throws ForgottenError if too many peers have restarted without their copy.
   * @throws ClosedError if the locks are closed, and the signal's reason if that aborts.
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

  /** A valid value, as other peers receive it. */
  private checked(value: unknown, whatIs: string): T {
    if (value instanceof Promise) {
      value.catch(() => {});
      throw new UsageError(`"${this.name}": ${whatIs} a promise. Await it first, and pass the value. Nothing has changed`);
    }
    const received = toJson(value);
    if (received === undefined || !this.isValue(received)) {
      const why = received === undefined ? 'JSON cannot represent' : 'isValue rejects after its conversion to JSON';
      throw new UsageError(
        `"${this.name}": ${whatIs} ${shownValue(value)}, which ${why}. Nothing has changed. Pass another value`,
      );
    }
    const refused = this.room.refused(received);
    if (refused !== null)
      throw new UsageError(
        `"${this.name}": ${whatIs} one that is too long to send: a message with it ${refused}. Nothing has changed`,
      );
    return received;
  }

  /** The latest copy, and whether a majority keeps it with its single list. */
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
      throw new ForgottenError(
        `the value of register "${name}" is known to ${forgottenText(known, decided)}; the others have lost it in a restart without storage. Start the members that have it, or use storage at all members`,
      );
    const { latest } = known;
    if (!latest || known.is === 'unwritten') return { latest: { fence: 0, value: initial, keepers: decided }, isSettled: false };
    return { latest: latest.fence === 0 ? { ...latest, value: initial } : latest, isSettled: known.is === 'settled' };
  }

  /** Writes to the members that keep the value and, during a move, to the present members. */
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

  /** A peer with larger messages may have written a value that does not fit here. */
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
        ? `the value of "${this.name}" at ${long.join(', ')} is too long for a message: ${this.room.bytes} bytes are the limit at "${this.locks.node.id}". Use transports with larger messages at all peers, or a register with another name`
        : `the value of "${this.name}" at ${peers.join(', ')} is rejected by isValue at "${this.locks.node.id}". Use the same isValue at all peers: first let all peers read new values, and then write one`,
    );
  }

  private refused(peers: readonly NodeId[], answers: Answers): ConfigurationError {
    const long = peers.filter((peer) => 'long' in answers.get(peer)!);
    const why =
      long.length > 0
        ? `is too long at ${long.join(', ')} for a message. Use transports with messages of the same size at all peers`
        : `is rejected by isValue at ${peers.join(', ')}. Use the same isValue at all peers: first let all peers read new values, and then write one`;
    return new ConfigurationError(
      `the new value of "${this.name}" ${why}. Whether the change counts is unknown until you repeat it or make another one`,
    );
  }

  private ownAnswer(question: CopyQuestion): Promise<CopyAnswer> {
    return this.begun.then(() => this.answer(question));
  }

  private receive(from: NodeId, message: Message): void {
    if (!isObject(message) || !isSafeInteger(message['number'])) return;
    const number = message['number'];
    this.compare(from, message['initial']);
    const question = this.questionIn(message);
    if (question) {
      if (this.promised === Infinity) return;
      // An answer that could not be saved is not sent, and none is sent after the end.
      void this.answer(question)
        .then((answer) => this.reply(from, answer, number))
        .catch(() => {});
      return;
    }
    const answer = this.answerIn(message);
    if (answer) this.questions.receive(number, from, answer);
  }

  /** Sends an answer. Reports a copy that is too long for a message as `long`. */
  private reply(peer: NodeId, answer: CopyAnswer, number: number): void {
    const isLong = answer.type === 'copy' && answer.copy !== null && this.room.refusedCopy(answer.copy) !== null;
    this.channels.send(this.conversation, peer, numbered(isLong ? { type: 'long' } : answer, number));
  }

  /** Reports each peer with another initial value once. */
  private compare(from: NodeId, initial: unknown): void {
    if (typeof initial !== 'number' || initial === this.beginning || this.differing.has(from)) return;
    this.differing.add(from);
    const { id, name } = this.locks.node;
    console.warn(
      escape(
        `"${this.name}" of "${name}" starts at peer "${quote(from)}" with a different initial value than at "${id}", where it is ${shownValue(this.initial)}. Use the same at all peers, for a lasting quota the same budget: only one of the two was used`,
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
      // A repeated question may arrive after the one that followed it.
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
    if (type === 'read') return isSafeInteger(fence) ? { type, fence } : undefined;
    if (type !== 'write') return undefined;
    const copy = registerCopyOf(message);
    return copy ? { type, ...copy } : undefined;
  }

  private answerIn({ type, long, copy: given, since }: Readonly<Record<string, unknown>>): CopyAnswer | undefined {
    if (type === 'stored' || type === 'late' || type === 'long') return { type };
    if (type === 'refused') return { type, ...(long === true && { long }) };
    const copy = type === 'copy' ? registerCopyOf(given) : undefined;
    return copy === undefined ? undefined : { type: 'copy', copy, ...(isSafeInteger(since) && { since }) };
  }
}
