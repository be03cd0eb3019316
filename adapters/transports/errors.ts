/** The errors with which promises of the adapters settle; an abort rejects with the signal's own reason, as everywhere else. */

/**
 * The object, or the transport under it, was closed before the promise could be kept.
 *
 * @public
 */
export class ClosedError extends Error {
  override readonly name = 'ClosedError';
}

/**
 * The connection could not be made, or broke for good.
 *
 * @public
 */
export class ConnectionError extends Error {
  override readonly name = 'ConnectionError';
}

/**
 * A peer reads more slowly than it is sent to, and so much waits for it that the message was refused: nothing was sent, and the link
 * is up. Wait before you send again.
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
 * @public
 */
export class LostError extends Error {
  override readonly name = 'LostError';
  /** Whether the same object may be asked again. Not where its end is the `cause`. */
  readonly isRetryable = !this.cause;

  constructor(what: string, options?: ErrorOptions) {
    super(`${what}; what to do: docs/locks.md, "When a lock is lost"`, options);
  }
}

/**
 * Too many peers have started anew: what they kept together nobody knows for sure.
 *
 * @public
 */
export class ForgottenError extends Error {
  override readonly name = 'ForgottenError';
}

/**
 * What a peer must not forget could not be saved or loaded: it takes part no more.
 *
 * @public
 */
export class StorageError extends Error {
  override readonly name = 'StorageError';
}

/**
 * Peers were not given the same configuration: together they are not safe.
 *
 * @public
 */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';
}
