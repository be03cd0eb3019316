import { once } from 'node:events';
import net from 'node:net';
import { Aedes } from 'aedes';
import { connectAsync } from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { transportConformance } from './conformance.js';
import { topicToken } from './frame.js';
import { fuzz } from './fuzz.fixture.js';
import { mqtt, mqttGuarantees } from './mqtt.js';
import { freePort, hasCommand } from '../../bench/servers.js';
import { mosquitto, type Server } from './servers.fixture.js';

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

test('a broker that is not there is a ConnectionError', async () => {
  const port = await freePort();
  const a = mqtt({ id: 'a', connection: () => connectAsync(`mqtt://127.0.0.1:${port}`, { reconnectPeriod: 0 }, false) });
  await expect(a.connect()).rejects.toMatchObject({ name: 'ConnectionError' });
  await a.close();
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
