/**
 * The desk of one lock at one peer: callers line up, and the node behind it is asked for the lock for one writer after the other, or for
 * those next in line who all want to read. These share one grant, and who comes to read while nobody waits for them to end joins them.
 *
 * A request that others know of cannot be called back, and only one that waits for an epoch can be canceled. When nobody wants the lock
 * any more its grant comes still, and is given back at once; whoever comes before it takes up the old place, unless it wants the lock in
 * another mode, or grants are confirmed: then it asks again.
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
  /** Of all who have come. */
  readonly number: number;
  resolve(lock: Lock | null): void;
  reject(reason: unknown): void;
}

/** What a desk asks of the node: the lock, to write or to read, to take it or the request back, or whether that stands behind another one. */
export type LockQueueCommand = 'request' | 'share' | 'release' | 'cancel' | 'probe';

/** The lock as it is held here: by one writer, or by all who read. */
interface Hold {
  readonly mode: LockMode;
  readonly fence: number;
  /** Each with the time at which it came in. */
  readonly inside: Map<Lock, number>;
}

/** A caller has come; how its wait has ended, or the hold that followed, and how long that took. */
export interface LockQueueNotification {
  readonly type: 'asked' | 'granted' | 'unavailable' | 'abandoned' | 'released' | 'lost';
  readonly ms: number;
}

/** What surrounds a desk. */
export interface LockQueueHost {
  ask(what: LockQueueCommand): void;
  hear(notification: LockQueueNotification): void;
  /** In milliseconds. */
  now(): number;
  /** True if a grant is for those alone who had asked before the node did. */
  readonly isConfirmed: boolean;
  /** True if others may read here besides those who do: nobody waits for them to end. */
  isOpen(): boolean;
}

/** So many grants follow each other at a peer before everything else has its turn. */
const GRANTS_IN_A_TURN = 256;

/**
 * Turns of the event loop for what is not a promise. A program that awaits one request after the other would keep it from timers and sockets,
 * for as long as this peer has the lock: the others would take it for gone, and go on without it.
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
  /** Hears that the lock is not held here any more, once the desk is closed. */
  private emptied: (() => void) | undefined;
  /** True if a request of this desk waits or has been granted. */
  private isOut = false;
  /** How many callers have come, ever, and how many had when the node was asked last. */
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

  /** The modes of all who hold the lock here. */
  get inside(): readonly LockMode[] {
    return this.held ? Array.from(this.held.inside, ([{ mode }]) => mode) : [];
  }

  /** Those of all who wait for it. */
  get pending(): readonly LockMode[] {
    return this.callers.map(({ mode }) => mode);
  }

  get isIdle(): boolean {
    return !this.isOut && this.callers.length === 0;
  }

  /** True if somebody holds the lock here or waits for it, and is notified of the end. */
  get hasCallers(): boolean {
    return this.callers.length > 0 || this.held !== undefined;
  }

  /** `null` is the answer to a caller who wants the lock only if it is available. */
  take(mode: LockMode, ifAvailable: boolean, signal: AbortSignal | undefined): Promise<Lock | null> {
    const number = ++this.count;
    const isFirst = this.callers.length === 0;
    // A request that was given up still is in the queue, so the lock was not free.
    if (ifAvailable && this.isOut && !(isFirst && this.mayComeIn({ mode, number }))) {
      this.host.hear({ type: 'unavailable', ms: 0 });
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
        this.hearSince(type, caller.since);
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
      this.host.hear({ type: 'asked', ms: 0 });
      this.letIn();
      this.askIfWanted();
    });
  }

  granted(fence: number): void {
    const caller = this.callers[0];
    // What was confirmed before somebody asked is not confirmed for it.
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

  /** Who is first in line and wants to read joins those who do, if it may; and so on. */
  letIn(): void {
    while (this.held && this.callers[0] && this.mayComeIn(this.callers[0])) this.admit(this.held);
  }

  /** Of a request that nobody waits for any more. */
  cancelIfUnwanted(): void {
    if (this.isOut && !this.hasCallers) this.host.ask('cancel');
  }

  /** Nobody had been asked, and nobody will be, unless somebody has come meanwhile. */
  canceled(): void {
    this.isOut = false;
    this.askIfWanted();
  }

  /** Somebody else has the lock or is before us, or nobody can have it here. */
  resolveUnavailable(): void {
    while (this.callers[0]?.ifAvailable) this.callers.shift()!.resolve(null);
  }

  /** Others may have gone on without this peer. */
  lost(): void {
    const what = `lock "${this.name}" is lost: other peers may have continued without this peer. Request it again`;
    this.tell(new LostError(what));
    this.leave('lost');
    this.askIfWanted();
  }

  /** There is no room for it where it was asked for. */
  refused(error: Error): void {
    this.isOut = false;
    for (const caller of this.callers.splice(0)) caller.reject(error);
  }

  /** Settles everything; resolves once the lock is held no more. Who holds it is told to stop, and, if it is kept, keeps it until it has. */
  close(error: Error, isKept: boolean): Promise<void> {
    for (const caller of this.callers.splice(0)) caller.reject(error);
    const what = isKept
      ? `lock "${this.name}" must be released: ${error.message}. It passes to the next waiter when its callback ends or it is released`
      : `lock "${this.name}" is lost: ${error.message}`;
    this.tell(new LostError(what, { cause: error }));
    if (!isKept) this.leave('lost');
    return new Promise((resolve) => {
      if (this.held) this.emptied = resolve;
      else resolve();
    });
  }

  /** Whoever asked before the node did comes in with its grant. */
  private mayComeIn({ mode, number }: Pick<Caller, 'mode' | 'number'>): boolean {
    const isSharing = mode === 'shared' && this.held?.mode === 'shared';
    return isSharing && (number <= this.countAsked || (!this.host.isConfirmed && this.host.isOpen()));
  }

  /** Lets in who is first in line. */
  private admit({ fence, mode, inside }: Hold): void {
    const lock = new Lock(this.name, fence, mode, () => this.goOut(lock));
    inside.set(lock, this.host.now());
    this.callers.shift()!.resolve(lock);
  }

  /** The last one gives the lock back. */
  private goOut(lock: Lock): void {
    const { held } = this;
    const since = held?.inside.get(lock);
    if (since === undefined) return;
    held!.inside.delete(lock);
    this.hearSince('released', since);
    if (held!.inside.size === 0) this.giveBack();
  }

  private tell(error: LostError): void {
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
    for (const since of held?.inside.values() ?? []) this.hearSince(how, since);
    this.emptied?.();
  }

  private hearSince(type: LockQueueNotification['type'], since: number): void {
    this.host.hear({ type, ms: this.host.now() - since });
  }

  private askIfWanted(): void {
    if (this.isOut || this.callers.length === 0) return;
    this.isOut = true;
    this.countAsked = this.count;
    this.modeAsked = this.callers[0]!.mode;
    this.host.ask(this.modeAsked === 'shared' ? 'share' : 'request');
    // Unless it was granted at once.
    if (this.callers[0]?.ifAvailable) this.host.ask('probe');
  }
}
