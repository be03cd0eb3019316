/** Cluster actors as they ship, over the mesh, with storage and without, under every fault from one seed. */
import { afterEach, expect, test } from 'vitest';
import { assign } from 'xstate';
import { clusterCore } from '../../machines/cluster/core.js';
import { hostMachine } from '../../machines/cluster/host.js';
import type { HostContext } from '../../machines/cluster/hosting.js';
import type { EventsMessage } from '../../machines/cluster/messages.js';
import { actorsUnder, unstoredActorsUnder, type ShippedCluster } from '../../testing/rehearsal/actors.js';
import { shippedFrom } from '../../testing/rehearsal/locks.js';
import type { RehearseOptions } from './options.js';
import { rehearse } from './rehearse.js';

const shipped = await shippedFrom<ShippedCluster>((path) => import(/* @vite-ignore */ `../../adapters/${path}.js`), [
  'cluster/cluster',
]);
const { options, main } = actorsUnder(shipped, ['mesh']);
const two: RehearseOptions = { ...options, peers: 3, runs: 2, shrinkSeconds: 0 };

const { charts } = clusterCore as unknown as { charts: Record<string, unknown> };
afterEach(() => {
  charts['host'] = hostMachine;
});

test('with storage, all faults: acknowledged events are kept once and in one order', async () => {
  const { failure, counts } = await rehearse(two, main);
  expect(failure).toBeNull();
  expect(counts['note']).toBeGreaterThan(100);
});

test('without storage, under faults that end no process', async () => {
  const { options, main } = unstoredActorsUnder(shipped, ['mesh']);
  const { failure } = await rehearse({ ...options, peers: 3, runs: 1, shrinkSeconds: 0 }, main);
  expect(failure).toBeNull();
});

test('a host that applies repeated events again is found', async () => {
  const enqueue = assign(
    ({ context }: { context: HostContext }, { from, sender, base, events }: EventsMessage & { from: string }) => ({
      queue: [...context.queue, ...events.map((event) => ({ ...event, from, sender, base }))],
    }),
  );
  charts['host'] = hostMachine.provide({ actions: { enqueue: enqueue as never } });
  const { failure } = await rehearse({ ...two, runs: 12 }, main);
  expect(failure?.judge).toBe('one history');
});
