/** Cluster actors as they ship, over the mesh, with storage and without, under every fault from one seed. */
import { afterEach, expect, test } from 'vitest';
import { assign } from 'xstate';
import { createCluster } from '../../adapters/cluster/cluster.js';
import { linked } from '../../adapters/linked.js';
import { webSocketMesh } from '../../adapters/transports/web-socket-mesh.js';
import { clusterCore } from '../../machines/cluster/core.js';
import { hostMachine } from '../../machines/cluster/host.js';
import type { HostContext } from '../../machines/cluster/hosting.js';
import type { EventsMessage } from '../../machines/cluster/messages.js';
import { diskStorage } from './disk-storage.js';
import { notedLogMachine, logWriter, oneLogHistory } from '../../testing/cluster-log.js';
import { noErrors } from './judges.js';
import type { Main } from './peer.js';
import type { RehearseOptions } from './options.js';
import { rehearse } from './rehearse.js';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Every peer sends to two actors, and watches them. A peer whose disk or cluster fails ends, and is started again. */
const main: Main = async ({ id, life, peers, knobs, disk, note, listen, WebSocket, WebSocketServer }) => {
  const mesh = webSocketMesh({
    id,
    listen: { server: listen(), WebSocketServer },
    peers: peers.map((peer) => `ws://${peer}`),
    WebSocket,
  } as never);
  const storage = knobs['stored'] ? { storage: diskStorage(disk) } : {};
  const cluster = createCluster({
    transport: linked(mesh, { peers }),
    peers,
    machines: { log: notedLogMachine(note) },
    ...storage,
  });
  const write = logWriter(cluster, note, `${id}.${life}`);
  for (;;) {
    await sleep(20 + 200 * Math.random());
    try {
      await write();
    } catch (error) {
      if (!/ActorError/.test((error as Error).name)) process.exit(1);
    }
  }
};

const options: RehearseOptions = {
  peers: 3,
  runs: 2,
  seconds: 12,
  knobs: { stored: [true] },
  judges: [oneLogHistory(), noErrors()],
  shrinkSeconds: 0,
};

const { charts } = clusterCore as unknown as { charts: Record<string, unknown> };
afterEach(() => {
  charts['host'] = hostMachine;
});

test('with storage, all faults: acknowledged events are kept once and in one order', async () => {
  const { failure, counts } = await rehearse(options, main);
  expect(failure).toBeNull();
  expect(counts['note']).toBeGreaterThan(100);
});

test('without storage, under faults that end no process', async () => {
  const faults = ['pause', 'cut', 'mute', 'deaf', 'part', 'oneway', 'split', 'slow', 'reset'] as const;
  const { failure } = await rehearse({ ...options, runs: 1, faults, knobs: { stored: [false] } }, main);
  expect(failure).toBeNull();
});

test('a host that applies repeated events again is found', async () => {
  const enqueue = assign(
    ({ context }: { context: HostContext }, { from, sender, base, events }: EventsMessage & { from: string }) => ({
      queue: [...context.queue, ...events.map((event) => ({ ...event, from, sender, base }))],
    }),
  );
  charts['host'] = hostMachine.provide({ actions: { enqueue: enqueue as never } });
  const { failure } = await rehearse({ ...options, runs: 12 }, main);
  expect(failure?.judge).toBe('one history');
});
