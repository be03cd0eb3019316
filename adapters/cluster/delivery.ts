/** Gives a running action the values that make its effects safe to repeat: an idempotency key and a fencing token. */
import { UsageError } from '../../machines/errors.js';

/**
 * The values that make the effects of an action safe to repeat.
 *
 * @public
 */
export interface Delivery {
  /** The idempotency key: the same whenever the action is repeated, and different for every other action. */
  readonly key: string;
  /** The fencing token of the activation: a service that remembers the largest one can reject a stale host. */
  readonly fence: number;
}

let current: Delivery | null = null;

/** Runs an action with its delivery, or, with null, the start of a child. @internal */
export function delivering<T>(delivery: Delivery | null, run: () => T): T {
  const before = current;
  current = delivery;
  try {
    return run();
  } finally {
    current = before;
  }
}

/**
 * Returns the idempotency key and the fencing token of the action that runs now, in a machine of `createCluster`. Call it before the first
 * `await` of the action. An invoked promise has none: pass it a key from the state as input, which is the same when it starts again.
 *
 * @returns the key, which every repetition of the action has again, and the fence of the present activation.
 * @throws UsageError outside of an action of a cluster actor.
 * @public
 */
export function delivery(): Delivery {
  if (current === null)
    throw new UsageError(
      'delivery() works only in actions of cluster actors. Call it in an action, before its first await; pass an invoked promise a key from the state as input',
    );
  return current;
}
