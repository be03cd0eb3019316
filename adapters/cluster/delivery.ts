/** Gives an action or an invoked promise the values that make its effects safe to repeat: an idempotency key and a fencing token. */
import { UsageError } from '../../machines/errors.js';

/**
 * The values that make the effects of an action or an invoked promise safe to repeat.
 *
 * @public
 */
export interface Delivery {
  /** The idempotency key: the same whenever the action or promise is repeated, and different for every other one. */
  readonly key: string;
  /** The fencing token of the activation: a service that remembers the largest one can reject a stale host. */
  readonly fence: number;
}

let current: Delivery | null = null;

/** Runs an action, or the start of a child, with its delivery. @internal */
export function delivering<T>(delivery: Delivery, run: () => T): T {
  const before = current;
  current = delivery;
  try {
    return run();
  } finally {
    current = before;
  }
}

/**
 * Returns the idempotency key and the fencing token of the action that runs now, or of the promise, callback or observable that starts now,
 * in a machine of `createCluster`. Call it before the first `await`.
 *
 * @returns the key, which every repetition has again, and the fence of the present activation.
 * @throws UsageError outside of an action and of the start of a child.
 * @public
 */
export function delivery(): Delivery {
  if (current === null)
    throw new UsageError(
      'delivery() works only in actions and invoked promises of cluster actors. Call it there, before the first await',
    );
  return current;
}
