import { assign, fromPromise, setup } from 'xstate';

export const checkout = setup({
  actors: { charge: fromPromise(async () => ({ receipt: 'r1' })) },
}).createMachine({
  id: 'checkout',
  context: { receipt: null },
  initial: 'cart',
  states: {
    cart: { on: { PAY: 'paying' } },
    paying: {
      invoke: {
        src: 'charge',
        onDone: { target: 'paid', actions: assign({ receipt: ({ event }) => event.output.receipt }) },
        onError: 'cart', // remove this line, and npm test shows the shortest path to the mistake
      },
      after: { 10_000: 'cart' },
    },
    paid: { type: 'final' },
  },
});
