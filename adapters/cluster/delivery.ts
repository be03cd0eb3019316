/** What an action may want to know of the version that it belongs to, while it runs. */
import { UsageError } from '../../machines/errors.js';

/**
 * What makes the effects of an action safe to repeat.
 *
 * @public
 */
export interface Delivery {
  /** The same whenever the action is repeated, and of no other action: an idempotency key. */
  readonly key: string;
  /** Of the activation: a service that remembers the largest one can refuse a stale host. */
  readonly fence: number;
}

let current: Delivery | null = null;

/** @internal */
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
 * The idempotency key and the fencing token of the action that runs now, in a machine of `createCluster`. Call it before the first `await`
 * of the action.
 *
 * @throws UsageError outside of an action of a cluster actor.
 * @public
 */
export function delivery(): Delivery {
  if (current === null)
    throw new UsageError('delivery() is for actions of cluster actors; call it in an action, before its first await');
  return current;
}
