/**
 * An order: it is paid, or canceled when its payment is late.
 *
 * A charge may run again on another member, after its own has crashed. The payment service recognizes it by its key: the id of the order
 * and the number of the attempt, which both belong to the stored state.
 */
import { assign, fromPromise, setup } from 'xstate';

/** @typedef {{ key: string, amount: number }} Charge */

export const order = setup({
  types: {
    context: /** @type {{ id: string, amount: number, dueMs: number, attempt: number, receipt: string | null }} */ ({}),
    input: /** @type {{ id: string, amount: number, dueMs?: number }} */ ({}),
    events: /** @type {{ type: 'PAY' }} */ ({}),
  },
  actors: {
    charge: fromPromise(
      /** @returns {Promise<string>} */ (/** @type {{ input: Charge }} */ _) => Promise.reject(new Error('Provide charge')),
    ),
  },
  delays: { due: ({ context }) => context.dueMs },
}).createMachine({
  id: 'order',
  context: ({ input }) => ({ dueMs: 900_000, ...input, attempt: 0, receipt: null }),
  initial: 'open',
  states: {
    open: {
      on: { PAY: { target: 'charging', actions: assign({ attempt: ({ context }) => context.attempt + 1 }) } },
      after: { due: 'canceled' },
    },
    charging: {
      invoke: {
        src: 'charge',
        input: ({ context: { id, attempt, amount } }) => ({ key: `${id}/${attempt}`, amount }),
        onDone: { target: 'paid', actions: assign({ receipt: ({ event }) => event.output }) },
        onError: 'open',
      },
    },
    paid: { type: 'final' },
    canceled: { type: 'final' },
  },
});
