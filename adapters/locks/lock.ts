/**
 * A lock as plain XState actor logic, for machines that hold it while they are in a state.
 *
 * Snapshots persist and restore. A held lock is not part of the text: a machine that is restored in another process receives `lost` if it
 * held the lock. If it waited, it waits again, for the locks of `lockLogicOf(locks)`, which replaces `lockLogic` there.
 *
 * States. `free`: not wanted. `waiting`: requested; leaving the state gives up. `granted`: held until `release` or a loss. `closed`: the
 * locks are closed, or the input was wrong; each further request fails again.
 */
import { assign, enqueueActions, fromCallback, fromPromise, setup } from 'xstate';
import { UsageError } from '../../machines/errors.js';
import { parentOf } from '../../network/world/internals.js';
import type { FromActor, WithoutFrom } from '../object-logic.js';
import { LostError } from '../transports/errors.js';
import { escape } from '../transports/reading.js';
import type { LockMode } from '../../machines/locks/messages.js';
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
 * An event for `lockLogic`: `request` requests the lock, `release` releases it or stops waiting. The logic sends `taken` to itself.
 *
 * @public
 */
export type LockEvent =
  | { readonly type: 'request' }
  | { readonly type: 'release' }
  /** From the lock, to the logic itself. */
  | { readonly type: 'taken'; readonly error: Error };

/**
 * A notification for the parent of `lockLogic` and for listeners with `on`: `granted` with the fence, or `lost` with the error.
 *
 * @public
 */
export type LockNotice =
  | (FromActor & { readonly type: 'granted'; readonly name: string; readonly fence: number })
  | (FromActor & { readonly type: 'lost'; readonly name: string; readonly error: unknown });

const acquireFrom = (locksOf: (input: LockInput) => Locks) =>
  fromPromise<Lock, LockInput>(async ({ input, signal }) => {
    const locks = locksOf(input);
    const { name, mode = 'exclusive' } = input;
    const lock = await locks.acquire(name, { mode, signal });
    // The grant may come just after the actor has stopped waiting.
    if (signal.aborted) lock.release();
    signal.addEventListener('abort', () => lock.release());
    return lock;
  });

/** `lock` and `fence` are added by the logic itself. */
const KNOWN = ['locks', 'name', 'mode', 'lock', 'fence'];

const acquire = acquireFrom((input: Partial<LockInput> | undefined) => {
  const { locks, name } = input ?? {};
  const unknown = Object.keys(input ?? {}).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined)
    throw new UsageError(`lockLogic has no input ${unknown}. Pass input: { locks, name, mode }, where mode is optional`);
  if (!locks || typeof name !== 'string')
    throw new UsageError(`lockLogic needs locks and the name of a lock as its input. Pass input: { locks, name: 'printer' }`);
  if (typeof locks.acquire === 'function') return locks;
  throw new UsageError(
    `lock "${name}" was restored from a snapshot, which contains no locks. Provide lockLogicOf(locks) as its logic`,
  );
});

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

const hold = fromCallback<LockEvent, { readonly lock: Lock }>(({ input: { lock }, sendBack, self }) => {
  const taken = () => sendBack({ type: 'taken', error: lock.signal.reason as Error });
  const isOfProcess = typeof lock.release === 'function';
  if (!isOfProcess || lock.isGivenBack) {
    const why = isOfProcess ? 'the actor has released it since' : 'the process that held it has ended';
    sendBack({ type: 'taken', error: new LostError(`lock "${lock.name}" is granted in a snapshot, but ${why}`) });
    return;
  }
  if (lock.signal.aborted) taken();
  lock.signal.addEventListener('abort', taken);
  let isNew = true;
  queueMicrotask(() => (isNew = false));
  return () => {
    if (isNew && !ended.has(lock) && parentOf(parentOf(self)!)) warnOfStop(lock);
    lock.signal.removeEventListener('abort', taken);
    lock.release();
  };
});

/**
 * A lock as plain XState actor logic: send it `request` and `release`, and receive `granted` and `lost`. Its states are `free`, `waiting`,
 * `granted` and, after its locks are closed, `closed`. Stopping the actor releases the lock, and leaving the invoking state stops it:
 * invoke it in a state that is active for as long as the lock is needed.
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
  types: {
    input: {} as LockInput,
    context: {} as LockInput & { readonly lock: Lock | null; readonly fence: number | null },
    events: {} as LockEvent,
    emitted: {} as LockNotice,
  },
  actors: { acquire, hold },
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
  context: ({ input }) => ({ ...input, lock: null, fence: null }),
  initial: 'free',
  states: {
    free: { on: { request: 'waiting' } },
    waiting: {
      invoke: {
        src: 'acquire',
        input: ({ context }) => context,
        onDone: { target: 'granted', actions: assign(({ event: { output } }) => ({ lock: output, fence: output.fence })) },
        onError: {
          target: 'closed',
          actions: { type: 'tell', params: ({ context, event }) => ({ type: 'lost', name: context.name, error: event.error }) },
        },
      },
      on: { release: 'free' },
    },
    granted: {
      entry: { type: 'tell', params: ({ context }) => ({ type: 'granted', name: context.name, fence: context.fence! }) },
      exit: ['noteEnd', 'forget'],
      invoke: { src: 'hold', input: ({ context }) => ({ lock: context.lock! }) },
      on: {
        release: 'free',
        taken: {
          target: 'free',
          actions: { type: 'tell', params: ({ context, event }) => ({ type: 'lost', name: context.name, error: event.error }) },
        },
      },
    },
    closed: { on: { request: 'waiting' } },
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
export const lockLogicOf = (locks: Locks): typeof lockLogic =>
  lockLogic.provide({ actors: { acquire: acquireFrom(() => locks) } });
