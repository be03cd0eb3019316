/** Requests of one lock or of several: their arguments, and callbacks that run while the locks are held. */
import { UsageError } from '../../machines/errors.js';
import { abortable } from '../transports/promises.js';
import type { LostError } from '../transports/errors.js';
import { during, type Lock } from './lock-handle.js';
import { takeAll, type LockSet } from './lock-set.js';
import { checkAcquire, checkNames, checkRequest, type LockOptions, type RequestOptions } from './locks-options.js';

/** The functions that a request needs from the locks. */
export interface LockTaker {
  take(name: string, how: LockOptions): Promise<Lock | null>;
  /** Resolves when the work has settled or the locks have ended. */
  settled(work: Promise<unknown>): Promise<unknown>;
}

type Names = string | readonly string[];

const taken = (names: Names, how: LockOptions, locks: LockTaker): Promise<Lock | LockSet | null> =>
  typeof names === 'string' ? locks.take(names, how) : takeAll(names, (name) => locks.take(name, how));

export async function acquire(names: Names, how: LockOptions, locks: LockTaker): Promise<Lock | LockSet | null> {
  checkNames('locks.acquire', names);
  checkAcquire(names, how);
  return taken(names, how, locks);
}

/** @param rest The options, if any, and the callback. */
export async function request<T>(names: Names, rest: readonly unknown[], locks: LockTaker): Promise<T> {
  checkNames('locks.request', names);
  const [options = {}, callback] = rest.length === 1 ? [{}, rest[0]] : rest;
  if (typeof callback !== 'function')
    throw new UsageError(`locks.request(${JSON.stringify(names)}) needs a callback. Pass it as the last argument`);
  checkRequest(names, options);
  const { retry, signal, ...how } = options as RequestOptions;
  for (;;) {
    const held = await taken(names, { ...how, ...(signal && { signal }) }, locks);
    if (held === null) return callback(null);
    const work = during(held, callback as (held: Lock | LockSet) => T | Promise<T>);
    try {
      return await abortable(work, held.signal);
    } catch (error) {
      const { reason } = held.signal as { reason: unknown };
      if (!retry || error !== reason || !(reason as LostError).isRetryable) throw error;
      // At this peer, the callback does not run twice at the same time.
      await abortable(locks.settled(work), signal);
    }
  }
}
