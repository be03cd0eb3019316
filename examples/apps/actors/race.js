/**
 * A race of several players. With the placement `sender`, it moves to the member whose player makes most of the steps, so that this
 * player does not wait for the network.
 */
import { assign, setup } from 'xstate';

export const race = setup({
  types: {
    context: /** @type {{ length: number, steps: Record<string, number> }} */ ({}),
    input: /** @type {{ length: number }} */ ({}),
    events: /** @type {{ type: 'STEP', player: string }} */ ({}),
  },
  actions: {
    step: assign({
      steps: ({ context: { steps }, event: { player } }) => ({ ...steps, [player]: (steps[player] ?? 0) + 1 }),
    }),
  },
  guards: { isLast: ({ context: { length, steps }, event: { player } }) => (steps[player] ?? 0) + 1 >= length },
}).createMachine({
  id: 'race',
  context: ({ input: { length } }) => ({ length, steps: {} }),
  initial: 'running',
  states: {
    running: { on: { STEP: [{ guard: 'isLast', target: 'won', actions: 'step' }, { actions: 'step' }] } },
    won: { type: 'final' },
  },
});
