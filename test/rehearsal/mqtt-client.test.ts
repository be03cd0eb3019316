/** What the MQTT client does that a peer over it has to live with: docs/transports.md tells it. */
import { connect, type IClientOptions } from 'mqtt';
import { expect, test } from 'vitest';
import { mqttBroker } from './locks.fixture.js';
import { quietScenario } from './quiet.fixture.js';
import { runOnce } from './rehearse.js';

/** The seconds at which a client is connected that starts at 0.5 s, and whose broker loses its power for a second while they shake hands. */
async function connectedAt(options: IClientOptions): Promise<number[]> {
  const power = { what: 'power', who: 'broker', other: 'p0', atMs: 750, lastsMs: 1_000, size: 1 } as const;
  const { happenings } = await runOnce(
    {
      ...quietScenario,
      seconds: 60,
      peers: ['p0'],
      services: ['broker'],
      startsMs: [500],
      skewsMs: [0],
      latencyMs: [100, 100],
      faults: [power],
    },
    { judges: [], services: { broker: mqttBroker } },
    async ({ note }) => {
      const client = connect('mqtt://broker', { keepalive: 2, reconnectPeriod: 250, ...options });
      client.on('connect', () => note('connected'));
      client.on('error', () => {});
      await new Promise(() => {});
    },
  );
  return happenings.flatMap(({ type, at }) => (type === 'note' ? [Math.floor(at / 1_000)] : []));
}

test('whose broker loses its power while they shake hands, it tries again after its timeout, thirty seconds unless given', async () => {
  expect(await connectedAt({})).toEqual([31]);
  expect(await connectedAt({ connectTimeout: 2_000 })).toEqual([3]);
});
