/** A member whose storage was replaced by an empty one has forgotten its copies, and never proves that there were none. */
import { expect, test } from 'vitest';
import { MapStorage } from '../storage/map.fixture.js';
import { counter, testCluster, type TestCluster } from './cluster.fixture.js';

const sleep = (ms: number) => new Promise<'waits'>((resolve) => setTimeout(resolve, ms, 'waits'));

type Counters = TestCluster<{ counter: typeof counter }>;

async function storedCluster(): Promise<{
  readonly cluster: Counters;
  restart(id: string): Promise<void>;
  empty(id: string): void;
}> {
  const storages = new Map(['a', 'b', 'c'].map((id) => [id, new MapStorage()]));
  const cluster = await testCluster({ counter }, (id) => ({ storage: storages.get(id)! }));
  return {
    cluster,
    restart: (id) => cluster.start(id).cluster.ready,
    empty: (id) => void storages.set(id, new MapStorage()),
  };
}

const add = ({ of }: Counters, at: string, id: string) => of(at).cluster.actor('counter', id).send({ type: 'ADD' });

async function countAt({ of }: Counters, at: string, id: string): Promise<number> {
  const ref = of(at).cluster.actor('counter', id);
  await ref.ready;
  return ref.getSnapshot().context.n;
}

test('acknowledged events survive an emptied storage and the end of another member', async () => {
  const { cluster, restart, empty } = await storedCluster();
  await add(cluster, 'b', 'x');
  cluster.of('c').kill();
  for (let events = 0; events < 4; events++) await add(cluster, 'b', 'x');
  await restart('c');
  cluster.of('a').kill();
  empty('a');
  await restart('a');
  // Only b has the last four events now: the others must not continue without it.
  cluster.of('b').kill();
  expect(await Promise.race([countAt(cluster, 'c', 'x'), sleep(2_000)])).toBe('waits');
  await restart('b');
  expect(await countAt(cluster, 'b', 'x')).toBe(5);
});

test('members that restart with their storages, one by one, keep their full vote', async () => {
  const { cluster, restart } = await storedCluster();
  await add(cluster, 'b', 'x');
  for (const id of ['a', 'b', 'c']) {
    cluster.of(id).kill();
    await restart(id);
  }
  cluster.of('c').kill();
  await add(cluster, 'a', 'new');
  expect(await countAt(cluster, 'b', 'new')).toBe(1);
  expect(await countAt(cluster, 'b', 'x')).toBe(1);
});

test('two of three members that start again create actors without the third', async () => {
  const { cluster, restart } = await storedCluster();
  await add(cluster, 'b', 'x');
  for (const id of ['a', 'b', 'c']) cluster.of(id).kill();
  await Promise.all([restart('a'), restart('b')]);
  await add(cluster, 'a', 'new');
  expect(await countAt(cluster, 'b', 'x')).toBe(1);
});

test('two members create actors while a member with an emptied storage is down', async () => {
  const { cluster, restart, empty } = await storedCluster();
  await add(cluster, 'b', 'x');
  cluster.of('a').kill();
  empty('a');
  await restart('a');
  cluster.of('a').kill();
  await add(cluster, 'b', 'new');
  expect(await countAt(cluster, 'c', 'new')).toBe(1);
});
