/** Cluster actors as they ship, over the mesh, with storage and without, under every fault from one seed. */
import { afterEach, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import { createCluster } from '../../adapters/cluster/cluster.js';
import { linked } from '../../adapters/linked.js';
import { webSocketMesh } from '../../adapters/transports/web-socket-mesh.js';
import { clusterCore } from '../../machines/cluster/core.js';
import { hostMachine } from '../../machines/cluster/host.js';
import type { HostContext } from '../../machines/cluster/hosting.js';
import type { Events } from '../../machines/cluster/messages.js';
import { diskStorage } from './disk-storage.js';
import { noErrors, type RehearsalJudge } from './judges.js';
import type { Main } from './peer.js';
import type { RehearseOptions } from './options.js';
import { rehearse } from './rehearse.js';

const log = setup({
  types: { context: {} as { tags: readonly string[] }, events: {} as { type: 'ADD'; tag: string } },
}).createMachine({
  context: { tags: [] },
  on: { ADD: { actions: assign({ tags: ({ context, event }) => [...context.tags, event.tag] }) } },
});

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** Every peer sends to one actor, and watches it. A peer whose disk or cluster fails ends, and is started again. */
const main: Main = async ({ id, life, peers, knobs, disk, note, listen, WebSocket, WebSocketServer }) => {
  const mesh = webSocketMesh({
    id,
    listen: { server: listen(), WebSocketServer },
    peers: peers.map((peer) => `ws://${peer}`),
    WebSocket,
  } as never);
  const cluster = createCluster({
    transport: linked(mesh, { peers }),
    peers,
    machines: { log },
    ...(knobs['stored'] && { storage: diskStorage(disk) }),
  });
  const actor = cluster.actor('log', 'x');
  actor.subscribe(({ context }) => note('state', { tags: context.tags.join(' ') }));
  for (let i = 0; ; i++) {
    await sleep(20 + 200 * Math.random());
    const tag = `${id}.${life}.${i}`;
    try {
      await actor.send({ type: 'ADD', tag });
      note('acknowledged', { tag, isSeen: actor.getSnapshot().context.tags.includes(tag) });
    } catch (error) {
      if (/ActorError/.test((error as Error).name)) continue;
      process.exit(1);
    }
  }
};

/** One history: each state is a beginning of the longest one, without a tag twice, and has all that was acknowledged before. */
const oneHistory = (): RehearsalJudge => ({
  name: 'one history',
  begin: () => {
    let longest = '';
    const acknowledged: string[] = [];
    const missing = () => {
      const tags = new Set(longest.split(' '));
      return acknowledged.find((tag) => !tags.has(tag));
    };
    return {
      observe: ({ what, ...event }) => {
        if (what === 'acknowledged') {
          if (!event['isSeen']) return `${event['tag'] as string} was acknowledged, and its sender has not seen it`;
          acknowledged.push(event['tag'] as string);
        }
        if (what !== 'state') return null;
        const state = event['tags'] as string;
        const [short, long] = state.length < longest.length ? [state, longest] : [longest, state];
        if (!`${long} `.startsWith(`${short} `) && short !== '')
          return `two histories: ${short.slice(-60)} and ${long.slice(0, short.length).slice(-60)}`;
        longest = long;
        const tags = long.split(' ');
        return new Set(tags).size < tags.length ? `a tag twice in ${long}` : null;
      },
      end: () => {
        const lost = missing();
        return lost === undefined ? null : `${lost} was acknowledged, and is lost`;
      },
    };
  },
});

const options: RehearseOptions = {
  peers: 3,
  runs: 2,
  seconds: 12,
  knobs: { stored: [true] },
  judges: [oneHistory(), noErrors()],
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
  const enqueue = assign(({ context }: { context: HostContext }, { from, sender, base, events }: Events & { from: string }) => ({
    queue: [...context.queue, ...events.map((event) => ({ ...event, from, sender, base }))],
  }));
  charts['host'] = hostMachine.provide({ actions: { enqueue: enqueue as never } });
  const { failure } = await rehearse({ ...options, runs: 12 }, main);
  expect(failure?.judge).toBe('one history');
});
