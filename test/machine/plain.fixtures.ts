/** Two machines without time and services, which @xstate/test, xstate/graph and describeMachine can all take. */
import { assign, setup } from 'xstate';
import type { Message } from '../../machines/effects.js';

const events = {} as Message & { readonly coin?: number; readonly by?: number };

export const feedback = setup({ types: { events } }).createMachine({
  id: 'feedback',
  initial: 'question',
  states: {
    question: { on: { GOOD: 'thanks', BAD: 'form', CLOSE: 'closed' } },
    form: { on: { SUBMIT: 'thanks', CLOSE: 'closed' } },
    thanks: { on: { CLOSE: 'closed' } },
    closed: {},
  },
});

const price = 3;

export const vending = setup({
  types: { events, context: {} as { readonly paid: number } },
  actions: { pay: assign({ paid: ({ context, event }) => context.paid + (event.coin ?? 0) }) },
  guards: { hasRoom: ({ context }) => context.paid < price, isPaid: ({ context }) => context.paid >= price },
}).createMachine({
  id: 'vending',
  context: { paid: 0 },
  initial: 'idle',
  states: {
    idle: {
      on: {
        COIN: { guard: 'hasRoom', actions: 'pay' },
        TAKE: { guard: 'isPaid', target: 'served', actions: assign({ paid: 0 }) },
      },
    },
    served: { on: { AGAIN: 'idle' } },
  },
});
