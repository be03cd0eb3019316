import { assign, fromPromise, setup } from 'xstate';

/** A checkout with a mistake. Press Test: the shortest path to it is below. The comment in it is the fix. */
export const checkout = setup({
  types: { context: {} as { receipt: string | null } },
  actors: { charge: fromPromise(async (): Promise<{ receipt: string }> => ({ receipt: 'r1' })) },
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
        // onError: 'cart',
      },
      after: { 10_000: 'cart' },
    },
    paid: { type: 'final' },
  },
});

/** The results that the service can have, and what must hold in every state. */
export default {
  services: { charge: { done: [{ receipt: 'r1' }], fails: [new Error('declined')] } },
  invariants: {
    'a paid order has a receipt': ({ value, context }: { value: unknown; context: { receipt: string | null } }) =>
      value !== 'paid' || context.receipt !== null,
  },
};
