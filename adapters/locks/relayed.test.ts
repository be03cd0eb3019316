/** A connected majority whose members do not all reach each other: members relay messages. */
import { expect, onTestFinished, test } from 'vitest';
import { freePort } from '../../testing/servers.js';
import { linked } from '../linked.js';
import { hostile } from '../transports/hostile.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import { sealed } from '../transports/sealed.js';
import { webSocketMesh } from '../transports/web-socket-mesh.js';
import { createLocks, type Locks } from './locks.js';
import { behindMedia } from './peers.fixture.js';

const PATIENCE = 40;

/** All are members of one epoch, and each is granted the lock in its turn. */
async function expectAllServed(ids: readonly string[], all: readonly Locks[]): Promise<void> {
  await expect.poll(() => all.map((locks) => locks.status().members), { timeout: 10_000 }).toEqual(all.map(() => ids));
  const fences: number[] = [];
  for (const locks of all) fences.push(await locks.request('x', ({ fence }) => fence));
  expect(fences).toEqual([...new Set(fences)].sort((x, y) => x - y));
}

test('three peers of which two do not reach each other are all served', async () => {
  const ids = ['a', 'b', 'c'];
  const made = await behindMedia(ids, [['a', 'c']], PATIENCE);
  await expectAllServed(
    ids,
    made.map(({ locks }) => locks),
  );
});

test('five peers in a ring are all served, and send `bye` across it', async () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const chords = ids.map((id, i) => [id, ids[(i + 2) % 5]!] as const);
  const made = await behindMedia(ids, chords, 8 * PATIENCE);
  const all = made.map(({ locks }) => locks);
  await expectAllServed(ids, all);
  const others = made.filter((_, i) => i !== 0);
  await all[0]!.transport.close();
  // By the `bye` message: the patience is longer than this waits.
  await expect.poll(() => others.map(({ locks }) => locks.status().missing)).toEqual(others.map(() => ['a']));
});

test('a holder that loses a link, and then its relay, keeps its lock with another', async () => {
  const ids = ['a', 'b', 'c', 'd'];
  const [a, b, c, d] = (await behindMedia(ids, [], PATIENCE)) as Awaited<ReturnType<typeof behindMedia>>;
  await expect.poll(() => a!.locks.status().members).toEqual(ids);
  const held = await a!.locks.acquire('x');
  const { epoch } = a!.locks.status();
  a!.medium.cutFrom.add('c');
  c!.medium.cutFrom.add('a');
  await new Promise((resolve) => setTimeout(resolve, 10 * PATIENCE));
  // No peer changes its state.
  expect([a, b, c, d].map((each) => each!.locks.status().epoch)).toEqual([epoch, epoch, epoch, epoch]);
  b!.medium.isCut = true;
  await expect.poll(() => a!.locks.status().members, { timeout: 5_000 }).toEqual(['a', 'c', 'd']);
  expect(held.signal.aborted).toBe(false);
  held.release();
  expect(await c!.locks.request('x', ({ fence }) => fence)).toBeGreaterThan(held.fence);
});

test('over a mesh in which two know only the third, all three are served', async () => {
  const ids = ['a', 'b', 'c'];
  const ports = await Promise.all(ids.map(() => freePort()));
  const middle = `ws://127.0.0.1:${ports[1]}`;
  const transports = ids.map((id, i) =>
    linked(webSocketMesh({ id, listen: { port: ports[i]! }, peers: id === 'b' ? [] : [middle] }), {
      peers: ids,
      beatMs: 20,
      patience: 100,
    }),
  );
  const all = transports.map((transport) => createLocks({ transport, peers: ids }));
  onTestFinished(() => Promise.all(transports.map((transport) => transport.close())).then(() => {}));
  await expectAllServed(ids, all);
});

test('sealed with a key for each pair, a relay keeps the seal of the pair', async () => {
  const ids = ['a', 'b', 'c'];
  const keysOf = (id: string) => (other: string) => `a secret of ${[id, other].toSorted().join(' and ')}`;
  const bus = new InProcessBus();
  const media = ids.map((id, seed) => hostile(bus.transport(id), { seed, loss: 0, duplicate: 0, delayMs: 0 }));
  media[0]!.cutFrom.add('c');
  media[2]!.cutFrom.add('a');
  const transports = media.map((medium) =>
    linked(sealed(medium, { key: keysOf(medium.id) }), { peers: ids, beatMs: 5, patience: PATIENCE }),
  );
  onTestFinished(async () => {
    await Promise.all(transports.map((transport) => transport.close()));
    bus.close();
  });
  await expectAllServed(
    ids,
    transports.map((transport) => createLocks({ transport, peers: ids })),
  );
  const received: unknown[] = [];
  transports[2]!.events.subscribe((event) => event.type === 'message' && event.from === 'a' && received.push(event.message));
  transports[0]!.send('c', 'by way of b');
  await expect.poll(() => received).toContain('by way of b');
});

test('without relays no peer accepts messages that another one sends in a name', async () => {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const media = ['a', 'c'].map((id) => bus.transport(id));
  const [a, c] = media.map((medium) => linked(medium, { peers: ['a', 'b', 'c'], relay: false, beatMs: 5 }));
  // b also receives the messages from c to a.
  let echo: number;
  media[0]!.events.subscribe((event) => {
    if (event.type === 'message') ({ nonce: echo } = (event.message as any).message);
  });
  const b = bus.transport('b');
  const emitted: unknown[] = [];
  c!.events.subscribe((event) => emitted.push(event));
  await Promise.all([a!.connect(), b.connect(), c!.connect()]);
  await expect.poll(() => emitted).toEqual([{ type: 'up', peer: 'a' }]);
  const goodbye = { type: 'bye', session: later(), echo: echo! };
  b.send('c', { v: 1, name: 'link/1', message: { type: 'relayed', origin: 'a', message: goodbye } });
  a!.send('c', 'still there');
  await expect.poll(() => emitted.slice(1)).toEqual([{ type: 'message', from: 'a', message: 'still there' }]);
  await Promise.all([a!.close(), c!.close()]);
});

const later = () => (Date.now() + 5_000) * 1_000;
