/**
 * The queue of callers for one lock at one peer. It requests the lock from its node for one writer at a time, or for the next callers in
 * line that all read. Readers share one grant; a new reader joins them while no request waits for them to end.
 *
 * A request that other peers know of cannot be canceled; only one that waits for an epoch can. If the last caller gives up, the grant still
 * comes and is given back at once. A new caller takes over that request, unless it wants the lock in another mode or grants are confirmed:
 * then a new request follows.
 */
import type { SchedulerLike } from 'rxjs';
import type { LockMode } from '../../machines/locks/messages.js';
import { LostError } from '../transports/errors.js';
import { onAbort } from '../transports/promises.js';
import { Lock } from './lock-handle.js';

interface Caller {
  readonly mode: LockMode;
  readonly ifAvailable: boolean;
  readonly since: number;
  /** The position among all callers so far. */
  readonly number: number;
  resolve(lock: Lock | null): void;
  reject(reason: unknown): void;
}

/**
 * A command of the queue to the node: request the lock as a writer or as a reader, release it, cancel the request, or check whether the
 * request is queued behind another one.
 */
export type LockQueueCommand = 'request' | 'share' | 'release' | 'cancel' | 'probe';

/** The lock as it is held here: by one writer, or by all readers. */
interface Hold {
  readonly mode: LockMode;
  readonly fence: number;
  /** The holders, each with the time of its grant. */
  readonly inside: Map<Lock, number>;
}

/** A new caller (`asked`), or the end of a wait or of a hold, and how long it took. */
export interface LockQueueNotification {
  readonly type: 'asked' | 'granted' | 'unavailable' | 'abandoned' | 'released' | 'lost';
  readonly ms: number;
}

/** The functions of its peer that a queue calls, such as sending a command to the node. */
export interface LockQueueHost {
  ask(what: LockQueueCommand): void;
  notify(notification: LockQueueNotification): void;
  /** The time in milliseconds. */
  now(): number;
  /** True if a grant is valid only for callers that came before the request. */
  readonly isConfirmed: boolean;
  /** True if further readers may join: no other request waits for the readers here to end. */
  isOpen(): boolean;
}

/** The number of consecutive grants at a peer after which the event loop runs once. */
const GRANTS_IN_A_TURN = 256;

/**
 * Lets the event loop run between grants. A program that awaits one request after the other runs only microtasks, which delays timers and
 * sockets for as long as this peer has the lock. Other peers would then suspect it and continue without it.
 */
export class LoopTurns {
  private count = 0;

  constructor(private readonly clock: () => SchedulerLike) {}

  async after(lock: Lock | null): Promise<Lock | null> {
    if (++this.count % GRANTS_IN_A_TURN === 0) await new Promise<void>((resolve) => this.clock().schedule(() => resolve()));
    return lock;
  }
}

export class LockQueue {
  private readonly callers: Caller[] = [];
  private held: Hold | undefined;
  /** Called when the lock is no longer held here, after the queue was closed. */
  private emptied: (() => void) | undefined;
  /** True if a request of this queue is pending or granted. */
  private isOut = false;
  /** The number of all callers so far, and their number at the last request. */
  private count = 0;
  private countAsked = 0;
  private modeAsked: LockMode = 'exclusive';

  constructor(
    private readonly name: string,
    private readonly host: LockQueueHost,
  ) {}

  /** The fence with which the lock is held here, if it is. */
  get fence(): number | undefined {
    return this.held?.fence;
  }

  /** The modes of all holders of the lock here. */
  get inside(): readonly LockMode[] {
    return this.held ? Array.from(this.held.inside, ([{ mode }]) => mode) : [];
  }

  /** The modes of the waiting callers. */
  get pending(): readonly LockMode[] {
    return this.callers.map(({ mode }) => mode);
  }

  /** The time of the first grant that still lasts, and of the first caller that waits. */
  get heldSince(): number | undefined {
    return this.held?.inside.values().next().value;
  }
  get waitingSince(): number | undefined {
    return this.callers[0]?.since;
  }

  get isIdle(): boolean {
    return !this.isOut && this.callers.length === 0;
  }

  /** True if there is a holder or a waiting caller, which is notified of the end. */
  get hasCallers(): boolean {
    return this.callers.length > 0 || this.held !== undefined;
  }

  /** Waits for the lock. Resolves with `null` for `ifAvailable` if the lock is not available. */
  take(mode: LockMode, ifAvailable: boolean, signal: AbortSignal | undefined): Promise<Lock | null> {
    const number = ++this.count;
    const isFirst = this.callers.length === 0;
    // A request that was given up is still in the queue, so the lock was not free.
    if (ifAvailable && this.isOut && !(isFirst && this.mayComeIn({ mode, number }))) {
      this.host.notify({ type: 'unavailable', ms: 0 });
      return Promise.resolve(null);
    }
    return new Promise((resolve, reject) => {
      const abandon = () => {
        this.callers.splice(this.callers.indexOf(caller), 1);
        caller.reject(signal!.reason);
        this.letIn();
        this.cancelIfUnwanted();
      };
      const settled = (type: LockQueueNotification['type']) => {
        forget?.();
        this.reportSince(type, caller.since);
      };
      const caller: Caller = {
        mode,
        ifAvailable,
        since: this.host.now(),
        number,
        resolve: (lock) => (settled(lock ? 'granted' : 'unavailable'), resolve(lock)),
        reject: (reason) => (settled('abandoned'), reject(reason)),
      };
      const forget = signal && onAbort(signal, abandon);
      this.callers.push(caller);
      this.host.notify({ type: 'asked', ms: 0 });
      this.letIn();
      this.askIfWanted();
    });
  }

  granted(fence: number): void {
    const caller = this.callers[0];
    // A grant that was confirmed before a caller came is not confirmed for that caller.
    const isLate = this.host.isConfirmed && caller !== undefined && caller.number > this.countAsked;
    if (caller?.mode !== this.modeAsked || isLate) {
      this.giveBack();
      return;
    }
    const hold = { mode: caller.mode, fence, inside: new Map<Lock, number>() };
    this.held = hold;
    this.admit(hold);
    this.letIn();
  }

  /** Lets readers at the front of the line join the readers that hold the lock. */
  letIn(): void {
    while (this.held && this.callers[0] && this.mayComeIn(this.callers[0])) this.admit(this.held);
  }

  /** Cancels a pending request without callers. */
  cancelIfUnwanted(): void {
    if (this.isOut && !this.hasCallers) this.host.ask('cancel');
  }

  /** The request was canceled before any other peer knew of it. If a caller has come since, request the lock again. */
  canceled(): void {
    this.isOut = false;
    this.askIfWanted();
  }

  /** Another request holds the lock or is ahead, or no request can be granted here: resolves `ifAvailable` callers with `null`. */
  resolveUnavailable(): void {
    while (this.callers[0]?.ifAvailable) this.callers.shift()!.resolve(null);
  }

  /** Other peers may have continued without this peer. */
  lost(): void {
    const what = `lock "${this.name}" is lost: other peers may have continued without this peer. Request it again`;
    this.notifyHolders(new LostError(what));
    this.leave('lost');
    this.askIfWanted();
  }

  /** The voter has no room for the lock: rejects all callers. */
  refused(error: Error): void {
    this.isOut = false;
    for (const caller of this.callers.splice(0)) caller.reject(error);
  }

  /**
   * Rejects all callers and notifies the holders. Resolves when the lock is no longer held. With `isKept`, a holder keeps the lock until it
   * releases it.
   */
  close(error: Error, isKept: boolean): Promise<void> {
    for (const caller of this.callers.splice(0)) caller.reject(error);
    const what = isKept
      ? `lock "${this.name}" must be released: ${error.message}. The lock passes to the next waiter when its callback ends or it is released`
      : `lock "${this.name}" is lost: ${error.message}`;
    this.notifyHolders(new LostError(what, { cause: error }));
    if (!isKept) this.leave('lost');
    return new Promise((resolve) => {
      if (this.held) this.emptied = resolve;
      else resolve();
    });
  }

  /** True if the caller may join the readers here. A caller that came before the request may always join. */
  private mayComeIn({ mode, number }: Pick<Caller, 'mode' | 'number'>): boolean {
    const isSharing = mode === 'shared' && this.held?.mode === 'shared';
    return isSharing && (number <= this.countAsked || (!this.host.isConfirmed && this.host.isOpen()));
  }

  /** Grants the lock to the first caller in line. */
  private admit({ fence, mode, inside }: Hold): void {
    const lock = new Lock(this.name, fence, mode, () => this.goOut(lock));
    inside.set(lock, this.host.now());
    this.callers.shift()!.resolve(lock);
  }

  /** Removes a holder. After the last one, the lock is given back. */
  private goOut(lock: Lock): void {
    const { held } = this;
    const since = held?.inside.get(lock);
    if (since === undefined) return;
    held!.inside.delete(lock);
    this.reportSince('released', since);
    if (held!.inside.size === 0) this.giveBack();
  }

  private notifyHolders(error: LostError): void {
    for (const lock of this.held?.inside.keys() ?? []) lock.lose(error);
  }

  private giveBack(): void {
    this.leave('released');
    this.host.ask('release');
    this.askIfWanted();
  }

  private leave(how: 'released' | 'lost'): void {
    const { held } = this;
    this.held = undefined;
    this.isOut = false;
    for (const since of held?.inside.values() ?? []) this.reportSince(how, since);
    this.emptied?.();
  }

  private reportSince(type: LockQueueNotification['type'], since: number): void {
    this.host.notify({ type, ms: this.host.now() - since });
  }

  private askIfWanted(): void {
    if (this.isOut || this.callers.length === 0) return;
    this.isOut = true;
    this.countAsked = this.count;
    this.modeAsked = this.callers[0]!.mode;
    this.host.ask(this.modeAsked === 'shared' ? 'share' : 'request');
    // It may have been granted at once.
    if (this.callers[0]?.ifAvailable) this.host.ask('probe');
  }
}
