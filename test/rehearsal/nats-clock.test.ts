/** What NATS' own client does when the clock of its computer is set back while its server is away: docs/transports.md says so. */
import { connect } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import { natsBroker } from './nats-broker.js';
import { quietScenario } from './quiet.fixture.js';
import { runOnce } from './rehearse.js';
import type { RehearsalFault } from './scenario.js';

const fault = (what: RehearsalFault['what'], who: string, atMs: number, size: number): RehearsalFault => ({
  what,
  who,
  other: 'p0',
  atMs,
  lastsMs: 1_000,
  size,
});

/** The seconds at which the client of a NATS server that is away from 2 s to 3 s is connected, its clock set at 2.5 s. */
async function connectedAt(setMs: number): Promise<number[]> {
  const { happenings } = await runOnce(
    {
      ...quietScenario,
      seconds: 60,
      peers: ['p0'],
      services: ['broker'],
      startsMs: [500],
      skewsMs: [0],
      faults: [fault('stop', 'broker', 2_000, 1), fault('jump', 'p0', 2_500, setMs)],
    },
    { judges: [], services: { broker: natsBroker } },
    async ({ note }) => {
      const connection = await connect({ servers: 'nats://broker', maxReconnectAttempts: -1, reconnectTimeWait: 250 });
      note('connected');
      for await (const { type } of connection.status()) if (type === 'reconnect') note('connected');
    },
  );
  return happenings.flatMap(({ type, at }) => (type === 'note' ? [Math.floor(at / 1_000)] : []));
}

test('it comes back with its server, whose clock is as it was or set ahead', async () => {
  expect(await connectedAt(0)).toEqual([0, 3]);
  expect(await connectedAt(30_000)).toEqual([0, 3]);
});

test('set back, it comes back once the clock has caught up', async () => {
  expect(await connectedAt(-30_000)).toEqual([0, 32]);
});
