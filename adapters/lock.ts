/**
 * A lock as plain XState actor logic, for machines that hold it while they are in a state.
 *
 *     setup({ actors: { lock: lockLogic } }).createMachine({
 *       invoke: { id: 'lock', src: 'lock', input: { transport, peers: ['a', 'b'], name: 'printer' } }, …
 *
 * Send it `request` and `release`; the parent receives `granted` with the fence, and `lost` with the error when the lock is taken
 * away. Invoke it where your machine begins: as long as it runs its node passes the token on for the others, whether or not you want
 * the lock yourself.
 *
 * States. `free`: not wanted. `waiting`: asked for. `withdrawn`: asked for and no longer wanted; a request cannot be called back from
 * the queue, so the grant will come and is given back at once, and wanting the lock again takes up the old place. `granted`: held,
 * until `release`. `lost`: the node is gone.
 */
import { assign, enqueueActions, sendTo, setup, type AnyActorRef } from 'xstate';
import { createLockNode, type LockInput } from './lock-node.js';
import { nodeLogic } from './node-logic.js';

export type { LockInput } from './lock-node.js';

export type LockEvent =
  | { readonly type: 'request' }
  | { readonly type: 'release' }
  /** From the node. */
  | { readonly type: 'granted'; readonly fence: number }
  | { readonly type: 'queued' }
  | { readonly type: 'released' };

/** What the parent receives, and whoever listens with `on`. */
export type LockNotice =
  | { readonly type: 'granted'; readonly name: string; readonly fence: number }
  /** Somebody else holds the lock or is before us. */
  | { readonly type: 'queued'; readonly name: string }
  | { readonly type: 'lost'; readonly name: string; readonly error: unknown };

/** The node under the lock. To restore a snapshot, provide one that brings its transport: see node-logic.ts. */
export const lockNode = nodeLogic<LockInput>(createLockNode);

export const lockLogic = setup({
  types: {
    input: {} as LockInput,
    context: {} as { readonly name: string; readonly fence: number | null },
    events: {} as LockEvent,
    emitted: {} as LockNotice,
  },
  actors: { node: lockNode },
  actions: {
    ask: sendTo('node', { type: 'request' }),
    giveBack: sendTo('node', { type: 'release' }),
    keepFence: assign({ fence: ({ event }) => (event.type === 'granted' ? event.fence : null) }),
    tell: enqueueActions(({ enqueue, self }, notice: LockNotice) => {
      enqueue.emit(notice);
      const parent: AnyActorRef | undefined = self._parent;
      if (parent) enqueue.sendTo(parent, notice);
    }),
  },
}).createMachine({
  id: 'lock',
  context: ({ input }) => ({ name: input.name, fence: null }),
  invoke: {
    id: 'node',
    src: 'node',
    input: ({ event }) => (event as unknown as { input: LockInput }).input,
    onError: {
      target: '.lost',
      actions: { type: 'tell', params: ({ context, event }) => ({ type: 'lost', name: context.name, error: event.error }) },
    },
  },
  initial: 'free',
  states: {
    free: { on: { request: { target: 'waiting', actions: 'ask' } } },
    waiting: {
      on: {
        granted: {
          target: 'granted',
          actions: ['keepFence', { type: 'tell', params: ({ context, event }) => ({ ...event, name: context.name }) }],
        },
        queued: { actions: { type: 'tell', params: ({ context, event }) => ({ ...event, name: context.name }) } },
        release: 'withdrawn',
      },
    },
    withdrawn: { on: { request: 'waiting', granted: { target: 'free', actions: 'giveBack' } } },
    granted: { on: { release: { target: 'free', actions: 'giveBack' } } },
    lost: {},
  },
});
