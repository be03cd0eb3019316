/** Drag and drop: a press becomes a drag by moving or waiting, Escape cancels it, and the new place is stored. */
import { assign, fromPromise, setup } from 'xstate';

interface Drag {
  readonly stored: number;
  readonly from: number;
  readonly at: number;
}

const THRESHOLD = 3;

export const dragAndDrop = setup({
  types: {
    context: {} as Drag,
    events: {} as { type: 'DOWN' } | { type: 'MOVE'; by: number } | { type: 'UP' } | { type: 'ESCAPE' },
  },
  actors: { store: fromPromise<void, { at: number }>(async () => {}) },
  actions: {
    move: assign({ at: ({ context, event }) => (event.type === 'MOVE' ? context.from + event.by : context.at) }),
    take: assign({ from: ({ context }) => context.at }),
    putBack: assign({ at: ({ context }) => context.stored }),
    keep: assign({ stored: ({ context }) => context.at }),
    announce: () => {},
  },
  guards: {
    isFar: ({ event }) => event.type === 'MOVE' && Math.abs(event.by) >= THRESHOLD,
    isMoved: ({ context }) => context.at !== context.stored,
  },
  delays: { longPress: 400 },
}).createMachine({
  id: 'drag',
  context: { stored: 0, from: 0, at: 0 },
  initial: 'idle',
  states: {
    idle: { on: { DOWN: { target: 'pressed', actions: 'take' } } },
    pressed: {
      on: { MOVE: { guard: 'isFar', target: 'dragging', actions: 'move' }, UP: 'idle' },
      after: { longPress: 'dragging' },
    },
    dragging: {
      entry: 'announce',
      on: {
        MOVE: { actions: 'move' },
        UP: [{ guard: 'isMoved', target: 'storing' }, { target: 'idle' }],
        ESCAPE: { target: 'idle', actions: 'putBack' },
      },
    },
    storing: {
      invoke: {
        src: 'store',
        input: ({ context }) => ({ at: context.at }),
        onDone: { target: 'idle', actions: 'keep' },
        onError: { target: 'idle', actions: 'putBack' },
      },
    },
  },
});
