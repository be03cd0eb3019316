/** The errors with which promises of the adapters settle; an abort rejects with the signal's own reason, as everywhere else. */

/**
 * The object, or the transport under it, was closed before the promise could be kept: what waits as `createLocks(…)` or its like is closed.
 *
 * @public
 */
export class ClosedError extends Error {
  override readonly name = 'ClosedError';
}

/**
 * The connection could not be made, or broke for good; `connect()` of a transport rejects with it, and what stands on it ends.
 *
 * @example
 * ```ts
 * import { ConnectionError, nats } from 'xstate-quiver/transports';
 *
 * const connection = async () => {
 *   throw new Error('no such server');
 * };
 * await nats({ id: 'a', connection }).connect().catch((error) => console.log(error instanceof ConnectionError));
 * ```
 * @public
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/**
 * A peer reads more slowly than it is sent to, and so much waits for it that the message was refused: nothing was sent, and the link
 * is up. Wait before you send again. Of `linked`, whose bounds docs/transports.md gives.
 *
 * @public
 */
export class BackpressureError extends Error {
  override readonly name = 'BackpressureError';

  constructor(
    message: string,
    /** For whom so much waits. */
    readonly peer: string,
  ) {
    super(message);
  }
}

/**
 * The lock was taken from its holder: its node went away, or others may have gone on without it.
 *
 * @example
 * ```ts
 * import { LostError, InProcessBus } from 'xstate-quiver/transports';
 * import { createLocks } from 'xstate-quiver/locks';
 *
 * const locks = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a'] });
 * try {
 *   await locks.request('report', async ({ fence, signal }) => console.log(fence, signal.aborted));
 * } catch (error) {
 *   if (!(error instanceof LostError)) throw error;
 *   console.log('somebody else has it now, and does the work');
 * }
 * await locks.close();
 * ```
 * @public
 */
export class LostError extends Error {
  override readonly name = 'LostError';
  /** True if the same object may be asked again. Not where its end is the `cause`. */
  readonly isRetryable = !this.cause;

  constructor(what: string, options?: ErrorOptions) {
    super(`${what}. What to do: the page "Locks", section "When a lock is lost"`, options);
  }
}

/**
 * Too many peers have started again: what they kept together nobody knows for sure. A `Register` (`createRegister`) and everything that uses one rejects with it.
 *
 * @public
 */
export class ForgottenError extends Error {
  override readonly name = 'ForgottenError';
}

/**
 * What a peer must not forget could not be saved or loaded: it takes part no more.
 *
 * @example
 * ```ts
 * import { StorageError, InProcessBus } from 'xstate-quiver/transports';
 * import { createLocks } from 'xstate-quiver/locks';
 *
 * const full = {
 *   load: async () => undefined,
 *   save: async () => {
 *     throw new Error('the disk is full');
 *   },
 * };
 * const locks = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a'], storage: full });
 * await locks.request('report', () => {}).catch((error) => console.log(error instanceof StorageError));
 * ```
 * @public
 */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/**
 * Peers were not given the same configuration: together they are not safe. Who finds it out ends with it: `createLocks`, `createQuota` and their like.
 *
 * @public
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
