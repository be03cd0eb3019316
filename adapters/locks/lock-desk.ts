/**
 * The desk of one lock at one peer: callers line up, and the node behind it is asked for the lock for one after the other.
 *
 * A request cannot be called back. When nobody wants the lock any more its grant comes all the same, and is given back at once;
 * whoever comes before it takes up the old place, unless grants are confirmed: then it asks anew.
 */
import { LostError } from '../transports/errors.js';
import { Lock } from './lock-handle.js';

interface Caller {
  readonly ifAvailable: boolean;
  readonly since: number;
  /** Of all who have come. */
  readonly number: number;
  resolve(lock: Lock | null): void;
  reject(reason: unknown): void;
}

/** What a desk asks of the node: the lock, to take it back, or whether the request stands behind another one. */
export type Wish = 'request' | 'release' | 'whether';

/** A caller has come; how its wait has ended, or the hold that followed, and how long that took. */
export interface DeskNotice {
  readonly type: 'asked' | 'granted' | 'unavailable' | 'abandoned' | 'released' | 'lost';
  readonly ms: number;
}

/** What surrounds a desk. */
export interface DeskHost {
  ask(what: Wish): void;
  hear(notice: DeskNotice): void;
  /** In milliseconds. */
  now(): number;
  /** Whether a grant is for those alone who had asked before the node did. */
  readonly isConfirmed: boolean;
}

export class LockDesk {
  private readonly callers: Caller[] = [];
  private held: { readonly lock: Lock; readonly since: number } | undefined;
  /** Hears that the lock is not held here any more, once the desk is closed. */
  private emptied: (() => void) | undefined;
  /** Whether a request of this desk waits or has been granted. */
  private isOut = false;
  /** How many callers have come, ever, and how many had when the node was asked last. */
  private count = 0;
  private countAsked = 0;

  constructor(
    private readonly name: string,
    private readonly host: DeskHost,
  ) {}

  /** The fence with which the lock is held here, if it is. */
  get fence(): number | undefined {
    return this.held?.lock.fence;
  }

  get pending(): number {
    return this.callers.length;
  }

  get isIdle(): boolean {
    return !this.isOut && this.callers.length === 0;
  }

  /** `null` is the answer to a caller who wants the lock only if it is available. */
  take(ifAvailable: boolean, signal: AbortSignal | undefined): Promise<Lock | null> {
    // A request that was given up still stands in the queue, so the lock was not free.
    if (ifAvailable && this.isOut) {
      this.host.hear({ type: 'unavailable', ms: 0 });
      return Promise.resolve(null);
    }
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.callers.splice(this.callers.indexOf(caller), 1);
        caller.reject(signal!.reason);
      };
      const settled = (type: DeskNotice['type']) => {
        signal?.removeEventListener('abort', giveUp);
        this.hearSince(type, caller.since);
      };
      const caller: Caller = {
        ifAvailable,
        since: this.host.now(),
        number: ++this.count,
        resolve: (lock) => (settled(lock ? 'granted' : 'unavailable'), resolve(lock)),
        reject: (reason) => (settled('abandoned'), reject(reason)),
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.callers.push(caller);
      this.host.hear({ type: 'asked', ms: 0 });
      this.askIfWanted();
    });
  }

  granted(fence: number): void {
    const caller = this.callers[0];
    // What was confirmed before somebody asked is not confirmed for it.
    if (!caller || (this.host.isConfirmed && caller.number > this.countAsked)) {
      this.giveBack();
      return;
    }
    this.callers.shift();
    const lock = new Lock(this.name, fence, () => {
      if (lock === this.held?.lock) this.giveBack();
    });
    this.held = { lock, since: this.host.now() };
    caller.resolve(lock);
  }

  /** Somebody else has the lock or is before us, or nobody can have it here. */
  disappoint(): void {
    while (this.callers[0]?.ifAvailable) this.callers.shift()!.resolve(null);
  }

  /** Others may have gone on without this peer. */
  lost(): void {
    const what = `lock "${this.name}" is lost: others may have gone on without this peer, and it may be asked for again`;
    this.held?.lock.lose(new LostError(what));
    this.leave('lost');
    this.askIfWanted();
  }

  /** Settles everything; resolves once the lock is held no more. Who holds it is told to stop, and, if it is kept, keeps it until it has. */
  close(error: Error, isKept: boolean): Promise<void> {
    for (const caller of this.callers.splice(0)) caller.reject(error);
    const what = isKept
      ? `lock "${this.name}" is to be given back: ${error.message}; it goes on to others once its callback has ended or it is released`
      : `lock "${this.name}" is lost: ${error.message}`;
    this.held?.lock.lose(new LostError(what, { cause: error }));
    return new Promise((resolve) => {
      if (this.held) this.emptied = resolve;
      else resolve();
    });
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
    if (held) this.hearSince(how, held.since);
    this.emptied?.();
  }

  private hearSince(type: DeskNotice['type'], since: number): void {
    this.host.hear({ type, ms: this.host.now() - since });
  }

  private askIfWanted(): void {
    if (this.isOut || this.callers.length === 0) return;
    this.isOut = true;
    this.countAsked = this.count;
    this.host.ask('request');
    // Unless it was granted at once.
    if (this.callers[0]?.ifAvailable) this.host.ask('whether');
  }
}
