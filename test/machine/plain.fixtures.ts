/** Three machines without time and services, which @xstate/test, xstate/graph and describeMachine can all take. */
import { assign, setup, type AnyStateMachine } from 'xstate';
import type { Message } from '../../machines/effects.js';
import type { MachineTests } from './options.js';

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

export const textStyle = setup({ types: { events } }).createMachine({
  id: 'style',
  type: 'parallel',
  states: {
    bold: { initial: 'off', states: { off: { on: { BOLD: 'on' } }, on: { on: { BOLD: 'off' } } } },
    list: {
      initial: 'none',
      states: {
        none: { on: { BULLETS: 'bullets', NUMBERS: 'numbers' } },
        bullets: { on: { NUMBERS: 'numbers' } },
        numbers: { on: { PLAIN: 'none' } },
      },
    },
  },
});

export interface Plain {
  readonly machine: AnyStateMachine;
  readonly tests: MachineTests;
}

export const plain: Readonly<Record<string, Plain>> = {
  feedback: { machine: feedback, tests: {} },
  vending: { machine: vending, tests: { events: { COIN: [{ coin: 1 }, { coin: 2 }] } } },
  style: { machine: textStyle, tests: {} },
};
