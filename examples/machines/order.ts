/** An order whose lines are actors: each checks whether its article is in stock, and notifies the order. */
import { assign, fromPromise, sendParent, setup, stopChild, type ActorRefFrom } from 'xstate';

export const line = setup({
  types: {
    context: {} as { article: string },
    input: {} as { article: string },
    events: {} as { type: 'CHECK_AGAIN' },
  },
  actors: { stock: fromPromise<boolean, { article: string }>(async () => true) },
}).createMachine({
  id: 'line',
  context: ({ input }) => ({ article: input.article }),
  initial: 'checking',
  states: {
    checking: {
      invoke: {
        src: 'stock',
        input: ({ context }) => ({ article: context.article }),
        onDone: [{ guard: ({ event }) => event.output, target: 'available' }, { target: 'missing' }],
        onError: 'missing',
      },
    },
    available: {
      entry: sendParent({ type: 'line.available' }),
      exit: sendParent({ type: 'line.doubtful' }),
      on: { CHECK_AGAIN: 'checking' },
    },
    missing: { on: { CHECK_AGAIN: 'checking' } },
  },
});

interface Order {
  readonly lines: readonly ActorRefFrom<typeof line>[];
  readonly available: number;
}

const LINES_MAX = 2;

export const order = setup({
  types: {
    context: {} as Order,
    events: {} as
      | { type: 'ADD'; article: string }
      | { type: 'REMOVE' }
      | { type: 'line.available' }
      | { type: 'line.doubtful' }
      | { type: 'SUBMIT' }
      | { type: 'CANCEL' },
  },
  actors: { line, place: fromPromise<string, { lines: number }>(async () => 'order 1') },
  actions: {
    add: assign({
      lines: ({ context, event, spawn }) =>
        event.type === 'ADD' ? [...context.lines, spawn('line', { input: { article: event.article } })] : context.lines,
    }),
    stopLast: stopChild(({ context }) => context.lines.at(-1)!),
    dropLast: assign({ lines: ({ context }) => context.lines.slice(0, -1) }),
    recount: assign({
      available: ({ context }) => context.lines.filter((ref) => ref.getSnapshot().matches('available')).length,
    }),
  },
  guards: {
    hasRoom: ({ context }) => context.lines.length < LINES_MAX,
    hasLines: ({ context }) => context.lines.length > 0,
    isComplete: ({ context }) => context.lines.length > 0 && context.available === context.lines.length,
  },
}).createMachine({
  id: 'order',
  context: { lines: [], available: 0 },
  on: { 'line.available': { actions: 'recount' }, 'line.doubtful': { actions: 'recount' } },
  initial: 'open',
  states: {
    open: {
      on: {
        ADD: { guard: 'hasRoom', actions: 'add' },
        REMOVE: { guard: 'hasLines', actions: ['stopLast', 'dropLast', 'recount'] },
        SUBMIT: { guard: 'isComplete', target: 'placing' },
        CANCEL: 'canceled',
      },
    },
    placing: {
      invoke: { src: 'place', input: ({ context }) => ({ lines: context.lines.length }), onDone: 'placed', onError: 'open' },
    },
    placed: { type: 'final' },
    canceled: { type: 'final' },
  },
});
