/** Options of `createLocks` and its requests, with their checks. */
import { isObject } from '../../machines/checks.js';
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { LockMode } from '../../machines/locks/messages.js';
import { LOCK_NAME_LENGTH_MAX } from '../../machines/locks/accepts.js';
import type { Inspect } from '../../network/world/kernel.js';
import type { InEnvironment } from '../environment.js';
import {
  checkOptions,
  environment,
  flag,
  hasMethods,
  must,
  optional,
  peers,
  signal,
  storage,
  someText,
  transport,
  type Check,
} from '../options.js';
import type { PeerStorage } from '../storage/storage.js';
import type { LocksMeter } from './locks-metrics.js';
import type { Transport } from '../transports/transport.js';

/**
 * Options for `createLocks`.
 *
 * @public
 */
export interface LocksOptions extends InEnvironment {
  /**
   * The transport. The locks connect it, and its creator closes it. A transport that may lose messages is wrapped with `linked` over
   * `peers`; the locks then also close it.
   */
  readonly transport: Transport;
  /**
   * All peers with which the cluster begins, including this one. Every peer passes the same list, also after members were added. A majority
   * of the members has to be connected.
   */
  readonly peers?: readonly NodeId[];
  /** True for a peer that joins later, instead of `peers`: it waits until a member adds it. @defaultValue false */
  readonly join?: boolean;
  /**
   * True for a client, which uses locks and does not vote; `peers` are the voters. A client may have any id, which no list contains, and the
   * voters forget it when it has left. It attaches to one voter at a time, needs no storage, and may start and stop at any time. docs/locks.md
   * lists what a client cannot do. @defaultValue false
   */
  readonly client?: boolean;
  /**
   * `'majority'`: a cluster that remembers nothing begins with a majority of `peers`, and does not wait for all. Pass the same value at all
   * peers, or use `storage`.
   *
   * Risk: after a restart of a majority without storage, the cluster may begin next to a peer that is cut off and has not noticed it. It
   * may then grant a lock that this peer still holds, with a larger fence.
   *
   * @defaultValue waits for all of `peers`
   */
  readonly bootstrap?: 'majority';
  /** The name of the cluster. Only peers with the same name share locks. @defaultValue `locks` */
  readonly name?: string;
  /**
   * The storage for the state that this peer must not forget when its process ends. Without storage, the state is lost when all peers have
   * stopped.
   *
   * @defaultValue none
   */
  readonly storage?: PeerStorage | undefined;
  /**
   * True if a majority confirms each grant, so that its fence is larger than all fences granted before its request. This costs each grant a
   * round trip. Pass the same value at all peers. @defaultValue false
   */
  readonly confirm?: boolean | undefined;
  /** A meter of the OpenTelemetry metrics API, such as `metrics.getMeter('locks')`. docs/operating-locks.md lists the instruments. */
  readonly metrics?: LocksMeter | undefined;
  /** XState's `inspect` option: an observer of the node's live actors. */
  readonly inspect?: Inspect | undefined;
}

/**
 * Options for `locks.acquire`.
 *
 * @public
 */
export interface LockOptions {
  /** `exclusive` for a single writer, or `shared` for readers. Clients can only use `exclusive`. @defaultValue `exclusive` */
  readonly mode?: LockMode;
  /**
   * True to get the lock only if it is available: the callback receives `null` if another request holds the lock or is ahead, or no request
   * can be granted. Not for clients. @defaultValue false
   */
  readonly ifAvailable?: boolean;
  /** Exists only for compatibility with the Web Locks API: a lock is never taken from its holder. @defaultValue `false` */
  readonly steal?: false;
  /** Stops waiting, and the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}

/**
 * Options for `locks.request`.
 *
 * @public
 */
export interface RequestOptions extends LockOptions {
  /**
   * True to request the lock again and to repeat the callback if the lock was lost while the callback ran. It repeats after the callback
   * has ended, until `signal` aborts. Use it only for work that can be repeated safely. @defaultValue false
   */
  readonly retry?: boolean;
}

/**
 * Options for `locks.close`.
 *
 * @public
 */
export interface CloseOptions {
  /** The time limit in milliseconds for callbacks that have not ended and locks that were not released. @defaultValue 5,000 */
  readonly withinMs?: number;
}

const LOCKS_CHECKS = {
  transport,
  peers,
  name: optional(someText),
  bootstrap: optional(must('"majority"', (value) => value === 'majority')),
  storage: optional(storage),
  join: optional(flag),
  client: optional(flag),
  confirm: optional(flag),
  metrics: optional(
    must("a meter, such as metrics.getMeter('locks')", (value) =>
      hasMethods(value, 'createCounter', 'createHistogram', 'createObservableGauge'),
    ),
  ),
  inspect: optional(
    must('a function, or an observer with next', (value) => typeof value === 'function' || hasMethods(value, 'next')),
  ),
  ...environment,
};

/** Checks for a peer that joins later. */
const JOINING_CHECKS = { ...LOCKS_CHECKS, peers: optional(must('nothing together with join: true', () => false)) };

/** Checks for a peer that does not vote. */
const notWithClient = optional(must('nothing together with client: true', (value) => value === false));
const CLIENT_CHECKS = {
  ...LOCKS_CHECKS,
  bootstrap: notWithClient,
  join: notWithClient,
  confirm: notWithClient,
  storage: notWithClient,
};

export function checkLocks(options: unknown): void {
  const { join, client } = isObject(options) ? options : {};
  checkOptions('createLocks', options, client === true ? CLIENT_CHECKS : join === true ? JOINING_CHECKS : LOCKS_CHECKS);
}

export const lockMode = must('"exclusive" or "shared"', (value) => value === 'exclusive' || value === 'shared');
export const lockName = must(
  `a text of 1 to ${LOCK_NAME_LENGTH_MAX} characters`,
  (value) => typeof value === 'string' && value !== '' && value.length <= LOCK_NAME_LENGTH_MAX,
);

const LOCK_CHECKS = {
  mode: optional(lockMode),
  ifAvailable: optional(flag),
  steal: optional(must('false: a lock is never taken from its holder', (value) => value === false)),
  signal: optional(signal),
};

function checkName(name: unknown): void {
  if (lockName.refused(name) !== null)
    throw new UsageError(`a lock needs a name. Pass a string of 1 to ${LOCK_NAME_LENGTH_MAX} characters`);
}

/** Checks one name, or a list of names. */
export function checkNames(who: string, names: unknown): void {
  if (!Array.isArray(names)) return checkName(names);
  if (names.length === 0) throw new UsageError(`${who} got an empty list of names. Pass at least one, as in ['a', 'b']`);
  for (const name of names) checkName(name);
  const twice: unknown = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined)
    throw new UsageError(`${who} got the name ${JSON.stringify(twice)} twice, and would wait for itself. Pass each name once`);
}

type Names = string | readonly string[];

export const checkAcquire = (names: Names, options: unknown): void =>
  checkAsking(`locks.acquire(${JSON.stringify(names)})`, options, LOCK_CHECKS);
export const checkRequest = (names: Names, options: unknown): void =>
  checkAsking(`locks.request(${JSON.stringify(names)})`, options, { ...LOCK_CHECKS, retry: optional(flag) });

/** Rejects time options of other lock libraries with advice. */
function checkAsking(who: string, options: unknown, checks: Readonly<Record<string, Check>>): void {
  const time = isObject(options) && Object.keys(options).find((key) => /timeout|wait|ttl/i.test(key));
  if (time) throw new UsageError(`${who} has no option ${time}. To stop waiting, pass signal: AbortSignal.timeout(ms)`);
  checkOptions(who, options, checks);
}

/** Rejects options that only voters can use. */
export function checkOfClient(id: NodeId, mode: LockMode, ifAvailable: boolean): void {
  if (mode === 'shared')
    throw new UsageError(
      `mode: "shared" is only for voters, and "${id}" is a client. Leave it out: a client requests the lock exclusively`,
    );
  if (ifAvailable)
    throw new UsageError(`ifAvailable is only for voters, and "${id}" is a client. Pass a signal that ends the waiting`);
}
