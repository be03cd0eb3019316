/** Cluster actors as they ship, over the mesh, with storage and without, under every fault from one seed. */
import { afterEach, expect, test } from 'vitest';
import { assign } from 'xstate';
import { clusterCore } from '../../machines/cluster/core.js';
import { hostMachine } from '../../machines/cluster/host.js';
import type { HostContext } from '../../machines/cluster/hosting.js';
import type { EventsMessage } from '../../machines/cluster/messages.js';
import { actorsUnder, unstoredActorsUnder, type ShippedCluster } from '../../testing/rehearsal/actors.js';
import { shippedFrom, sleep } from '../../testing/rehearsal/locks.js';
import { notedLogMachine } from '../../testing/cluster-log.js';
import { noErrors, type RehearsalJudge } from './judges.js';
import type { Main } from './peer.js';
import type { RehearseOptions } from './options.js';
import { rehearse } from './rehearse.js';

const shipped = await shippedFrom<ShippedCluster>(
  (path) => import(/* @vite-ignore */ `../../adapters/${path}.js`),
  ['cluster/cluster'],
);
const { options, main } = actorsUnder(shipped, ['mesh']);
/** Seeds with many faults, among them a kill of each process. */
const two: RehearseOptions = { ...options, peers: 3, runs: 2, seed: 15, shrinkSeconds: 0 };

const { charts } = clusterCore as unknown as { charts: Record<string, unknown> };
afterEach(() => {
  charts['host'] = hostMachine;
});

test('with storage, all faults: acknowledged events are kept once and in one order', async () => {
  const { failure, counts } = await rehearse(two, main);
  expect(failure).toBeNull();
  expect(counts['note']).toBeGreaterThan(500);
  expect(counts['fault']).toBeGreaterThan(5);
  expect(counts['end']).toBeGreaterThan(5);
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
  const { failure } = await rehearse(two, main);
  expect(failure?.judge).toBe('one history');
});

/** Every process sends to one actor. After a second and a half its host leaves: by a crash, or in an orderly way. */
const leaving: Main = async ({ id, life, peers, knobs, note, listen, WebSocket, WebSocketServer }) => {
  const listening = { server: listen(), WebSocketServer };
  const mesh = shipped.webSocketMesh({ id, listen: listening, peers: peers.map((peer) => `ws://${peer}`), WebSocket } as never);
  const transport = shipped.linked(mesh, { peers });
  const cluster = shipped.createCluster({ transport, peers, machines: { log: notedLogMachine(note) } });
  if (life > 1) return;
  await cluster.ready;
  const log = cluster.actor('log', 'x');
  let hasLeft = false;
  setTimeout(() => {
    if (cluster.hosted.length === 0) return;
    note('leaves');
    if (knobs['leaves'] === 'by a crash') process.exit(1);
    hasLeft = true;
    void cluster.close();
  }, 1_500);
  for (let sent = 0; !hasLeft; sent++) {
    const since = Date.now();
    await log.send({ type: 'ADD', tag: `${id}.${sent}` }).catch((error: unknown) => {
      if (!hasLeft) throw error;
    });
    note('waited', { ms: Date.now() - since });
    await sleep(10);
  }
};

test('the first events of a cluster without storage are not refused', async () => {
  const options = { peers: 3, runs: 4, seconds: 2, seed: 1, faults: [], knobs: { leaves: [''] }, judges: [noErrors()] };
  expect((await rehearse({ ...options, shrinkSeconds: 0 }, leaving)).failure).toBeNull();
});

const middle = (values: readonly number[]): number => values.toSorted((one, other) => one - other)[values.length >> 1]!;

/** Collects the longest wait of an event after the host has left, and the median before, of each process. */
function waits() {
  const found: { readonly longest: number; readonly before: readonly number[] }[] = [];
  const judge: RehearsalJudge = {
    name: 'waits',
    begin: () => {
      let longest: number | null = null;
      const before = new Map<string, number[]>();
      return {
        observe: ({ what, ms, peer }) => {
          if (what === 'leaves') longest = 0;
          if (what !== 'waited') return null;
          if (longest !== null) longest = Math.max(longest, ms as number);
          else before.set(peer!, [...(before.get(peer!) ?? []), ms as number]);
          return null;
        },
        end: () => {
          found.push({ longest: longest!, before: [...before.values()].map(middle) });
          return null;
        },
      };
    },
  };
  return { judge, found };
}

// The network delays a message by 0.2 to 3 ms with these seeds.
test.each([
  ['by a crash', 'the patience of a link and 200 ms', 3_000 + 200, 6],
  ['in an orderly way', '100 ms', 100, 3],
])('a host that leaves %s delays an event by at most %s', async (leaves, _, ms, seconds) => {
  const { judge, found } = waits();
  const options = { peers: 3, runs: 1, seconds, faults: [], knobs: { leaves: [leaves] }, judges: [judge, noErrors()] };
  for (const seed of [4, 5]) expect((await rehearse({ ...options, seed, shrinkSeconds: 0 }, leaving)).failure).toBeNull();
  expect(Math.max(...found.flatMap(({ before }) => before))).toBeLessThan(15);
  expect(Math.max(...found.map(({ longest }) => longest))).toBeLessThanOrEqual(ms);
});
