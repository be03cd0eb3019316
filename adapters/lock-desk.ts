/**
 * The desk of one lock at one peer: callers line up, the actor behind it fetches the lock for one after the other.
 *
 * The desk wants the lock while somebody holds it or waits; `settleWants` tells the actor when that changes.
 */
import type { ActorRefFrom } from 'xstate';
import { LostError } from './errors.js';
import { Lock } from './lock-handle.js';
import type { lockLogic } from './lock.js';

interface Caller {
  readonly ifAvailable: boolean;
  resolve(lock: Lock | null): void;
  reject(reason: unknown): void;
}

export class LockDesk {
  private readonly callers: Caller[] = [];
  private held: Lock | undefined;
  private isWanted = false;

  constructor(
    private readonly name: string,
    readonly actor: ActorRefFrom<typeof lockLogic>,
    private readonly closed: () => void,
  ) {
    actor.on('granted', ({ fence }) => this.grant(fence));
    actor.on('queued', () => this.disappoint());
    actor.on('lost', ({ error }) => this.close(error as Error));
  }

  get isHeld(): boolean {
    return this.held !== undefined;
  }

  get pending(): number {
    return this.callers.length;
  }

  /** `null` is the answer to a caller who wants the lock only if it is available. */
  take(ifAvailable: boolean, signal: AbortSignal | undefined): Promise<Lock | null> {
    // A request that was given up still stands in the queue, so the lock was not free.
    const isOut = this.isWanted || this.actor.getSnapshot().matches('withdrawn');
    if (ifAvailable && isOut) return Promise.resolve(null);
    return new Promise((resolve, reject) => {
      const giveUp = () => {
        this.callers.splice(this.callers.indexOf(caller), 1);
        reject(signal!.reason);
        this.settleWants();
      };
      const settled = () => signal?.removeEventListener('abort', giveUp);
      const caller: Caller = {
        ifAvailable,
        resolve: (lock) => (settled(), resolve(lock)),
        reject: (reason) => (settled(), reject(reason)),
      };
      signal?.addEventListener('abort', giveUp, { once: true });
      this.callers.push(caller);
      this.settleWants();
    });
  }

  /** Settles everything; the actor stops. */
  close(error: Error): void {
    this.closed();
    for (const caller of this.callers.splice(0)) caller.reject(error);
    this.held?.lose(new LostError(`lock "${this.name}" is lost: ${error.message}`, { cause: error }));
    this.held = undefined;
    this.actor.stop();
  }

  private grant(fence: number): void {
    const caller = this.callers.shift()!;
    this.held = new Lock(this.name, fence, (lock) => this.release(lock));
    caller.resolve(this.held);
  }

  private release(lock: Lock): void {
    if (lock !== this.held) return;
    this.held = undefined;
    this.isWanted = false;
    this.actor.send({ type: 'release' });
    this.settleWants();
  }

  /** Somebody else has the lock or is before us. */
  private disappoint(): void {
    while (this.callers[0]?.ifAvailable) this.callers.shift()!.resolve(null);
    this.settleWants();
  }

  private settleWants(): void {
    const isWanted = this.isHeld || this.callers.length > 0;
    if (isWanted === this.isWanted) return;
    this.isWanted = isWanted;
    this.actor.send({ type: isWanted ? 'request' : 'release' });
  }
}
