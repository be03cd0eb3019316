import { once } from 'node:events';
import net from 'node:net';
import { Aedes } from 'aedes';
import { connect, connectAsync } from 'mqtt';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { transportConformance } from './conformance.js';
import { topicToken } from './frame.js';
import { faster } from './clock.fixture.js';
import { fuzz } from './fuzz.fixture.js';
import { mqtt } from './mqtt.js';
import { freePort, hasCommand } from '../../testing/servers.js';
import { mosquitto, type Server } from './servers.fixture.js';
import { mqttGuarantees } from './guarantees.js';

const isMissing = !hasCommand('mosquitto');
if (isMissing) console.warn('skipped: the Mosquitto tests need mosquitto (Debian: apt-get install mosquitto)');

let networks = 0;

const conformanceOn = (port: () => number): void =>
  transportConformance({
    test,
    guarantees: mqttGuarantees,
    values: fuzz,
    inject: async (to, garbage) => {
      const raw = await connectAsync(`mqtt://127.0.0.1:${port()}`);
      await raw.publishAsync(`test${networks - 1}/${topicToken(to)}`, JSON.stringify(garbage), { qos: 1 });
      await raw.endAsync();
    },
    injectTexts: async (to, texts) => {
      const raw = await connectAsync(`mqtt://127.0.0.1:${port()}`);
      for (const text of texts) await raw.publishAsync(`test${networks - 1}/${topicToken(to)}`, text, { qos: 0 });
      await raw.endAsync();
    },
    create: (ids) => {
      const topic = `test${networks++}`;
      return ids.map((id) => mqtt({ id, topic, connection: () => connectAsync(`mqtt://127.0.0.1:${port()}`) }));
    },
  });

test('two processes with one clientId cause a warning', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const broker = await Aedes.createBroker();
  const server = net.createServer(broker.handle).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    broker.close();
  });
  const url = `mqtt://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  const both = ['a', 'b'].map((id) =>
    mqtt({ id, connection: async () => connect(url, { clientId: 'worker', reconnectPeriod: 10 }) }),
  );
  onTestFinished(() => void Promise.all(both.map((each) => each.close())));
  for (const each of both) void each.connect().catch(() => {});
  const cure = 'Another process may use its clientId "worker". Use a unique clientId for each process, or none';
  await expect.poll(() => warn.mock.calls.flat().join(), { timeout: 10_000 }).toContain(cure);
});

test('an absent broker causes a ConnectionError', async () => {
  const port = await freePort();
  const a = mqtt({ id: 'a', connection: () => connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0 }, false) });
  await expect(a.connect()).rejects.toMatchObject({
    name: 'ConnectionError',
    message: expect.stringContaining('To wait for a broker that starts later, pass connection: async () => connect(url, {'),
  });
  await a.close();
});

test("a peer waits for a late or lost broker, with a warning and the guide's settings", async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const port = await freePort();
  const connection = async () => connect(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 10 });
  const a = mqtt({ id: 'a', connection, clock: faster(50) });
  const connecting = a.connect();
  const away = 'peer "a" has had no connection to the MQTT broker for 2 s. Its client keeps trying';
  await expect.poll(() => warn.mock.calls).toEqual([[away]]);
  const broker = await Aedes.createBroker();
  const server = net.createServer(broker.handle).listen(port, '127.0.0.1');
  await connecting;
  // A second outage causes a second warning, and only one for all attempts.
  server.close();
  await new Promise<void>((resolve) => broker.close(resolve));
  await expect.poll(() => warn.mock.calls).toEqual([[away], [away]]);
  await a.close();
});

/** A broker that accepts connections and answers subscriptions with the given codes; `null` ends the connection. */
async function broker(...answers: readonly (number | null)[]) {
  let asked = 0;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('data', (data) => {
      // All packets are short: their second byte is their length.
      for (let at = 0; at < data.length && !socket.destroyed; at += 2 + data[at + 1]!) {
        if (data[at]! >> 4 === 1) socket.write(Buffer.from([0x20, 2, 0, 0]));
        if (data[at] !== 0x82) continue;
        const answer = answers[Math.min(asked++, answers.length - 1)]!;
        if (answer === null) socket.destroy();
        else socket.write(Buffer.from([0x90, 3, data[at + 2]!, data[at + 3]!, answer]));
      }
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const url = `mqtt://127.0.0.1:${(server.address() as net.AddressInfo).port}`;
  const open = (reconnectPeriod: number) => {
    const transport = mqtt({ id: 'a', connection: () => connectAsync(url, { reconnectPeriod }) });
    onTestFinished(() => transport.close());
    return transport;
  };
  return { url, open, asked: () => asked, cut: () => sockets.forEach((socket) => socket.destroy()) };
}

test('a broker that ends the connection before it answers is asked again', async () => {
  const { open, asked } = await broker(null, null, 1);
  await open(10).connect();
  expect(asked()).toBeGreaterThanOrEqual(3);
});

test('after an outage a peer receives at once, regardless of unconfirmed messages', async () => {
  const { open, asked, cut } = await broker(1);
  const a = open(10);
  await a.connect();
  const before = asked();
  a.send('b', 'on its way when the connection ends');
  cut();
  for (let beats = 0; beats < 5; beats++) {
    a.send('b', 'while there is none');
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await expect.poll(asked).toBeGreaterThan(before);
});

test('messages after the application has ended its client are lost', async () => {
  const { url } = await broker(1);
  const client = await connectAsync(url);
  const a = mqtt({ id: 'a', connection: async () => client });
  await a.connect();
  client.end();
  expect(() => a.send('b', 'too late')).not.toThrow();
  await a.close();
});

test('if the client does not reconnect, the end of the connection is the cause', async () => {
  const { open } = await broker(null);
  await expect(open(0).connect()).rejects.toThrow(
    'the connection of peer "a" to the MQTT broker ended before the broker confirmed its topic: Connection closed',
  );
});

test('a broker that refuses the topic is not asked again', async () => {
  const { open, asked } = await broker(0x80);
  await expect(open(10).connect()).rejects.toThrow('the MQTT broker refuses the topic of peer "a": Subscribe error');
  expect(asked()).toBe(1);
});

test('a peer that is closed while it waits for the broker stops asking', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const { open, asked } = await broker(null);
  const transport = open(5);
  const connecting = transport.connect();
  connecting.catch(() => {});
  await expect.poll(asked).toBeGreaterThan(3);
  await transport.close();
  await expect(connecting).rejects.toMatchObject({ name: 'ClosedError' });
  const before = asked();
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(asked() - before).toBeLessThanOrEqual(1);
  expect(warn.mock.calls.join()).toContain('The client reconnects');
});

describe('over aedes, a broker in this process', () => {
  let broker: Aedes;
  let server: net.Server;

  beforeAll(async () => {
    broker = await Aedes.createBroker();
    server = net.createServer({ noDelay: true }, broker.handle).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(async () => {
    await new Promise<void>((resolve) => broker.close(resolve));
    server.close();
  });

  conformanceOn(() => (server.address() as net.AddressInfo).port);
});

describe.skipIf(isMissing)('over a real mosquitto', () => {
  let server: Server;

  beforeAll(async () => {
    server = await mosquitto();
  });
  afterAll(() => server.kill());

  conformanceOn(() => server.port);
});
