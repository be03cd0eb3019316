/** Processes that no list names watch an election: in process, at a hub and on a mesh. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { freePort } from '../testing/servers.js';
import { createElection, type Election } from './election.js';
import { watchElection, type ElectionWatch } from './election-watch.js';
import { warnings } from './linked.fixture.js';
import { Channels } from './node/channels.js';
import { InProcessBus } from './transports/in-process.js';
import type { Transport } from './transports/transport.js';
import { webSocket } from './transports/web-socket.js';
import { webSocketHub } from './transports/web-socket-hub.js';
import { webSocketMesh } from './transports/web-socket-mesh.js';

const PEERS = ['a', 'b', 'c'];

interface Network {
  readonly peer: (id: string) => Transport;
  readonly watcher: () => Transport;
}

const inProcess = (): Network => {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  return { peer: (id) => bus.transport(id), watcher: () => bus.transport('web') };
};

const networks: Record<string, () => Promise<Network>> = {
  'in process': async () => inProcess(),
  'WebSocket hub': async () => {
    const hub = await webSocketHub({ port: 0 });
    onTestFinished(() => hub.close());
    const url = `ws://127.0.0.1:${hub.port}`;
    return { peer: (id) => webSocket({ id, url, WebSocket }), watcher: () => webSocket({ url, WebSocket }) };
  },
  mesh: async () => {
    const ports = await Promise.all(PEERS.map(() => freePort()));
    const peers = ports.map((port) => `ws://127.0.0.1:${port}`);
    return {
      peer: (id) => webSocketMesh({ id, listen: { port: ports[PEERS.indexOf(id)]! }, peers }),
      watcher: () => webSocketMesh({ peers }),
    };
  },
};

function elected({ peer }: Network, ids: readonly string[] = PEERS): Election[] {
  const all = ids.map((id) => createElection({ transport: peer(id), peers: PEERS, settleMs: 5 }));
  onTestFinished(() => Promise.all(all.map((each) => each.close())).then(() => {}));
  return all;
}

function watched({ watcher }: Network): ElectionWatch {
  const watch = watchElection({ transport: watcher(), peers: PEERS });
  onTestFinished(() => watch.close());
  return watch;
}

/** Resolves when the watch has the one leader of all these elections, another one than before. */
async function agrees(watch: ElectionWatch, all: readonly Election[], before: string | null = null): Promise<void> {
  await expect
    .poll(() => new Set([watch, ...all].map(({ leader }) => leader)).size === 1 && ![null, before].includes(watch.leader), {
      timeout: 60_000,
    })
    .toBe(true);
}

test.each(Object.keys(networks))('%s: a watcher learns each leader, without a warning', async (kind) => {
  const warned = warnings();
  const network = await networks[kind]!();
  const all = elected(network);
  const watch = watched(network);
  await watch.ready;
  await agrees(watch, all);
  const first = watch.leader!;
  const changes: unknown[] = [];
  watch.addEventListener('change', (event) => changes.push((event as CustomEvent).detail.leader));
  const rest = all.filter((each) => each.node.id !== first);
  await all.find((each) => each.node.id === first)!.close();
  await agrees(watch, rest, first);
  expect(changes.at(-1)).toBe(watch.leader);
  await watch.close();
  expect(watch.leader).toBeNull();
  expect(warned().filter((text) => !text.includes('cannot reach'))).toEqual([]);
});

test('a watcher that is there before the election, and an election that begins again', async () => {
  const network = inProcess();
  const transports = PEERS.map((id) => network.peer(id));
  await Promise.all(transports.map((transport) => transport.connect()));
  for (const transport of transports) Channels.of(transport);
  const watch = watched(network);
  const again = async () => {
    const all = elected({ ...network, peer: (id) => transports[PEERS.indexOf(id)]! });
    await agrees(watch, all);
    return all;
  };
  const all = await again();
  await Promise.all(all.map((each) => each.close()));
  expect(watch.leader).toBeNull();
  await again();
});

test('a peer that has gone counts for nothing, and reports nothing more', async () => {
  const network = inProcess();
  const [a, b] = elected(network, ['a', 'b']) as [Election, Election];
  const watch = watched(network);
  await agrees(watch, [a, b]);
  const heard: string[] = [];
  const raw = network.peer('raw');
  await raw.connect();
  Channels.of(raw).open('election/leader', { message: (from, { type }) => void (from === 'b' && heard.push(type)) });
  const greeting = { type: 'node.hello', isAnswer: false };
  Channels.of(raw).send('election/leader', 'b', greeting);
  await expect.poll(() => heard).toContain('leader');
  await b.close();
  await expect.poll(() => heard).toContain('node.bye');
  await agrees(watch, [a]);
  const all = elected(network, ['c']);
  await agrees(watch, [a, ...all]);
  await a.close();
  await agrees(watch, all);
  expect(heard.at(-1)).toBe('node.bye');
});

test('a watch ends with its transport, and leaves nothing at one that stays open', async () => {
  const network = inProcess();
  elected(network, ['a']);
  const transport = network.watcher();
  const subscribe = vi.spyOn(transport.events, 'subscribe');
  const watched = () => watchElection({ transport, peers: PEERS });
  const before = watched();
  await before.ready;
  await before.close();
  const last = watched();
  await last.ready;
  // That of its conversations.
  expect(subscribe.mock.results.filter(({ value }) => !value.closed)).toHaveLength(1);
  await transport.close();
  expect(last.leader).toBeNull();
  const late = watched();
  await expect(late.ready).rejects.toThrow('is closed');
});

test('a watcher has no leader without peers, and takes none from others', async () => {
  const network = inProcess();
  const other = network.peer('d');
  const listed = network.peer('b');
  const all = elected(network, ['a']);
  const watch = watched(network);
  await agrees(watch, all);
  await Promise.all([other.connect(), listed.connect()]);
  Channels.of(other).send('election/leader', 'web', { type: 'node.hello', isAnswer: true } as { type: string });
  Channels.of(other).send('election/leader', 'web', { type: 'leader', leader: 'd' } as { type: string });
  // A peer of the list that does not take part in the election.
  Channels.of(listed).send('election/leader', 'web', { type: 'leader', leader: 'd' } as { type: string });
  await all[0]!.close();
  await expect.poll(() => watch.leader).toBeNull();
  await watch.close();
  const late = watchElection({ transport: network.peer('e'), peers: PEERS });
  await late.close();
  await expect(late.ready).rejects.toMatchObject({ name: 'ClosedError' });
  expect(() => watchElection({ transport: other, peers: 'a' as unknown as string[] })).toThrow('watchElection: peers is "a"');
});
