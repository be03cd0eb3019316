/** Ordered multicast with processes that are killed, paused and disconnected: after the repair, all peers deliver in one order. */
import { expect, test } from 'vitest';
import { createMulticast, type OrderedMessage } from '../../adapters/queue/multicast.js';
import { linked } from '../../adapters/linked.js';
import { webSocket } from '../../adapters/transports/web-socket.js';
import { webSocketHub } from '../../adapters/transports/web-socket-hub.js';
import { invariant } from './judges.js';
import type { Main } from './peer.js';
import type { RehearseOptions } from './options.js';
import { rehearse } from './rehearse.js';
import type { RehearsalEvent } from './world.js';

/** Faults heal after 40 % of the run. Later messages are sent after the repair, and early enough to be delivered. */
const SECONDS = 250;
const REPAIRED_MS = 170_000;
const LAST_MS = 230_000;
const ROUND_TRIP_MS = 7000;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/** An application that shows messages; with `echoes` it makes a mistake, and shows its own messages before they have their place. */
const showing =
  ({ echoes }: { readonly echoes: boolean }): Main =>
  async ({ id, peers, life, note }) => {
    const transport = linked(webSocket({ id, url: 'ws://hub' }), { peers, beatMs: 500, patience: 6 });
    const multicast = createMulticast<string>({ transport, peers, roundTripMs: ROUND_TRIP_MS });
    multicast.addEventListener('message', (event) => {
      const { peer, message } = (event as CustomEvent<OrderedMessage<string>>).detail;
      if (!echoes || peer !== id) note('shows', { message });
    });
    for (let i = 1; ; i++) {
      await sleep(4000 + 500 * peers.indexOf(id));
      const message = `${id} ${life} ${i}`;
      note('sends', { message });
      if (echoes) note('shows', { message });
      multicast.send(message).catch(() => {});
    }
  };

/** All peers deliver the messages that are sent after the repair, in one order. */
const oneOrder = () =>
  invariant('one order after the repair', ({ history }) => {
    const last = history.at(-1)!;
    if (last.at < (SECONDS - 1) * 1000) return true;
    const isPromised = ({ at }: RehearsalEvent) => at > REPAIRED_MS && at < LAST_MS;
    const promised = new Set(
      history.filter((event) => event.what === 'sends' && isPromised(event)).map(({ message }) => message),
    );
    const orders = new Map<unknown, unknown[]>();
    for (const { what, peer, message } of history) {
      if (what === 'shows' && promised.has(message)) orders.set(peer, [...(orders.get(peer) ?? []), message]);
    }
    const [first = []] = orders.values();
    if (promised.size < 20 || orders.size < 3) return `${promised.size} messages reached ${orders.size} peers`;
    const isWrong = ([, order]: [unknown, unknown[]]) => order.length < promised.size || order.some((one, i) => one !== first[i]);
    const wrong = [...orders].find(isWrong);
    return wrong ? `${String(wrong[0])} shows ${wrong[1].join(', ')} instead of ${first.join(', ')}` : true;
  });

const rehearsal = {
  peers: 3,
  services: { hub: ({ listen, WebSocketServer }) => webSocketHub({ server: listen(), WebSocketServer }) },
  faults: ['kill', 'pause', 'cut'],
  runs: 1,
  // Each process is killed, and two are paused or disconnected.
  seed: 4,
  seconds: SECONDS,
  shrinkSeconds: 0,
  judges: [oneOrder()],
} satisfies RehearseOptions;

test('processes are killed, paused and disconnected: later messages have one order', async () => {
  const { failure, counts } = await rehearse(rehearsal, showing({ echoes: false }));
  expect(failure).toBeNull();
  expect(counts['fault']).toBeGreaterThan(3);
  expect(counts['end']).toBeGreaterThan(3);
}, 120_000);

test('mistake: an application that shows its own messages at once', async () => {
  const { failure } = await rehearse({ ...rehearsal, runs: 3, seed: 1 }, showing({ echoes: true }));
  expect(failure?.judge).toBe('one order after the repair');
}, 120_000);
