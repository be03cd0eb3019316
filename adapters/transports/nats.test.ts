import { connect } from '@nats-io/transport-node';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { transportConformance } from './conformance.js';
import { faster } from './clock.fixture.js';
import { fuzz } from './fuzz.fixture.js';
import { nats, natsGuarantees } from './nats.js';
import { freePort, hasCommand } from '../../bench/servers.js';
import { natsServer, type Server } from './servers.fixture.js';
import { topicToken } from './frame.js';

const isMissing = !hasCommand('nats-server');
if (isMissing) console.warn('skipped: the NATS tests need nats-server (Debian: apt-get install nats-server)');

test('a server that is not there is a ConnectionError', async () => {
  const port = await freePort();
  const a = nats({ id: 'a', connection: () => connect({ servers: `127.0.0.1:${port}`, reconnect: false }) });
  await expect(a.connect()).rejects.toMatchObject({ name: 'ConnectionError' });
  await a.close();
});

test('a connection that throws what is no error is named with that', async () => {
  const connection = () => {
    // oxlint-disable-next-line no-throw-literal
    throw 1;
  };
  await expect(nats({ id: 'a', connection }).connect()).rejects.toThrow('peer "a" has no connection to NATS: 1');
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

  test('ids with dots, stars, spaces and any letters are subjects of their own', async () => {
    const ids = ['a.b', 'a.*', '>', 'ä b', 'a=2eb'];
    const peers = ids.map((id) => nats({ id, subject: 'odd', connection }));
    const heard: string[] = [];
    const all = new Promise<void>((resolve) => {
      for (const peer of peers) {
        peer.events.subscribe((event) => {
          if (event.type === 'message') heard.push(`${JSON.stringify(event.message)} at ${peer.id}`);
          if (heard.length === ids.length - 1) resolve();
        });
      }
    });
    await Promise.all(peers.map((peer) => peer.connect()));
    for (const id of ids.slice(1)) peers[0]!.send(id, `for ${id}`);
    await all;
    expect(new Set(heard)).toEqual(new Set(ids.slice(1).map((id) => `"for ${id}" at ${id}`)));
    await Promise.all(peers.map((peer) => peer.close()));
  });

  test('what is no frame is dropped with a warning, and the next message arrives', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const [a, b] = ['a', 'b'].map((id) => nats({ id, subject: 'rough', connection }));
    const heard = new Promise((resolve) => a!.events.subscribe((event) => event.type === 'message' && resolve(event.message)));
    await Promise.all([a!.connect(), b!.connect()]);
    const raw = await connection();
    for (const text of ['no json', '7', '{"from":"b"}', '{"from":7,"message":1}']) raw.publish(`rough.${topicToken('a')}`, text);
    await raw.flush();
    b!.send('a', 'sound');
    expect(await heard).toBe('sound');
    expect(warn).toHaveBeenCalledTimes(1);
    await Promise.all([a!.close(), b!.close(), raw.close()]);
  });

  test('a server that is away is named once, and not when the peer closes', async () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warn.mockRestore());
    const own = await natsServer();
    const lasting = { maxReconnectAttempts: -1, reconnectTimeWait: 10 };
    const on = () => connect({ servers: `127.0.0.1:${own.port}`, ...lasting });
    const [a, b] = ['a', 'b'].map((id) => nats({ id, connection: on, clock: faster(50) }));
    await Promise.all([a!.connect(), b!.connect()]);
    await b!.close();
    await own.kill();
    const away = 'peer "a" has had no connection to NATS for 2 s; its client goes on trying';
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
