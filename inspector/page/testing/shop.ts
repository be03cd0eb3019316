/** A shop as a program of ordinary size: actors with children, a promise, a callback, and one name for two actors. */
import { assign, createActor, fromCallback, fromPromise, sendTo, setup, type AnyActorRef } from 'xstate';

const payment = fromPromise(async ({ input }: { input: { total: number } }) => `receipt for ${input.total}`);

const clock = fromCallback(({ receive, sendBack }) => receive(() => sendBack({ type: 'TICK' })));

const checkout = setup({ actors: { payment }, guards: { hasTotal: ({ context }) => context.total > 0 } }).createMachine({
  id: 'checkout',
  initial: 'reviewing',
  context: { total: 42 },
  states: {
    reviewing: { on: { CONFIRM: [{ guard: 'hasTotal', target: 'paying' }, 'rejected'], CANCEL: 'rejected' } },
    paying: {
      invoke: {
        id: 'payment',
        src: 'payment',
        input: ({ context }) => ({ total: context.total }),
        onDone: 'reviewing',
        onError: 'rejected',
      },
    },
    rejected: { on: { RETRY: 'reviewing' } },
  },
});

const cart = setup({}).createMachine({
  id: 'cart',
  type: 'parallel',
  context: { items: 0 },
  states: {
    stock: {
      initial: 'empty',
      states: { empty: { on: { ADD: 'filled' } }, filled: { on: { CLEAR: 'empty' } } },
    },
    coupon: { initial: 'none', states: { none: { on: { COUPON: 'applied' } }, applied: { on: { NO_COUPON: 'none' } } } },
  },
});

const boss = setup({ actors: { cart, checkout, clock } }).createMachine({
  id: 'boss',
  initial: 'open',
  context: { ticks: 0 },
  invoke: [
    { id: 'cart', src: 'cart' },
    { id: 'checkout', src: 'checkout' },
    { id: 'clock', src: 'clock' },
  ],
  on: { TICK: { actions: assign({ ticks: ({ context }) => context.ticks + 1 }) } },
  states: {
    open: {
      on: {
        BUY: {
          actions: [sendTo('cart', { type: 'ADD' }), sendTo('checkout', { type: 'CONFIRM' }), sendTo('clock', { type: 'WIND' })],
        },
        CLOSE: 'closed',
      },
    },
    closed: { on: { OPEN: 'open' } },
  },
});

const session = setup({}).createMachine({
  id: 'session',
  initial: 'signedOut',
  states: { signedOut: { on: { SIGN_IN: 'signedIn' } }, signedIn: { on: { SIGN_OUT: 'signedOut' } } },
});

/** Starts the actors of the shop; each call of `buy` pays once. */
export function startShop(): { readonly stop: () => void; buy(): Promise<void> } {
  const [own, user, other] = [
    createActor(boss, { id: 'boss' }),
    createActor(session, { id: 'session' }),
    createActor(checkout, { id: 'checkout' }),
  ] as const;
  const all: readonly AnyActorRef[] = [own, user, other];
  for (const actor of all) actor.start();
  return {
    stop: () => all.forEach((actor) => actor.stop()),
    async buy() {
      own.send({ type: 'BUY' });
      user.send({ type: user.getSnapshot().matches('signedIn') ? 'SIGN_OUT' : 'SIGN_IN' });
      other.send({ type: other.getSnapshot().matches('rejected') ? 'RETRY' : 'CANCEL' });
      const child = own.getSnapshot().children['checkout']!;
      while (!child.getSnapshot().matches('reviewing')) await Promise.resolve();
    },
  };
}
