/**
 * Two services number invoices under a lock. `careless` ignores the lock's fence, and its store does not check it: a service that stalls
 * between taking a number and writing it overwrites the number of another service. `careful` passes the fence to the store.
 *
 *
 *     npx quiver rehearse examples/invoices.ts#careless
 *
 * `main` is the service as it would run anywhere: it depends only on its arguments, not on a rehearsal (docs/rehearsal.md).
 */
import { createLocks } from 'xstate-quiver/locks';
import { invariant, lockJudges, type Main, type RehearsedPeer } from 'xstate-quiver/rehearsal';
import { linked, webSocket } from 'xstate-quiver/transports';
import { webSocketHub } from 'xstate-quiver/transports/node';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const service =
  (isCareful: boolean): Main =>
  async ({ id, peers, store, watch, note }: RehearsedPeer) => {
    const transport = linked(webSocket({ id, url: 'ws://hub' }), { peers });
    const locks = watch(createLocks({ transport, peers }));
    for (let order = 1; ; order++) {
      await sleep(200 + Math.random() * 200);
      try {
        await locks.request('invoices', async ({ fence }) => {
          const options = isCareful ? { fence } : {};
          const number = ((await store.read('last', options)) as number | undefined) ?? 0;
          await sleep(1_000); // writes the invoice
          // The store rejects a former holder here: it knows a later fence of the key from another reader or writer.
          await store.write('last', number + 1, options);
          await store.write(`invoice ${number + 1}`, `order ${order} of ${id}`, options);
          note('sent', { invoice: number + 1 });
        });
      } catch (error) {
        // The lock was lost, or the store has received a larger fence: retry the order.
        if (!['LostError', 'StaleFenceError'].includes((error as Error).name)) throw error;
      }
    }
  };

/** No invoice number is given to two orders. */
const once = invariant('one order for each invoice', ({ history }) => {
  const orders = new Map<string, unknown>();
  for (const { type, key, value } of history) {
    if (type !== 'write' || key === 'last') continue;
    if (orders.has(key as string) && orders.get(key as string) !== value)
      return `${key as string} was for ${orders.get(key as string)}, and is for ${value as string} now`;
    orders.set(key as string, value);
  }
  return true;
});

const common = {
  peers: 3,
  faults: ['kill', 'pause', 'cut'] as const,
  services: { hub: (({ listen, WebSocketServer }) => webSocketHub({ server: listen(), WebSocketServer })) as Main },
  judges: [...lockJudges(), once],
};

export const careless = { ...common, main: service(false) };
export const careful = { ...common, main: service(true) };
