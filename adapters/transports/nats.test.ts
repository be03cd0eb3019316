import { createServer, type AddressInfo } from 'node:net';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { transportConformance } from './conformance.js';
import { faster } from './clock.fixture.js';
import { fuzz } from './fuzz.fixture.js';
import { nats } from './nats.js';
import { freePort, hasCommand } from '../../testing/servers.js';
import { natsServer, type Server } from './servers.fixture.js';
import { topicToken } from './frame.js';
import { natsGuarantees } from './guarantees.js';

const isMissing = !hasCommand('nats-server');
if (isMissing) console.warn('skipped: the NATS tests need nats-server (Debian: apt-get install nats-server)');

test('an absent server causes a ConnectionError', async () => {
  const port = await freePort();
  const a = nats({ id: 'a', connection: () => connect({ servers: `127.0.0.1:${port}`, reconnect: false }) });
  await expect(a.connect()).rejects.toMatchObject({ name: 'ConnectionError' });
  await a.close();
});

test('if connection throws a value that is not an error, the report contains it', async () => {
  const connection = () => {
    // oxlint-disable-next-line no-throw-literal
    throw 1;
  };
  await expect(nats({ id: 'a', connection }).connect()).rejects.toThrow('peer "a" has no connection to NATS: 1');
});

/** A server that implements NATS up to a subscription. It breaks the given number of connections before it answers. */
async function brittleServer(breaking: number) {
  const notified: string[] = [];
  const server = createServer((socket) => {
    const isBreaking = breaking-- > 0;
    socket.on('error', () => {});
    socket.write('INFO {"server_id":"s","version":"2.10.0","proto":1,"headers":true,"max_payload":8388608}\r\n');
    socket.on('data', (bytes) => {
      const lines = bytes.toString().split('\r\n');
      const subscriptions = lines.filter((line) => line.startsWith('SUB'));
      notified.push(...subscriptions);
      if (isBreaking && subscriptions.length > 0) socket.destroy();
      else for (const line of lines) if (line === 'PING') socket.write('PONG\r\n');
    });
  });
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const connection = () => connect({ servers: `127.0.0.1:${port}`, maxReconnectAttempts: -1, reconnectTimeWait: 10 });
  return { notified, connection };
}

test('a connection that breaks before the server answers is made and asked again', async () => {
  const { notified, connection } = await brittleServer(3);
  const a = nats({ id: 'a', connection });
  await a.connect();
  expect(notified.length).toBe(8);
  const own = topicToken('a');
  expect(new Set(notified)).toEqual(new Set([`SUB quiver.${own} 1`, `SUB quiver.${own}.* 2`]));
  await a.close();
});

test('closing a peer while a server breaks each connection leaves none open', async () => {
  const { notified, connection } = await brittleServer(Infinity);
  let made: NatsConnection | undefined;
  const a = nats({ id: 'a', connection: async () => (made = await connection()) });
  const connecting = a.connect().catch((error: Error) => error.name);
  await expect.poll(() => notified.length).toBeGreaterThan(2);
  await a.close();
  expect(await connecting).toBe('ClosedError');
  expect(made!.isClosed()).toBe(true);
});

describe.skipIf(isMissing)('over a real nats-server', () => {
  let server: Server;
  let networks = 0;
  const connection = () => connect({ servers: `127.0.0.1:${server.port}` });

  beforeAll(async () => {
    server = await natsServer();
  });
  afterAll(() => server.kill());

  transportConformance({
    test,
    guarantees: natsGuarantees,
    values: fuzz,
    inject: async (to, garbage) => {
      const raw = await connection();
      raw.publish(`test${networks - 1}.${topicToken(to)}`, JSON.stringify(garbage));
      await raw.close();
    },
    injectTexts: async (to, texts) => {
      const raw = await connection();
      for (const text of texts) raw.publish(`test${networks - 1}.${topicToken(to)}`, text);
      await raw.flush();
      await raw.close();
    },
    create: (ids) => {
      const subject = `test${networks++}`;
      return ids.map((id) => nats({ id, subject, connection }));
    },
  });

  test('ids with dots, stars, spaces and any letters have separate subjects', async () => {
    const ids = ['a.b', 'a.*', '>', 'ä b', 'a=2eb'];
    const peers = ids.map((id) => nats({ id, subject: 'odd', connection }));
    const arrived: string[] = [];
    const all = new Promise<void>((resolve) => {
      for (const peer of peers) {
        peer.events.subscribe((event) => {
          if (event.type === 'message') arrived.push(`${JSON.stringify(event.message)} at ${peer.id}`);
          if (arrived.length === ids.length - 1) resolve();
        });
      }
    });
    await Promise.all(peers.map((peer) => peer.connect()));
    for (const id of ids.slice(1)) peers[0]!.send(id, `for ${id}`);
    await all;
    expect(new Set(arrived)).toEqual(new Set(ids.slice(1).map((id) => `"for ${id}" at ${id}`)));
    await Promise.all(peers.map((peer) => peer.close()));
  });

  test('an invalid frame is dropped with a warning, and the next message arrives', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const [a, b] = ['a', 'b'].map((id) => nats({ id, subject: 'rough', connection }));
    const arrived = new Promise((resolve) => a!.events.subscribe((event) => event.type === 'message' && resolve(event.message)));
    await Promise.all([a!.connect(), b!.connect()]);
    const raw = await connection();
    for (const text of ['no json', '7', '{"from":"b"}', '{"from":7,"message":1}']) raw.publish(`rough.${topicToken('a')}`, text);
    await raw.flush();
    b!.send('a', 'sound');
    expect(await arrived).toBe('sound');
    expect(warn).toHaveBeenCalledTimes(1);
    await Promise.all([a!.close(), b!.close(), raw.close()]);
  });

  test('an absent server causes one warning, and none when the peer closes', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const own = await natsServer();
    const lasting = { maxReconnectAttempts: -1, reconnectTimeWait: 10 };
    const on = () => connect({ servers: `127.0.0.1:${own.port}`, ...lasting });
    const [a, b] = ['a', 'b'].map((id) => nats({ id, connection: on, clock: faster(50) }));
    await Promise.all([a!.connect(), b!.connect()]);
    await b!.close();
    // A busy machine may connect slowly.
    warn.mockClear();
    await own.kill();
    const away = 'peer "a" has had no connection to NATS for 2 s. Its client keeps trying';
    await expect.poll(() => warn.mock.calls).toEqual([[away]]);
    await a!.close();
  });

  test('a connection that ends for good closes the transport with a ConnectionError', async () => {
    const own = await natsServer();
    const a = nats({ id: 'a', connection: () => connect({ servers: `127.0.0.1:${own.port}`, reconnect: false }) });
    await a.connect();
    const closed = new Promise<any>((resolve) => a.events.subscribe((event) => event.type === 'closed' && resolve(event.error)));
    await own.kill();
    expect(await closed).toMatchObject({ name: 'ConnectionError' });
  });
});
