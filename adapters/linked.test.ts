import { once } from 'node:events';
import net from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { connect } from '@nats-io/transport-node';
import { Aedes } from 'aedes';
import { connectAsync } from 'mqtt';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { broadcastChannel } from './transports/broadcast-channel.js';
import { transportConformance } from './transports/conformance.js';
import { hostile, type Hostile } from './transports/hostile.fixture.js';
import { InProcessBus } from './transports/in-process.js';
import { linked } from './linked.js';
import { createLocks } from './locks/locks.js';
import { mqtt } from './transports/mqtt.js';
import { nats } from './transports/nats.js';
import { hasCommand } from '../testing/servers.js';
import { natsServer, type Server } from './transports/servers.fixture.js';
import type { Json, Linked, Transport } from './transports/transport.js';

const guarantees = {
  order: 'fifo',
  loss: 'none',
  duplication: 'none',
  presence: 'reported',
  identity: 'checked',
  messageBytesMax: 2 ** 23,
} as const;
/** All peers share one process: when it pauses, so do all heartbeats. */
const fast = { beatMs: 10, patience: 25 };
const terrible = { seed: 7, loss: 0.3, duplicate: 0.3, delayMs: 5 };

describe('over a reliable bus', () => {
  transportConformance({
    test,
    guarantees,
    create: (ids) => {
      const bus = new InProcessBus();
      return ids.map((id) => linked(bus.transport(id), { peers: [...new Set(ids)], ...fast }));
    },
  });
});

describe('over a bus that loses, duplicates and reorders messages', () => {
  transportConformance({
    test,
    guarantees,
    create: (ids) => {
      const bus = new InProcessBus();
      return ids.map((id, i) =>
        linked(hostile(bus.transport(id), { ...terrible, seed: i }), { peers: [...new Set(ids)], ...fast }),
      );
    },
  });
});

let channels = 0;

describe('over a BroadcastChannel', () => {
  transportConformance({
    test,
    guarantees: { ...guarantees, identity: 'claimed' },
    create: (ids) => {
      const channel = `linked ${channels++}`;
      return ids.map((id) => linked(broadcastChannel({ id, channel }), { peers: [...new Set(ids)], ...fast }));
    },
  });
});

function pair(options: { beatMs: number; patience: number }): [Transport<Linked>, Transport<Linked>, Hostile, Hostile] {
  const bus = new InProcessBus();
  const [a, b] = ['a', 'b'].map((id) => hostile(bus.transport(id), { seed: 1, loss: 0, duplicate: 0, delayMs: 0 })) as [
    Hostile,
    Hostile,
  ];
  const [overA, overB] = [a, b].map((inner) => linked(inner, { peers: ['a', 'b'], ...options })) as [
    Transport<Linked>,
    Transport<Linked>,
  ];
  onTestFinished(() => Promise.all([overA.close(), overB.close()]).then(() => bus.close()));
  return [overA, overB, a, b];
}

const event = (transport: Transport, type: string): Promise<any> =>
  new Promise((resolve) => transport.events.subscribe((seen) => seen.type === type && resolve(seen)));

test('an outage shorter than the patience delays messages and loses none', async () => {
  const [a, b, , innerB] = pair({ beatMs: 5, patience: 10_000 });
  const met = event(a, 'up');
  await Promise.all([a.connect(), b.connect(), met]);
  innerB.isCut = true;
  const arrived = event(a, 'message');
  b.send('a', 'through');
  await new Promise((resolve) => setTimeout(resolve, 30));
  innerB.isCut = false;
  expect(await arrived).toMatchObject({ from: 'b', message: 'through' });
});

test('an outage longer than the patience takes peers down at both ends, then up again', async () => {
  const [a, b, , innerB] = pair({ beatMs: 5, patience: 5 });
  const met = Promise.all([event(a, 'up'), event(b, 'up')]);
  await Promise.all([a.connect(), b.connect(), met]);
  const parted = Promise.all([event(a, 'down'), event(b, 'down')]);
  innerB.isCut = true;
  await parted;
  b.send('a', 'lost');
  const again = Promise.all([event(a, 'up'), event(b, 'up')]);
  innerB.isCut = false;
  await again;
  const arrived = event(a, 'message');
  b.send('a', 'after');
  expect(await arrived).toMatchObject({ message: 'after' });
});

test('a peer that crashed and is started again is a new peer: down, and up', async () => {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const start = (id: string) => {
    const inner = bus.transport(id);
    return [linked(inner, { peers: ['a', 'b'], beatMs: 5, patience: 1000 }), inner] as const;
  };
  const [[a], [b, innerB]] = [start('a'), start('b')];
  const met = Promise.all([event(a, 'up'), event(b, 'up')]);
  await Promise.all([a.connect(), b.connect(), met]);
  const notified: string[] = [];
  a.events.subscribe(({ type }) => notified.push(type));
  const back = event(a, 'up');
  await innerB.close();
  a.send('b', 'for the one that was');
  const [again] = start('b');
  const arrived = event(again, 'message');
  await again.connect();
  await back;
  expect(notified).toEqual(['down', 'up']);
  a.send('b', 'for the one that is');
  expect(await arrived).toMatchObject({ message: 'for the one that is' });
  await Promise.all([a.close(), again.close()]);
});

test('close waits for undelivered messages up to its patience, and reports lost ones', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const [bus, ids] = [new InProcessBus(), ['a', 'b', 'c']];
  const inner = ids.map((id, seed) => hostile(bus.transport(id), { seed, loss: 0, duplicate: 0, delayMs: 0 }));
  const [a, b, c] = inner.map((each) => linked(each, { peers: ids, beatMs: 10, patience: 40 })) as [
    Transport,
    Transport,
    Transport,
  ];
  await Promise.all([a.connect(), b.connect(), c.connect()]);
  await expect.poll(() => [a, b, c].map(({ peers }) => peers.size)).toEqual([2, 2, 2]);
  inner[1]!.isCut = true;
  a.send('b', 'x'.repeat(100_000));
  let isClosed = false;
  const closing = a.close().then(() => (isClosed = true));
  await expect.poll(() => c.peers.has('a'), { interval: 5 }).toBe(false);
  expect(isClosed).toBe(false);
  await closing;
  expect(warn.mock.calls.join()).toMatch(/the transport closed while 0.1 MiB in \d messages or parts of them wait for "b"/);
  await Promise.all([b.close(), c.close()]);
  bus.close();
});

/** The first node ends with an error, and the second one has replaced it, for its locks as well. */
async function secondOfOneId(open: (id: string) => Transport): Promise<void> {
  const start = (id: string) => linked(open(id), { peers: ['a', 'b'], ...fast });
  const [first, b] = [start('a'), start('b')];
  const [holder] = [first, b].map((transport) => createLocks({ transport, peers: ['a', 'b'] }));
  const held = await holder!.acquire('x');
  const second = start('a');
  const next = await createLocks({ transport: second, peers: ['a', 'b'] }).acquire('x');
  await expect.poll(() => held.signal.reason).toMatchObject({ name: 'LostError' });
  expect(await holder!.node.closed).toMatchObject({
    name: 'ConnectionError',
    message: 'another node uses the id "a". Pass a unique id for each peer',
  });
  expect(next.fence).toBeGreaterThan(held.fence);
  expect([second.isClosed, b.isClosed]).toEqual([false, false]);
  await Promise.all([first, second, b].map((each) => each.close()));
}

test('a second node of one id replaces the first on a channel that trusts it', async () => {
  const channel = `linked ${channels++}`;
  await secondOfOneId((id) => broadcastChannel({ id, channel }));
});

test('the same by way of an MQTT broker', async () => {
  const broker = await Aedes.createBroker();
  const server = net.createServer({ noDelay: true }, broker.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  await secondOfOneId((id) => mqtt({ id, connection: () => connectAsync(`mqtt://127.0.0.1:${port}`) }));
  await new Promise<void>((resolve) => broker.close(resolve));
  server.close();
});

test('no messages are sent to a peer that has not connected, so none wait at a hub', async () => {
  const bus = new InProcessBus();
  const medium = bus.transport('a');
  const sent = vi.spyOn(medium, 'send');
  const a = linked(medium, { peers: ['a', 'b'], ...fast });
  await a.connect();
  await pause(10 * fast.beatMs);
  expect(sent).not.toHaveBeenCalled();
  const b = linked(bus.transport('b'), { peers: ['a', 'b'], ...fast });
  await b.connect();
  await expect.poll(() => [...a.peers]).toEqual(['b']);
  await Promise.all([a.close(), b.close()]);
});

test('a peer that is listed twice is refused before anything starts', () => {
  expect(() => linked(new InProcessBus().transport('a'), { peers: ['a', 'b', 'c', 'b'] })).toThrow(
    'linked: peers contains "b" twice. Pass a unique id for each peer',
  );
});

test('messages of the application with a field v arrive unchanged and reach no node', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const [a, b] = pair({ beatMs: 10, patience: 100 });
  const nodes = [a, b].map((transport) => createLocks({ transport, peers: ['a', 'b'] }));
  await Promise.all(nodes.map(({ ready }) => ready));
  const own: Json[] = [{ v: 3, text: 'x' }, { v: 1 }, { v: 1, name: 'locks' }, { v: 'a', message: { type: 'find' } }];
  const arrived: Json[] = [];
  b.events.subscribe(
    (seen) => seen.type === 'message' && own.some((one) => isDeepStrictEqual(one, seen.message)) && arrived.push(seen.message),
  );
  for (const message of own) a.send('b', message);
  await expect.poll(() => arrived).toEqual(own);
  expect(warn).not.toHaveBeenCalled();
});

test('locks over a faulty network exclude, serve all peers and count', async () => {
  const ids = ['a', 'b', 'c'];
  const bus = new InProcessBus();
  const transports = ids.map((id, seed) => linked(hostile(bus.transport(id), { ...terrible, seed }), { peers: ids, ...fast }));
  const all = transports.map((transport) => createLocks({ transport, peers: ids }));
  onTestFinished(async () => {
    await Promise.all(transports.map((transport) => transport.close()));
    bus.close();
  });
  const fences: number[] = [];
  let inside = 0;
  const work = () => async (lock: { fence: number }) => {
    expect(++inside).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 1));
    fences.push(lock.fence);
    inside--;
  };
  await Promise.all(all.flatMap((locks) => Array.from({ length: 5 }, () => locks.request('x', work()))));
  expect(fences).toHaveLength(15);
  expect(fences).toEqual([...new Set(fences)].sort((x, y) => x - y));
});

describe.skipIf(!hasCommand('nats-server'))('over a real nats-server', () => {
  let server: Server;
  const connection = () => connect({ servers: `127.0.0.1:${server.port}`, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
  beforeAll(async () => {
    server = await natsServer();
  });
  afterAll(() => server.kill());

  transportConformance({
    test,
    guarantees: { ...guarantees, identity: 'claimed' },
    create: (ids) => {
      const subject = `linked${channels++}`;
      return ids.map((id) => linked(nats({ id, subject, connection }), { peers: [...new Set(ids)], ...fast }));
    },
  });

  test('a second node of one id replaces the first, which is notified', async () => {
    const subject = `linked${channels++}`;
    await secondOfOneId((id) => nats({ id, subject, connection }));
  });

  test('a server that is killed under load and returns loses nothing', async () => {
    const own = await natsServer();
    const reconnecting = () => connect({ servers: `127.0.0.1:${own.port}`, maxReconnectAttempts: -1, reconnectTimeWait: 50 });
    const [a, b] = ['a', 'b'].map((id) =>
      linked(nats({ id, connection: reconnecting }), { peers: ['a', 'b'], beatMs: 20, patience: 500 }),
    );
    await Promise.all([a!.connect(), b!.connect()]);
    const got: unknown[] = [];
    const done = new Promise<void>((resolve) =>
      b!.events.subscribe((seen) => {
        if (seen.type === 'message') got.push(seen.message);
        if (got.length === 1000) resolve();
      }),
    );
    for (let i = 0; i < 500; i++) a!.send('b', i);
    await own.kill();
    for (let i = 500; i < 1000; i++) a!.send('b', i);
    const again = await natsServer(own.port);
    await done;
    expect(got).toEqual(Array.from({ length: 1000 }, (_, i) => i));
    await Promise.all([a!.close(), b!.close()]);
    await again.kill();
  });
});
