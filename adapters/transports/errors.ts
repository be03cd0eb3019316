/** Errors with which promises of the adapters reject. An abort rejects with the reason of its signal. */

/**
 * Error of a promise whose object or transport was closed before it settled. Objects are closed by their `close`, for example that of
 * `createLocks(…)`.
 *
 * @public
 */
export class ClosedError extends Error {
  override readonly name = 'ClosedError';
}

/**
 * Error of a connection that could not be made or broke for good. `connect()` of a transport rejects with it, and objects on the transport
 * end with it.
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
 * Error of `send` with `linked` when too many messages wait for a peer, because it reads more slowly than it is sent to. The message was
 * not sent, and the link stays up. Wait before you send again. docs/transports.md lists the limits.
 *
 * @public
 */
export class BackpressureError extends Error {
  override readonly name = 'BackpressureError';

  constructor(
    message: string,
    /** Id of the peer that the messages wait for. */
    readonly peer: string,
  ) {
    super(message);
  }
}

/**
 * Error of a holder that has lost its lock: its node failed, or others may have continued without it.
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
 *   console.log('another peer holds the lock now and does the work');
 * }
 * await locks.close();
 * ```
 * @public
 */
export class LostError extends Error {
  override readonly name = 'LostError';
  /** True if the same object can be used for another request. False if the object has ended; the `cause` is its error. */
  readonly isRetryable = !this.cause;

  constructor(what: string, options?: ErrorOptions) {
    super(`${what}. See the page "Locks", section "When a lock is lost"`, options);
  }
}

/**
 * Error when half of the voters or more have restarted without their state, so the latest value of a `Register` (`createRegister`) cannot
 * be determined. Its operations, and those of all objects that use it, reject with this error. To keep the state across restarts, set the
 * option `storage`.
 *
 * @public
 */
export class ForgottenError extends Error {
  override readonly name = 'ForgottenError';
}

/**
 * Error of a peer whose persistent state could not be saved or loaded. The peer has stopped participating.
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
 * Error of peers with different configurations, which are unsafe together. The peer that detects it ends with it, in `createLocks`,
 * `createQuota` and similar objects.
 *
 * @public
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
