import { sendTo, setup } from 'xstate';
import { lockLogic, type Locks } from 'xstate-quiver/locks';

export const printer = setup({
  types: {} as {
    input: { readonly locks: Locks; readonly print: (fence: number) => void };
    context: { readonly locks: Locks; readonly print: (fence: number) => void };
  },
  actors: { lock: lockLogic },
  actions: {
    requestLock: sendTo('lock', { type: 'request' }),
    releaseLock: sendTo('lock', { type: 'release' }),
    print: ({ context, event }) => context.print(event['fence']),
  },
}).createMachine({
  id: 'printer',
  context: ({ input }) => input,
  // Invoked here, the lock actor lives as long as the machine. A lock that a single state invokes is released when that state is left.
  invoke: { id: 'lock', src: 'lock', input: ({ context }) => ({ locks: context.locks, name: 'printer' }) },
  initial: 'waiting',
  states: {
    waiting: { entry: 'requestLock', on: { granted: { target: 'printing', actions: 'print' } } },
    printing: {
      after: { 50: 'done' },
      exit: 'releaseLock',
      on: { lost: 'waiting' }, // another peer holds the lock now: request it again
    },
    done: {},
  },
});
