/**
 * A lock as plain XState actor logic, for machines that hold it while they are in a state.
 *
 * Snapshots persist and restore. A held lock is not part of the text: a machine that is restored in another process receives `lost` if it
 * held the lock. If it waited, it waits again, for the locks of `lockLogicOf(locks)`, which replaces `lockLogic` there.
 *
 * States. `free`: not wanted. `waiting`: requested; leaving the state gives up. `granted`: held until `release` or a loss. `closed`: the
 * locks are closed, and the actor is done.
 */
import { assign, enqueueActions, fromObservable, fromPromise, setup } from 'xstate';
import { Observable } from 'rxjs';
import { UsageError } from '../../machines/errors.js';
import { chartTypes } from '../../machines/effects.js';
import { parentOf } from '../../network/world/internals.js';
import { endOf, unknownEvent, type Failed, type FromActor, type WithoutFrom } from '../object-logic.js';
import { anything, checkOptions, optional } from '../options.js';
import { LostError } from '../transports/errors.js';
import { escape } from '../transports/reading.js';
import type { LockMode } from '../../machines/locks/messages.js';
import { lockMode, lockName } from './locks-options.js';
import type { Lock, Locks } from './locks.js';

/**
 * The input of `lockLogic`: the locks (see `createLocks`) and the name of the lock.
 *
 * @public
 */
export interface LockInput {
  readonly locks: Locks;
  readonly name: string;
  /** As in `LockOptions`. */
  readonly mode?: LockMode;
}

/**
 * An event for `lockLogic`: `request` requests the lock, `release` releases it or stops waiting.
 *
 * @public
 */
export interface LockEvent {
  readonly type: 'request' | 'release';
}

/**
 * A notice of `lockLogic`: `ready` at the start, once this peer is connected with a majority, `granted` with the fence, `lost` with the
 * error, and `failed` for a request without an answer.
 *
 * @public
 */
export type LockNotice =
  | (FromActor & { readonly type: 'ready'; readonly name: string })
  | (FromActor & { readonly type: 'granted'; readonly name: string; readonly fence: number })
  | (FromActor & { readonly type: 'lost'; readonly name: string; readonly error: unknown })
  | Failed<LockEvent>;

const CHECKS = { locks: optional(anything), name: lockName, mode: optional(lockMode) };

/** The actors of the logic, for the locks that an input names. */
const actorsOf = (locksOf: (input: LockInput) => Locks) => ({
  /** Emits when the locks are ready, and ends as they do. */
  watch: fromObservable<true, LockInput>(
    ({ input }) =>
      new Observable((watcher) => {
        const locks = locksOf(input);
        const end = endOf(locks, locks.closed).subscribe((error) => (error ? watcher.error(error) : watcher.complete()));
        locks.ready.then(
          () => watcher.next(true),
          () => {},
        );
        return end;
      }),
  ),
  acquire: fromPromise<Lock, LockInput>(async ({ input, signal }) => {
    const { name, mode = 'exclusive' } = input;
    const lock = await locksOf(input).acquire(name, { mode, signal });
    // The grant may come just after the actor has stopped waiting.
    if (signal.aborted) lock.release();
    signal.addEventListener('abort', () => lock.release());
    return lock;
  }),
});

function locksIn({ locks, name }: Partial<LockInput>): Locks {
  if (typeof locks?.acquire === 'function') return locks;
  throw new UsageError(
    `lockLogic has no locks for "${name}". Pass input: { locks, name }, or use lockLogicOf(locks), as a restored machine must`,
  );
}

const refusalOf = ({ name }: LockInput, { type }: LockEvent): UsageError =>
  type === 'request'
    ? new UsageError(`lockLogic has already requested lock "${name}". Send release first`)
    : unknownEvent('lockLogic', type, ['request', 'release']);

/** Locks that were released or lost. For any other lock, its actor was stopped. */
const ended = new WeakSet<Lock>();

/** Warns that the machine has left the invoking state: it would work without the lock. */
const warnOfStop = (lock: Lock): void =>
  console.warn(
    escape(
      `lock "${lock.name}" was released immediately after its grant, because the state that invokes lockLogic was left. ` +
        'Invoke lockLogic in a state that is active for as long as the lock is needed, a parent of the state that works, for instance',
    ),
  );

/** Holds the lock until the actor stops, and fails with the reason if the lock is lost. */
const hold = fromObservable<never, { readonly lock: Lock }>(
  ({ input: { lock }, self }) =>
    new Observable((holder) => {
      // A release that the actor has already received comes first.
      const fail = (error: unknown) => queueMicrotask(() => holder.error(error));
      const lost = () => {
        ended.add(lock);
        fail(lock.signal.reason);
      };
      const isOfProcess = typeof lock.release === 'function';
      if (!isOfProcess || lock.isGivenBack) {
        const why = isOfProcess ? 'the actor has released it since' : 'the process that held it has ended';
        return fail(new LostError(`lock "${lock.name}" is granted in a snapshot, but ${why}`));
      }
      if (lock.signal.aborted) lost();
      lock.signal.addEventListener('abort', lost);
      let isNew = true;
      queueMicrotask(() => (isNew = false));
      return () => {
        if (isNew && !ended.has(lock) && parentOf(parentOf(self)!)) warnOfStop(lock);
        lock.signal.removeEventListener('abort', lost);
        lock.release();
      };
    }),
);

/**
 * A lock as plain XState actor logic: send it `request` and `release`, and receive `ready`, `granted`, `lost` and `failed`. Its states are
 * `free`, `waiting` and `granted`. It is done when its locks close, and ends with the error that ends them. Stopping the actor releases the
 * lock, and leaving the invoking state stops it: invoke it in a state that is active for as long as the lock is needed.
 *
 * @example
 * ```ts
 * import { createActor } from 'xstate';
 * import { InProcessBus } from 'xstate-quiver/transports';
 * import { lockLogic, createLocks } from 'xstate-quiver/locks';
 *
 * const locks = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a'] });
 * const printer = createActor(lockLogic, { input: { locks, name: 'printer' } }); // or invoked by your machine
 * printer.on('granted', async ({ fence }) => {
 *   console.log('printing with fence', fence);
 *   printer.send({ type: 'release' });
 *   await locks.close();
 * });
 * printer.start().send({ type: 'request' });
 * ```
 * @public
 */
export const lockLogic = setup({
  types: chartTypes<{
    input: LockInput;
    context: LockInput & { readonly lock: Lock | null; readonly fence: number | null };
    events: LockEvent;
    emitted: LockNotice;
  }>(),
  actors: { ...actorsOf(locksIn), hold },
  actions: {
    noteEnd: ({ context: { lock } }) => lock && void ended.add(lock),
    forget: assign({ lock: null, fence: null }),
    tell: enqueueActions(({ enqueue, self }, change: WithoutFrom<LockNotice>) => {
      const notification = { ...change, from: self.id };
      enqueue.emit(notification);
      const parent = parentOf(self);
      if (parent) enqueue.sendTo(parent, notification);
    }),
  },
}).createMachine({
  id: 'lock',
  context: ({ input }) => {
    checkOptions('lockLogic', input, CHECKS);
    return { ...input, lock: null, fence: null };
  },
  invoke: {
    src: 'watch',
    input: ({ context }) => context,
    onSnapshot: {
      guard: ({ event: { snapshot } }) => snapshot.context === true,
      actions: { type: 'tell', params: ({ context: { name } }) => ({ type: 'ready', name }) },
    },
    onDone: '.closed',
  },
  on: {
    '*': {
      guard: ({ event }) => !event.type.startsWith('xstate.'),
      actions: { type: 'tell', params: ({ context, event }) => ({ type: 'failed', error: refusalOf(context, event), event }) },
    },
  },
  initial: 'free',
  states: {
    free: { on: { request: 'waiting', release: {} } },
    waiting: {
      invoke: {
        src: 'acquire',
        input: ({ context }) => context,
        onDone: { target: 'granted', actions: assign(({ event: { output } }) => ({ lock: output, fence: output.fence })) },
        onError: {
          target: 'free',
          actions: { type: 'tell', params: ({ event: { error } }) => ({ type: 'failed', error, event: { type: 'request' } }) },
        },
      },
      on: { release: 'free' },
    },
    granted: {
      entry: { type: 'tell', params: ({ context }) => ({ type: 'granted', name: context.name, fence: context.fence! }) },
      exit: ['noteEnd', 'forget'],
      invoke: {
        src: 'hold',
        input: ({ context }) => ({ lock: context.lock! }),
        onError: {
          target: 'free',
          actions: { type: 'tell', params: ({ context, event }) => ({ type: 'lost', name: context.name, error: event.error }) },
        },
      },
      on: { release: 'free' },
    },
    closed: { type: 'final' },
  },
});

/**
 * Like `lockLogic`, for machines restored from persisted text: it uses the given locks instead of those in the snapshot. An actor that held
 * the lock when it was persisted receives `lost`; one that waited waits again.
 *
 * @returns The logic that replaces `lockLogic`.
 * @example
 * ```ts
 * import { createActor, setup } from 'xstate';
 * import { InProcessBus } from 'xstate-quiver/transports';
 * import { lockLogic, lockLogicOf, createLocks } from 'xstate-quiver/locks';
 *
 * const locks = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a'] });
 * const printing = setup({ actors: { lock: lockLogic } }).createMachine({
 *   invoke: { src: 'lock', id: 'lock', input: () => ({ locks, name: 'printer' }) },
 * });
 * const text = JSON.stringify(createActor(printing).start().getPersistedSnapshot());
 *
 * // Later, in another process, with its own locks:
 * const provided = printing.provide({ actors: { lock: lockLogicOf(locks) } });
 * createActor(provided, { snapshot: JSON.parse(text) }).start();
 * await locks.close();
 * ```
 * @public
 */
export const lockLogicOf = (locks: Locks): typeof lockLogic => lockLogic.provide({ actors: actorsOf(() => locks) });
