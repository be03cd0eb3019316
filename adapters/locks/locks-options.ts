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
   * Connected by the locks, closed by whoever created it. A transport that may lose messages is wrapped with `linked` over `peers`; the locks then
   * close it with themselves.
   */
  readonly transport: Transport;
  /**
   * All with whom the cluster begins, this one included; everybody gives the same list, also when others have come since. More than half of
   * the members must be there.
   */
  readonly peers?: readonly NodeId[];
  /** Instead of `peers`: this peer comes later, and waits until a member adds it. */
  readonly join?: boolean;
  /**
   * This one takes locks and does not vote: `peers` are those who do, under whatever id it comes. It attaches to one of them at a time, needs
   * no storage, and may come and go as it likes; see docs/locks.md for what it is promised less than a peer.
   */
  readonly client?: boolean;
  /**
   * `'majority'`: a cluster that remembers nothing begins with a majority of `peers`, and does not wait for all. The risk: after a restart of a
   * majority without storage, it may begin beside a peer that is cut off and has not noticed, and grant a lock that this peer still holds, with a
   * larger fence. Give the same value to all peers, or use `storage`.
   */
  readonly bootstrap?: 'majority';
  /** Only peers of the same name share. @defaultValue `locks` */
  readonly name?: string;
  /** Where this peer keeps what it must not forget when its process ends. Without it all is forgotten once all have ended. */
  readonly storage?: PeerStorage | undefined;
  /**
   * True if a majority is asked before each grant, so that its fence is larger than all that were granted anywhere before its request: costs
   * each grant a round trip. Everybody gives the same.
   */
  readonly confirm?: boolean | undefined;
  /** A meter of OpenTelemetry's metrics API, as `metrics.getMeter('locks')` gives it: see docs/operating-locks.md for what it counts. */
  readonly metrics?: LocksMeter | undefined;
  /** XState's own option: an observer of the node's live actors. */
  readonly inspect?: Inspect | undefined;
}

/**
 * Options for `locks.acquire`.
 *
 * @public
 */
export interface LockOptions {
  /** To write, alone (`exclusive`, unless given), or to read, together with all who do (`shared`). A client has its locks alone. */
  readonly mode?: LockMode;
  /**
   * Rather no lock than waiting for one: the callback gets `null` when somebody else has it or is before us, or nobody can. Not for clients.
   */
  readonly ifAvailable?: boolean;
  /** Of the Web Locks API, and not here: no lock is taken from whoever holds it. */
  readonly steal?: false;
  /** Gives up waiting; the promise rejects with its reason. */
  readonly signal?: AbortSignal;
}

/**
 * Options for `locks.request`.
 *
 * @public
 */
export interface RequestOptions extends LockOptions {
  /**
   * True if to ask again, and to run the callback again, when the lock was lost while it ran: once it has ended, until `signal`
   * aborts. Only for work that bears being done twice.
   */
  readonly retry?: boolean;
}

/**
 * How `locks.close` ends.
 *
 * @public
 */
export interface CloseOptions {
  /** So long it waits at most for callbacks that have not ended and locks that were not released, in milliseconds. @defaultValue 5,000 */
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
    must("a meter, as metrics.getMeter('locks') gives it", (value) =>
      hasMethods(value, 'createCounter', 'createHistogram', 'createObservableGauge'),
    ),
  ),
  inspect: optional(
    must('a function, or an observer with next', (value) => typeof value === 'function' || hasMethods(value, 'next')),
  ),
  ...environment,
};

/** Of a peer that comes later. */
const JOINING_CHECKS = { ...LOCKS_CHECKS, peers: optional(must('nothing here beside join: true', () => false)) };

/** Of one that does not vote. */
const besideClient = optional(must('nothing here beside client: true', (value) => value === false));
const CLIENT_CHECKS = {
  ...LOCKS_CHECKS,
  bootstrap: besideClient,
  join: besideClient,
  confirm: besideClient,
  storage: besideClient,
};

export function checkLocks(options: unknown): void {
  const { join, client } = isObject(options) ? options : {};
  checkOptions('createLocks', options, client === true ? CLIENT_CHECKS : join === true ? JOINING_CHECKS : LOCKS_CHECKS);
}

const LOCK_CHECKS = {
  mode: optional(must('"exclusive" or "shared"', (value) => value === 'exclusive' || value === 'shared')),
  ifAvailable: optional(flag),
  steal: optional(must('false: no lock is taken from whoever holds it', (value) => value === false)),
  signal: optional(signal),
};

export function checkName(name: unknown): void {
  if (typeof name !== 'string' || name === '' || name.length > LOCK_NAME_LENGTH_MAX)
    throw new UsageError(`a lock needs a name: give a string of 1 to ${LOCK_NAME_LENGTH_MAX} characters`);
}

export const checkAcquire = (name: string, options: unknown): void =>
  checkAsking(`locks.acquire("${name}")`, options, LOCK_CHECKS);
export const checkRequest = (name: string, options: unknown): void =>
  checkAsking(`locks.request("${name}")`, options, { ...LOCK_CHECKS, retry: optional(flag) });

/** Other libraries are given a time to wait for a lock. */
function checkAsking(who: string, options: unknown, checks: Readonly<Record<string, Check>>): void {
  const time = isObject(options) && Object.keys(options).find((key) => /timeout|wait|ttl/i.test(key));
  if (time) throw new UsageError(`${who} has no option ${time}. To stop waiting, pass signal: AbortSignal.timeout(ms)`);
  checkOptions(who, options, checks);
}

/** What peers that vote may ask for, and a client may not. */
export function checkOfClient(id: NodeId, mode: LockMode, ifAvailable: boolean): void {
  if (mode === 'shared')
    throw new UsageError(
      `mode: "shared" is only for voters, and "${id}" is a client. Leave it out: a client requests the lock exclusively`,
    );
  if (ifAvailable)
    throw new UsageError(`ifAvailable is only for voters, and "${id}" is a client. Pass a signal that ends the waiting`);
}
