/** Behavior of the MQTT client that affects a peer, as docs/transports/brokers.md describes it. */
import { connect, type IClientOptions } from 'mqtt';
import { expect, test } from 'vitest';
import { mqttBroker } from '../../testing/rehearsal/locks.js';
import { notesOf } from './quiet.fixture.js';

/** The seconds at which a client is connected whose broker loses its power while they shake hands. */
const connectedAt = (options: IClientOptions): Promise<number[]> =>
  notesOf(
    async ({ note }) => {
      const client = connect('mqtt://broker', { keepalive: 2, reconnectPeriod: 250, ...options });
      client.on('connect', () => note('connected'));
      client.on('error', () => {});
      await new Promise(() => {});
    },
    mqttBroker,
    { what: 'power', atMs: 750 },
    { latencyMs: [100, 100] },
  );

test('retries after its timeout (30 s by default) if the broker dies in the handshake', async () => {
  expect(await connectedAt({})).toEqual([31]);
  expect(await connectedAt({ connectTimeout: 2_000 })).toEqual([3]);
});
