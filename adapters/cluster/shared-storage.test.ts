/** Actors whose copies are in one storage that all members share, instead of at a majority of the members. */
import { expect, test } from 'vitest';
import { setup } from 'xstate';
import { MapStore } from '../storage/map-store.fixture.js';
import { sharedStorage } from '../storage/shared.js';
import { counter, testCluster } from './cluster.fixture.js';

const on = (store: MapStore) => (id: string) => ({ storage: sharedStorage({ store, peer: id }) });

test('state survives the host, and the end of all processes', async () => {
  const store = new MapStore();
  const first = await testCluster({ counter }, on(store));
  const ref = first.peers[0]!.cluster.actor('counter', 'x');
  await Promise.all(Array.from({ length: 20 }, (_, i) => ref.send({ type: 'ADD', tag: `${i}` })));
  const host = (await ref.where())!;
  const other = first.peers.find(({ id }) => id !== host)!.cluster.actor('counter', 'x');
  first.of(host).kill();
  await other.send({ type: 'ADD', tag: 'after' });
  expect(other.getSnapshot().context.seen).toHaveLength(21);
  for (const { kill } of first.peers) kill();
  const second = await testCluster({ counter }, on(store));
  const again = second.peers[2]!.cluster.actor('counter', 'x');
  await again.send({ type: 'ADD' });
  expect(again.getSnapshot().context.n).toBe(22);
});

test('an actor with a delayed transition is woken when all processes start again', async () => {
  const rang: string[] = [];
  const alarm = setup({ actions: { ring: () => void rang.push('rung') } }).createMachine({
    initial: 'set',
    states: { set: { after: { 300: { target: 'rung', actions: 'ring' } } }, rung: {} },
  });
  const store = new MapStore();
  const first = await testCluster({ alarm }, on(store));
  await first.peers[0]!.cluster.actor('alarm', 'x').ready;
  expect(await store.keys('awake')).toEqual(['cluster/alarm/x']);
  for (const { kill } of first.peers) kill();
  await testCluster({ alarm }, on(store));
  await expect.poll(() => rang).toEqual(['rung']);
  await expect.poll(() => store.keys('awake')).toEqual([]);
});

test('a host that another one has replaced in the storage commits nothing', async () => {
  const store = new MapStore();
  const { peers } = await testCluster({ counter }, on(store));
  const ref = peers[0]!.cluster.actor('counter', 'x');
  await ref.send({ type: 'ADD' });
  // Another member has claimed the actor with a larger fence than this one will ever have, and the host has not noticed.
  const place = 'actors cluster/counter/x';
  const { value, revision } = store.values.get(place)!;
  const { copy } = JSON.parse(value) as { copy: unknown };
  store.values.set(place, { value: JSON.stringify({ promised: Number.MAX_SAFE_INTEGER, copy }), revision: Number(revision) + 1 });
  const sent = ref.send({ type: 'ADD' });
  sent.catch(() => {});
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect((JSON.parse(store.values.get(place)!.value) as { copy: { seq: number } }).copy.seq).toBe((copy as { seq: number }).seq);
});

test('while the storage is down nothing is acknowledged, and nothing is lost', async () => {
  const store = new MapStore();
  const { peers } = await testCluster({ counter }, on(store));
  const ref = peers[0]!.cluster.actor('counter', 'x');
  await ref.send({ type: 'ADD' });
  store.failure = new Error('the server is down');
  let isAcknowledged = false;
  const sent = ref.send({ type: 'ADD' }).then(() => (isAcknowledged = true));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(isAcknowledged).toBe(false);
  store.failure = null;
  await sent;
  store.answersLost = 1;
  await ref.send({ type: 'ADD' });
  expect(ref.getSnapshot().context.n).toBe(3);
});
