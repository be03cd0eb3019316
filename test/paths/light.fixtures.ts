/** A small protocol of one chart, a traffic light with a counter, for tests of paths and coverage. */
import { assign, setup, type AnyStateMachine } from 'xstate';
import type { Message } from '../../machines/effects.js';
import { effects, send } from '../../machines/effects.js';
import type { Protocol } from '../../machines/protocol.js';
import { toy } from '../explore/toys.fixtures.js';

interface Light {
  readonly count: number;
  readonly max: number;
}

type In = { context: Light };

export const lightChart = setup({
  types: { context: {} as Light, input: {} as { readonly max?: number }, events: {} as Message },
  actions: { ...effects(), count: assign({ count: ({ context }) => context.count + 1 }) },
  guards: { isFull: ({ context }: In) => context.count === context.max, isNever: () => false },
}).createMachine({
  id: 'light',
  context: ({ input }) => ({ count: 0, max: input.max ?? 1 }),
  initial: 'red',
  states: {
    red: {
      on: {
        go: [
          { guard: 'isFull', target: 'broken' },
          { target: 'green', actions: ['count', send(() => ({ to: 'n0', message: { type: 'go' } }))] },
        ],
      },
    },
    green: { on: { stop: { target: 'red' } } },
    broken: { on: { stop: { guard: 'isNever', target: 'red' } } },
  },
});

export const light = (chart: AnyStateMachine = lightChart, max = 1): Protocol =>
  toy({
    chart,
    commands: ['go', 'stop'],
    samples: { toy: [{ input: { max }, events: () => [{ type: 'go' }, { type: 'stop' }] }] },
  });
