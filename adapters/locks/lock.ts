/**
 * A lock as plain XState actor logic, for machines that hold it while they are in a state.
 *
 * Snapshots persist and restore. What is live does not survive as text: a machine restored from it in another process is told `lost`
 * if it held the lock, and waits again if it waited, for the locks of `lockLogicOf(locks)`, which takes the place of `lockLogic` there.
 *
 * States. `free`: not wanted. `waiting`: asked for; leaving the state gives up. `granted`: held, until `release` or until it is lost.
 * `closed`: the locks behind it are closed, or it was asked for wrongly; who asks again hears so again.
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
 * What `lockLogic` is sent: `request` asks for the lock, `release` gives it back or stops waiting. It sends itself `taken`.
 *
 * @public
 */
export type LockEvent =
  | { readonly type: 'request' }
  | { readonly type: 'release' }
  /** From the lock. */
  | { readonly type: 'taken'; readonly error: Error };

/**
 * What the parent of `lockLogic` receives, and whoever listens with `on`: `granted` with the fence, or `lost` with the error.
 *
 * @public
 */
export type LockNotification =
  | (FromActor & { readonly type: 'granted'; readonly name: string; readonly fence: number })
  | (FromActor & { readonly type: 'lost'; readonly name: string; readonly error: unknown });

const acquireFrom = (locksOf: (input: LockInput) => Locks) =>
  fromPromise<Lock, LockInput>(async ({ input, signal }) => {
    const locks = locksOf(input);
    const { name, mode = 'exclusive' } = input;
    const lock = await locks.acquire(name, { mode, signal });
    // The grant may come in the very moment in which nobody waits for it any more.
    if (signal.aborted) lock.release();
    signal.addEventListener('abort', () => lock.release());
    return lock;
  });

/** `lock` and `fence` are what the logic adds itself. */
const KNOWN = ['locks', 'name', 'mode', 'lock', 'fence'];

const acquire = acquireFrom((input: Partial<LockInput> | undefined) => {
  const { locks, name } = input ?? {};
  const unknown = Object.keys(input ?? {}).find((key) => !KNOWN.includes(key));
  if (unknown !== undefined)
    throw new UsageError(`lockLogic has no input ${unknown}. Pass input: { locks, name, mode }, of which mode may be left out`);
  if (!locks || typeof name !== 'string')
    throw new UsageError(`lockLogic takes its locks and the name of one as its input. Pass input: { locks, name: 'printer' }`);
  if (typeof locks.acquire === 'function') return locks;
  throw new UsageError(
    `lock "${name}" was restored from a snapshot, which contains no locks. Provide lockLogicOf(locks) as its logic`,
  );
});

/** Locks that were released or lost; of every other one its actor was stopped. */
const ended = new WeakSet<Lock>();

/** A machine that leaves the state on `granted` would work without the lock. */
const warnOfStop = (lock: Lock): void =>
  console.warn(
    escape(
      `lock "${lock.name}" was released in the moment of its grant, because the state that invokes lockLogic was left. ` +
        'Invoke lockLogic in a state that is active for as long as the lock is needed, a parent of the state that works, for instance',
    ),
  );

const hold = fromCallback<LockEvent, { readonly lock: Lock }>(({ input: { lock }, sendBack, self }) => {
  const taken = () => sendBack({ type: 'taken', error: lock.signal.reason as Error });
  const isOfProcess = typeof lock.release === 'function';
  if (!isOfProcess || lock.isGivenBack) {
    const by = isOfProcess ? 'an actor that has given it back' : 'a process that has ended';
    sendBack({ type: 'taken', error: new LostError(`lock "${lock.name}" was held by ${by}`) });
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
 * A lock as plain XState actor logic: send it `request` and `release`, and hear `granted` and `lost`. Its states are `free`,
 * `waiting`, `granted` and, once the locks behind it are closed, `closed`. Stopping it gives the lock back, and leaving the state that invokes it
 * stops it: invoke it in a state that is active for as long as the lock is needed.
 *
 * @example
 * ```ts
 * import { createActor } from 'xstate';
 * import { InProcessBus } from 'xstate-quiver/transports';
 * import { lockLogic, createLocks } from 'xstate-quiver/locks';
 *
 * const locks = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a'] });
 * const printer = createActor(lockLogic, { input: { locks, name: 'printer' } }); // or invoked by a machine of yours
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
    emitted: {} as LockNotification,
  },
  actors: { acquire, hold },
  actions: {
    noteEnd: ({ context: { lock } }) => lock && void ended.add(lock),
    forget: assign({ lock: null, fence: null }),
    tell: enqueueActions(({ enqueue, self }, told: WithoutFrom<LockNotification>) => {
      const notification = { ...told, from: self.id };
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
 * The same logic for machines that are restored from persisted text: it asks these locks, whichever its snapshot speaks of. What
 * held the lock when it was persisted is told `lost`, what waited waits again.
 *
 * @returns logic to provide in place of `lockLogic`.
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
 * // Later, in another process, with locks of its own:
 * const provided = printing.provide({ actors: { lock: lockLogicOf(locks) } });
 * createActor(provided, { snapshot: JSON.parse(text) }).start();
 * await locks.close();
 * ```
 * @public
 */
export const lockLogicOf = (locks: Locks): typeof lockLogic =>
  lockLogic.provide({ actors: { acquire: acquireFrom(() => locks) } });
