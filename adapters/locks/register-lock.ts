/**
 * The lock under which a register is changed and moved: who loses it on the way begins again.
 *
 * A peer that has promised its copy to a later holder refuses an earlier one, which has lost the lock then and may not have heard of it. A
 * holder that is refused again and again with the lock in its hands waits a little each time, and says on the console by whom.
 */
import { Subscription } from 'rxjs';
import type { Message, NodeId } from '../../machines/effects.js';
import { LostError } from '../transports/errors.js';
import { later } from '../transports/later.js';
import { escape } from '../transports/reading.js';
import type { Locks } from './locks.js';
import { AGAIN_MS, LateError, WAITING_MS } from './register-questions.js';

/** How long one piece of work has been refused. */
interface Refused {
  readonly since: number;
  readonly isTold: boolean;
}

export class RegisterLock {
  constructor(
    private readonly locks: Locks,
    /** How the register is called, and its lock. */
    private readonly name: string,
    private readonly lock: string,
  ) {}

  /** Does it with the fence of the lock, again until it was done with one lock; `over` ends with the lock, or by the signal. */
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
    // As a rule the lock was lost, and another one is later.
    if (before === null) return { since: clock.now(), isTold: false };
    const { since, isTold } = before;
    const isDue = !isTold && clock.now() - since >= WAITING_MS;
    if (isDue) this.tell(peer);
    await new Promise<void>((resolve) => later(new Subscription(), clock, resolve, AGAIN_MS));
    return { since, isTold: isTold || isDue };
  }

  private tell(peer: NodeId): void {
    const { node } = this.locks;
    console.warn(
      escape(
        `"${this.name}" of "${node.name}" at peer "${node.id}" holds its lock, but has been refused for ${WAITING_MS / 1000} s by "${peer}", which has answered a holder with a larger fencing token. Check that the storage of "${peer}" belongs to this cluster`,
      ),
    );
    node.notify({ type: 'register.waits', register: this.name, ms: WAITING_MS, missing: [peer] } as Message);
  }
}
