/**
 * The lock under which a register is changed and moved. If it is lost meanwhile, the work begins again.
 *
 * A peer that has promised its copy to a later holder rejects an earlier one, which has lost the lock and may not have noticed it. A holder
 * that is rejected repeatedly while it has the lock waits a little each time, and reports the rejecting peer on the console.
 */
import { Subscription } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import { LostError } from '../transports/errors.js';
import { later } from '../transports/later.js';
import { escape } from '../transports/reading.js';
import type { Locks } from './locks.js';
import { AGAIN_MS, LateError, WAITING_MS } from './register-questions.js';

/** How long one piece of work has been rejected. */
interface Refused {
  readonly since: number;
  readonly isReported: boolean;
}

export class RegisterLock {
  constructor(
    private readonly locks: Locks,
    /** The name of the register, and the name of its lock. */
    private readonly name: string,
    private readonly lock: string,
  ) {}

  /**
   * Runs the work with the fence of the lock, and repeats it until it was done with one lock. `over` aborts with the lock, or with the
   * signal.
   */
  async under<R>(work: (fence: number, over: AbortSignal) => Promise<R>, signal?: AbortSignal): Promise<R> {
    let refused: Refused | null = null;
    for (;;) {
      const lock = await this.locks.acquire(this.lock, signal ? { signal } : {});
      let by: NodeId | null;
      try {
        return await work(lock.fence, signal ? AbortSignal.any([signal, lock.signal]) : lock.signal);
      } catch (error) {
        if (!(error instanceof LostError) || signal?.aborted) throw error;
        by = error instanceof LateError && !lock.signal.aborted ? error.peer : null;
      } finally {
        lock.release();
      }
      refused = by === null ? null : await this.waitFor(by, refused);
    }
  }

  private async waitFor(peer: NodeId, before: Refused | null): Promise<Refused> {
    const { clock } = this.locks.node.environment;
    // Usually the lock was lost, and the next one has a larger fence.
    if (before === null) return { since: clock.now(), isReported: false };
    const { since, isReported } = before;
    const isDue = !isReported && clock.now() - since >= WAITING_MS;
    if (isDue) this.warn(peer);
    await new Promise<void>((resolve) => later(new Subscription(), clock, resolve, AGAIN_MS));
    return { since, isReported: isReported || isDue };
  }

  private warn(peer: NodeId): void {
    const { node } = this.locks;
    console.warn(
      escape(
        `"${this.name}" of "${node.name}" at peer "${node.id}" holds its lock, but has been refused for ${WAITING_MS / 1000} s by "${peer}", which has answered a holder with a larger fencing token. Check that the storage of "${peer}" belongs to this cluster`,
      ),
    );
    node.notify({ type: 'register.waits', register: this.name, ms: WAITING_MS, missing: [peer] });
  }
}
