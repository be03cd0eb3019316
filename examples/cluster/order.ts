/**
 * An order workflow: it is open until a payment arrives or a day has passed, and charges the customer once, even if processes end.
 *
 * The payment service is called by a promise, which starts again when the order moves. Its idempotency key is the id of the order.
 */
import { assign, fromPromise, setup } from 'xstate';

/** A payment service outside of the cluster: it remembers keys. */
export class PaymentService {
  readonly charges = new Map<string, number>();
  calls = 0;

  async charge(key: string, amount: number): Promise<void> {
    this.calls++;
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (!this.charges.has(key)) this.charges.set(key, amount);
  }
}

export const orderMachine = (payments: PaymentService, patienceMs = 86_400_000) =>
  setup({
    types: {
      input: {} as { id: string },
      context: {} as { id: string; amount: number },
      events: {} as { type: 'PAY'; amount: number },
    },
    actors: {
      charge: fromPromise(({ input }: { input: { id: string; amount: number } }) => payments.charge(input.id, input.amount)),
    },
    delays: { patience: patienceMs },
  }).createMachine({
    context: ({ input }) => ({ id: input.id, amount: 0 }),
    initial: 'open',
    states: {
      open: {
        on: { PAY: { target: 'charging', actions: assign({ amount: ({ event }) => event.amount }) } },
        after: { patience: 'canceled' },
      },
      charging: { invoke: { src: 'charge', input: ({ context }) => context, onDone: 'paid', onError: 'open' } },
      paid: { type: 'final' },
      canceled: { type: 'final' },
    },
  });
