/** Requests and releases the lock of one cluster actor. Only the member that holds it may host the actor. */
import type { Lock } from '../locks/lock-handle.js';
import type { Locks } from '../locks/locks.js';
import { ClosedError } from '../transports/errors.js';

export interface LockListener {
  granted(fence: number): void;
  lost(): void;
  unavailable(error: Error): void;
}

export class ActorLock {
  private request: AbortController | null = null;
  private lock: Lock | null = null;

  constructor(
    private readonly locks: Locks,
    private readonly name: string,
    private readonly listener: LockListener,
  ) {}

  acquire(): void {
    if (this.request || this.lock) return;
    const request = (this.request = new AbortController());
    const isCurrent = () => this.request === request;
    this.locks.acquire(this.name, { signal: request.signal }).then(
      (lock) => {
        if (!isCurrent()) return lock.release();
        this.request = null;
        this.lock = lock;
        lock.signal.addEventListener('abort', () => this.lose(lock), { once: true });
        if (lock.signal.aborted) this.lose(lock);
        else this.listener.granted(lock.fence);
      },
      (error: Error) => {
        if (!isCurrent()) return;
        this.request = null;
        if (!(error instanceof ClosedError)) this.listener.unavailable(error);
      },
    );
  }

  /** Gives up the request, or the lock. */
  release(): void {
    const { request, lock } = this;
    this.request = null;
    this.lock = null;
    request?.abort(new Error('the request was given up'));
    lock?.release();
  }

  private lose(lock: Lock): void {
    if (this.lock !== lock) return;
    this.lock = null;
    this.listener.lost();
  }
}
