/** When an object has closed, its link and its transport have closed as well: the program can end without a warning. */
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { createBank } from './controller/bank.js';
import { createNames } from './names.js';
import { createQuota } from './quota.js';
import { createElection } from './election.js';
import { watchElection } from './election-watch.js';
import { createLocks } from './locks/locks.js';
import { createNeighborhood } from './neighborhood.js';
import { createMulticast } from './queue/multicast.js';
import { createQueue } from './queue/queue.js';
import { broadcastChannel } from './transports/broadcast-channel.js';
import type { Transport } from './transports/transport.js';
import { webSocket } from './transports/web-socket.js';
import { webSocketHub } from './transports/web-socket-hub.js';

type Closable = { close(): Promise<void> };

const peers = ['a'];
const factories: Record<string, (transport: Transport) => Closable> = {
  createLocks: (transport) => createLocks({ transport, peers }),
  createElection: (transport) => createElection({ transport, peers }),
  watchElection: (transport) => watchElection({ transport, peers }),
  createQuota: (transport) => createQuota({ transport, peers, budget: 10 }),
  createNames: (transport) => createNames({ transport, peers }),
  createBank: (transport) => createBank({ transport, peers }),
  createQueue: (transport) => createQueue({ transport, peers }),
  createMulticast: (transport) => createMulticast({ transport, peers }),
  createNeighborhood: (transport) => createNeighborhood({ transport, peers }),
};

test.each(Object.keys(factories))('%s', async (name) => {
  const hub = await webSocketHub({ port: 0 });
  onTestFinished(() => hub.close());
  const transport = webSocket({ id: 'a', url: `ws://127.0.0.1:${hub.port}`, WebSocket });
  const object = factories[name]!(transport);
  await transport.connect();
  await object.close();
  expect(transport.isClosed).toBe(true);
});

test.each(Object.keys(factories))('%s: a second one is refused, and the first one closes the transport', async (name) => {
  const hub = await webSocketHub({ port: 0 });
  onTestFinished(() => hub.close());
  const transport = webSocket({ id: 'a', url: `ws://127.0.0.1:${hub.port}`, WebSocket });
  const object = factories[name]!(transport);
  expect(() => factories[name]!(transport)).toThrow('is already open');
  await transport.connect();
  await object.close();
  expect(transport.isClosed).toBe(true);
});

test('a transport on which a creation has failed takes other locks with other peers', async () => {
  const transport = broadcastChannel({ id: 'a' });
  expect(() => createLocks({ transport, peers: ['c'] })).toThrow('peers');
  const locks = createLocks({ transport, peers: ['a', 'b'] });
  await locks.close();
  expect(transport.isClosed).toBe(true);
});
