/** Behavior of the NATS client that affects a peer, as docs/transports/brokers.md describes it. */
import { connect, type NodeConnectionOptions } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { natsBroker } from './nats-broker.js';
import { notesOf } from './quiet.fixture.js';
import type { RehearsalScenario } from './scenario.js';

/** The seconds at which a client is connected whose server is stopped at `awayMs`. */
const connectedAt = (options: NodeConnectionOptions, awayMs: number, more?: Partial<RehearsalScenario>): Promise<number[]> =>
  notesOf(
    async ({ note }) => {
      const lasting = { servers: 'nats://broker', waitOnFirstConnect: true, maxReconnectAttempts: -1, reconnectTimeWait: 250 };
      const connection = await connect({ ...lasting, ...options });
      note('connected');
      for await (const { type } of connection.status()) if (type === 'reconnect') note('connected');
    },
    natsBroker,
    { what: 'stop', atMs: awayMs },
    more,
  );

const setBy = (size: number): Partial<RehearsalScenario> => ({
  faults: [{ what: 'jump', who: 'p0', other: 'p0', atMs: 2_500, lastsMs: 1_000, size }],
});

test('reconnects to a restarted server, with its clock unchanged or set ahead', async () => {
  expect(await connectedAt({}, 2_000, setBy(0))).toEqual([0, 3]);
  expect(await connectedAt({}, 2_000, setBy(30_000))).toEqual([0, 3]);
});

test('with its clock set back, reconnects once the clock has caught up', async () => {
  expect(await connectedAt({}, 2_000, setBy(-30_000))).toEqual([0, 32]);
});

test('retries after its timeout (20 s by default) if the server dies in the handshake', async () => {
  const amidst = { latencyMs: [100, 100] as [number, number] };
  expect(await connectedAt({}, 750, amidst)).toEqual([20]);
  expect(await connectedAt({ timeout: 2_000 }, 750, amidst)).toEqual([2]);
});
