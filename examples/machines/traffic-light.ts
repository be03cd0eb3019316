/** A traffic light with a button for pedestrians, who get green while the cars have red. */
import { assign, setup } from 'xstate';

export const trafficLight = setup({
  types: { context: {} as { isWanted: boolean }, events: {} as { type: 'BUTTON' } | { type: 'POWER_CUT' } | { type: 'POWER' } },
  actions: { want: assign({ isWanted: true }), serve: assign({ isWanted: false }), beep: () => {} },
  guards: { isWanted: ({ context }) => context.isWanted },
  delays: { greenMin: 10_000, yellow: 2000, walk: 6000, clear: 3000 },
}).createMachine({
  id: 'light',
  context: { isWanted: false },
  initial: 'working',
  states: {
    working: {
      initial: 'green',
      on: { POWER_CUT: 'dark', BUTTON: { actions: 'want' } },
      states: {
        green: {
          tags: 'cars go',
          initial: 'kept',
          states: {
            kept: { after: { greenMin: 'free' } },
            free: { always: { guard: 'isWanted', target: '#light.working.yellow' } },
          },
        },
        yellow: { after: { yellow: 'red' } },
        red: {
          initial: 'walk',
          states: {
            walk: { tags: 'pedestrians go', entry: ['serve', 'beep'], after: { walk: 'clear' } },
            clear: { after: { clear: '#light.working.green' } },
          },
        },
      },
    },
    dark: { on: { POWER: 'working' } },
  },
});
