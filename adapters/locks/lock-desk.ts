/**
 * The desk of one lock at one peer: callers line up, and the node behind it is asked for the lock for one after the other.
 *
 * A request cannot be called back. When nobody wants the lock any more its grant comes all the same, and is given back at once;
 * whoever comes before it takes up the old place.
 */
import { LostError } from '../transports/errors.js';
import { Lock } from './lock-handle.js';

interface Caller {
  readonly ifAvailable: boolean;
  resolve(lock: Lock | null): void;
  reject(reason: unknown): void;
}

/** What a desk asks of the node: the lock, to take it back, or whether the request stands behind another one. */
export type Wish = 'request' | 'release' | 'whether';

export class LockDesk {
  private readonly callers: Caller[] = [];
  private held: Lock | undefined;
  /** Hears that the lock is not held here any more, once the desk is closed. */
  private emptied: (() => void) | undefined;
  /** Whether a request of this desk waits or has been granted. */
  private isOut = false;

  constructor(
    private readonly name: string,
    private readonly ask: (what: Wish) => void,
  ) {}

  get isHeld(): boolean {
    return this.held !== undefined;
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
    if (ifAvailable && this.isOut) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.callers.splice(this.callers.indexOf(caller), 1);
        reject(signal!.reason);
      };
      const settled = () => signal?.removeEventListener('abort', giveUp);
      const caller: Caller = {
        ifAvailable,
        resolve: (lock) => (settled(), resolve(lock)),
        reject: (reason) => (settled(), reject(reason)),
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.callers.push(caller);
      this.askIfWanted();
    });
  }

  granted(fence: number): void {
    const caller = this.callers.shift();
    if (!caller) {
      this.giveBack();
      return;
    }
    this.held = new Lock(this.name, fence, (lock) => {
      if (lock === this.held) this.giveBack();
    });
    caller.resolve(this.held);
  }

  /** Somebody else has the lock or is before us, or nobody can have it here. */
  disappoint(): void {
    while (this.callers[0]?.ifAvailable) this.callers.shift()!.resolve(null);
  }

  /** Others may have gone on without this peer. */
  lost(): void {
    this.held?.lose(
      new LostError(`lock "${this.name}" is lost: others may have gone on without this peer, and it may be asked for again`),
    );
    this.leave();
    this.askIfWanted();
  }

  /** Settles everything; resolves once the lock is held no more. Who holds it is told to stop, and keeps it until it has. */
  close(error: Error): Promise<void> {
    for (const caller of this.callers.splice(0)) caller.reject(error);
    this.held?.lose(new LostError(`lock "${this.name}" is lost: ${error.message}`, { cause: error }));
    return new Promise((resolve) => {
      if (this.held) this.emptied = resolve;
      else resolve();
    });
  }

  private giveBack(): void {
    this.leave();
    this.ask('release');
    this.askIfWanted();
  }

  private leave(): void {
    this.held = undefined;
    this.isOut = false;
    this.emptied?.();
  }

  private askIfWanted(): void {
    if (this.isOut || this.callers.length === 0) return;
    this.isOut = true;
    this.ask('request');
    // Unless it was granted at once.
    if (this.callers[0]?.ifAvailable) this.ask('whether');
  }
}
