/** A room of a game: players come, go and step. With `placement: 'sender'` it moves to the process that its players use. */
import { assign, setup } from 'xstate';

export const roomMachine = setup({
  types: {
    context: {} as { places: Readonly<Record<string, number>> },
    events: {} as { type: 'JOIN' | 'LEAVE'; player: string } | { type: 'STEP'; player: string; by: 1 | -1 },
  },
  guards: { isHere: ({ context, event }) => event.player in context.places },
}).createMachine({
  context: { places: {} },
  on: {
    JOIN: { actions: assign({ places: ({ context, event }) => ({ ...context.places, [event.player]: 0 }) }) },
    LEAVE: {
      actions: assign({
        places: ({ context, event }) =>
          Object.fromEntries(Object.entries(context.places).filter(([player]) => player !== event.player)),
      }),
    },
    STEP: {
      guard: 'isHere',
      actions: assign({
        places: ({ context, event }) => ({
          ...context.places,
          [event.player]: context.places[event.player]! + (event.type === 'STEP' ? event.by : 0),
        }),
      }),
    },
  },
});
