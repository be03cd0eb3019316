/** Three peers in one process: one live instance per id, reachable from every peer, that survives its host. */
import { useSelector } from '@xstate/react';
import { createElement } from 'react';
import { renderToString } from 'react-dom/server';
import { expect, onTestFinished, test, vi } from 'vitest';
import { toPromise, waitFor } from 'xstate';
import { MapStorage } from '../storage/map.fixture.js';
import { clusterCore } from '../../machines/cluster/core.js';
import { hostMachine } from '../../machines/cluster/host.js';
import type { HostContext } from '../../machines/cluster/hosting.js';
import { counter, testCluster } from './cluster.fixture.js';

test('peers share one instance, and a snapshot contains what its reference has sent', async () => {
  const { peers } = await testCluster({ counter });
  const refs = peers.map(({ cluster }) => cluster.actor('counter', 'x'));
  for (const ref of refs) await ref.send({ type: 'ADD' });
  expect(refs[2]!.getSnapshot().context.n).toBe(3);
  expect(peers.filter(({ cluster }) => cluster.hosted.includes('counter/x'))).toHaveLength(1);
  const places = await Promise.all(peers.map(({ cluster }) => cluster.where('counter', 'x')));
  expect(new Set(places).size).toBe(1);
});

test('all events from all peers are applied once, and subscribers see the same order', async () => {
  const { peers } = await testCluster({ counter });
  const seen = peers.map(({ cluster }) => {
    const states: string[] = [];
    cluster.actor('counter', 'x').subscribe(({ context }) => states.push(context.seen.join()));
    return states;
  });
  await Promise.all(
    peers.flatMap(({ id, cluster }) => {
      const ref = cluster.actor('counter', 'x');
      return Array.from({ length: 100 }, (_, i) => ref.send({ type: 'ADD', tag: `${id}${i}` }));
    }),
  );
  const last = peers[0]!.cluster.actor('counter', 'x');
  await last.ready;
  const { n, seen: tags } = last.getSnapshot().context;
  expect(n).toBe(300);
  expect(new Set(tags).size).toBe(300);
  for (const { id } of peers)
    expect(tags.filter((tag) => tag.startsWith(id))).toEqual(Array.from({ length: 100 }, (_, i) => `${id}${i}`));
  await expect.poll(() => seen.map((states) => states.at(-1))).toEqual(peers.map(() => tags.join()));
  // The states that one subscriber has seen are part of the one history: each state is a prefix of the next.
  for (const states of seen) for (const state of states) expect(tags.join().startsWith(state)).toBe(true);
});

test('the host is killed under load: no acknowledged event is lost or applied twice', async () => {
  const { peers, of } = await testCluster({ counter });
  const refs = peers.map(({ cluster }) => cluster.actor('counter', 'x'));
  await refs[0]!.send({ type: 'ADD', tag: 'first' });
  const host = (await peers[0]!.cluster.where('counter', 'x'))!;
  const others = peers.filter(({ id }) => id !== host);
  const acknowledged: string[] = ['first'];
  let isOver = false;
  const sending = others.flatMap(({ id, cluster }) =>
    Array.from({ length: 4 }, async (_, lane) => {
      const ref = cluster.actor('counter', 'x');
      for (let i = 0; !isOver; i++) {
        await ref.send({ type: 'ADD', tag: `${id}-${lane}-${i}` });
        acknowledged.push(`${id}-${lane}-${i}`);
        if (i % 10 === 9) await new Promise((resolve) => setTimeout(resolve, 1));
      }
    }),
  );
  await expect.poll(() => acknowledged.length).toBeGreaterThan(200);
  const before = acknowledged.length;
  of(host).kill();
  await expect.poll(() => acknowledged.length).toBeGreaterThan(before + 200);
  isOver = true;
  await Promise.all(sending);
  const [survivor] = others;
  const ref = survivor!.cluster.actor('counter', 'x');
  await ref.ready;
  const { seen } = ref.getSnapshot().context;
  expect(new Set(seen).size).toBe(seen.length);
  expect(seen.toSorted()).toEqual(acknowledged.toSorted());
  expect(await survivor!.cluster.where('counter', 'x')).not.toBe(host);
});

test('helpers of XState take a reference', async () => {
  const { peers } = await testCluster({ counter });
  const [a, b] = peers.map(({ cluster }) => cluster.actor('counter', 'x'));
  const added: number[] = [];
  b!.on('added', ({ n }) => added.push(n));
  const output = toPromise(b!);
  const five = waitFor(b!, (snapshot) => snapshot.context.n === 5);
  await a!.send({ type: 'ADD', by: 5 });
  await five;
  await a!.send({ type: 'STOP' });
  await output;
  expect(added).toEqual([5]);
  expect(a!.getSnapshot().status).toBe('done');
});

test('useSelector of @xstate/react shows a reference', async () => {
  const { peers } = await testCluster({ counter });
  const ref = peers[0]!.cluster.actor('counter', 'x');
  await ref.send({ type: 'ADD', by: 5 });
  const Visits = () =>
    createElement(
      'p',
      null,
      useSelector(ref, ({ context }) => context.n),
    );
  expect(renderToString(createElement(Visits))).toBe('<p>5</p>');
});

test('a host that waits for a majority to close does not exchange messages without end', async () => {
  const { charts } = clusterCore as unknown as { charts: Record<string, unknown> };
  const isCommitted = ({ context: { copy, keepers } }: { context: HostContext }) => copy!.seq < 2 && keepers.length > 1;
  charts['host'] = hostMachine.provide({ guards: { isCommitted } } as never);
  onTestFinished(() => void (charts['host'] = hostMachine));
  const { peers, of } = await testCluster({ counter });
  const ref = peers[0]!.cluster.actor('counter', 'x');
  await ref.ready;
  const { cluster } = of((await ref.where())!);
  for (const peer of peers) {
    const sender = peer.cluster.actor('counter', 'x');
    sender.subscribe({ error: () => {} });
    sender.send({ type: 'ADD' }).catch(() => {});
  }
  for (let turns = 0; turns < 20; turns++) await Promise.resolve();
  // Messages of a process to itself are microtasks. Without end they would stop this test as well.
  let microtasks = 0;
  const schedule = queueMicrotask;
  vi.stubGlobal('queueMicrotask', (run: () => void) => void (++microtasks < 10_000 && schedule(run)));
  onTestFinished(() => void vi.unstubAllGlobals());
  await cluster.close({ withinMs: 1_500 });
  expect(microtasks).toBeLessThan(1_000);
});

test('close ends although the storage fails meanwhile', async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const stores: MapStorage[] = [];
  const { peers, of } = await testCluster({ counter }, () => {
    const storage = new MapStorage();
    stores.push(storage);
    return { storage };
  });
  const ref = peers[0]!.cluster.actor('counter', 'x');
  await ref.send({ type: 'ADD' });
  const { cluster } = of((await ref.where())!);
  const sent = cluster.actor('counter', 'x').send({ type: 'ADD' });
  for (const store of stores) store.failure = new Error('ENOSPC');
  // The host begins to write.
  for (let turns = 0; turns < 20; turns++) await Promise.resolve();
  const closed = cluster.close({ withinMs: 60_000 });
  await expect(sent).rejects.toThrow('ENOSPC');
  await closed;
});
