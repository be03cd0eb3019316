/** Misuse and large amounts end with an error for the caller, or work; they never block an actor. */
import { from } from 'rxjs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { assign, createActor, emit, fromCallback, setup, toPromise, waitFor, type AnyActorRef } from 'xstate';
import { MapStorage } from '../storage/map.fixture.js';
import { counter, testCluster } from './cluster.fixture.js';
import { clusterLogic, createCluster } from './cluster.js';
import { InProcessBus } from '../transports/in-process.js';

const nested = (levels: number): unknown => Array.from({ length: levels }).reduce((inner) => ({ inner }), 1);
const cyclic: Record<string, unknown> = {};
cyclic['self'] = cyclic;

const bag = setup({
  types: {
    context: {} as { n: number; held: unknown; pad: string },
    events: {} as { type: 'ADD' | 'KEEP' | 'SAY'; data?: unknown },
  },
}).createMachine({
  context: { n: 0, held: null, pad: 'x'.repeat(2_000) },
  on: {
    ADD: { actions: [assign({ n: ({ context }) => context.n + 1 }), () => {}] },
    KEEP: { actions: assign({ held: ({ event }) => event.data }) },
    SAY: {
      actions: [assign({ n: ({ context }) => context.n + 1 }), emit(() => ({ type: 'said', text: 'x'.repeat(5_000) }) as never)],
    },
  },
});

test.each([
  ['that is too deep', nested(70), 'it has more than 50 lists and objects inside each other'],
  ['that contains itself', cyclic, 'it has more than 50 lists and objects inside each other'],
  ['with too many values', Array(70_000).fill(1), '70005 keys and values. The limit is 65536'],
])('an event %s fails, and the next one works', async (_, data, why) => {
  const { peers } = await testCluster({ bag });
  await peers[0]!.cluster.actor('bag', 'x').send({ type: 'ADD' });
  const remote = peers[1]!.cluster.actor('bag', 'x');
  await expect(remote.send({ type: 'KEEP', data })).rejects.toMatchObject({
    reason: 'event',
    message: expect.stringContaining(why),
  });
  await remote.send({ type: 'ADD' });
  expect(remote.getSnapshot().context.n).toBe(2);
});

test('a context that is too deep or has too many values fails only that event', async () => {
  const make = setup({
    types: { context: {} as { held: unknown }, events: {} as { type: 'DEEP' | 'WIDE' | 'CYCLE' | 'SMALL' } },
  }).createMachine({
    context: { held: null },
    on: {
      DEEP: { actions: assign({ held: () => nested(60) }) },
      WIDE: { actions: assign({ held: () => Array(70_000).fill(1) }) },
      CYCLE: { actions: assign({ held: () => cyclic }) },
      SMALL: { actions: assign({ held: 1 }) },
    },
  });
  const { peers } = await testCluster({ make });
  const ref = peers[0]!.cluster.actor('make', 'x');
  await expect(ref.send({ type: 'DEEP' })).rejects.toMatchObject({ reason: 'snapshot' });
  await expect(ref.send({ type: 'WIDE' })).rejects.toMatchObject({ reason: 'snapshot' });
  await expect(ref.send({ type: 'CYCLE' })).rejects.toThrow(
    /exceeded\. Its context may contain itself: keep plain data there\.$/,
  );
  await peers[1]!.cluster.actor('make', 'x').send({ type: 'SMALL' });
});

test('more events at once than a message carries are all applied', async () => {
  const { peers } = await testCluster({ bag });
  await peers[0]!.cluster.actor('bag', 'x').send({ type: 'ADD' });
  const remote = peers[1]!.cluster.actor('bag', 'x');
  const data = 'x'.repeat(20_000);
  await Promise.all(Array.from({ length: 100 }, () => remote.send({ type: 'ADD', data })));
  expect(remote.getSnapshot().context.n).toBe(101);
});

test('a turn ends before its actions and emitted events are too large for a version', async () => {
  const { peers } = await testCluster({ bag });
  const host = peers[0]!.cluster.actor('bag', 'x');
  await host.send({ type: 'ADD' });
  const remote = peers[1]!.cluster.actor('bag', 'x');
  let said = 0;
  remote.on('*', () => said++);
  await remote.ready;
  await Promise.all(Array.from({ length: 300 }, () => host.send({ type: 'ADD' })));
  await Promise.all(Array.from({ length: 300 }, () => host.send({ type: 'SAY' })));
  await expect.poll(() => said).toBe(300);
  expect(host.getSnapshot().context.n).toBe(601);
});

test.each([
  ['returns nothing', () => undefined, 'migrate did not return a snapshot'],
  [
    'throws an error',
    () => {
      throw new Error('a mistake');
    },
    'migrate threw an error: a mistake',
  ],
  ['returns a Date', (old: object) => ({ ...old, context: { at: new Date() } }), 'not JSON: context.at is a Date'],
])('migrate that %s: an error, and the stored state stays', async (_, migrate, why) => {
  const storages = new Map(['a', 'b', 'c'].map((id) => [id, new MapStorage()]));
  const run = async (versions: object, use: (cluster: ReturnType<typeof createCluster>) => Promise<unknown>) => {
    const bus = new InProcessBus();
    const all = ['a', 'b', 'c'].map((id) =>
      createCluster({
        transport: bus.transport(id),
        peers: ['a', 'b', 'c'],
        machines: { counter },
        storage: storages.get(id)!,
        ...versions,
      }),
    );
    try {
      return await use(all[0] as never);
    } finally {
      await Promise.all(all.map((cluster) => cluster.close()));
    }
  };
  const add = (cluster: ReturnType<typeof createCluster>) => cluster.actor('counter', 'x').send({ type: 'ADD' });
  await run({}, add);
  await expect(run({ versions: { counter: { version: 2, migrate } } }, add)).rejects.toMatchObject({
    reason: 'version',
    message: expect.stringContaining(why),
  });
  await run({}, async (cluster) => {
    await add(cluster);
    expect(cluster.actor('counter', 'x').getSnapshot().context.n).toBe(2);
  });
});

test('ready, subscribe, toPromise and clusterLogic report an actor that cannot be used', async () => {
  const broken = setup({ types: { input: {} as { a: { b: number } }, context: {} as { b: number } } }).createMachine({
    context: ({ input }) => ({ b: input.a.b }),
  });
  const { peers } = await testCluster({ counter, broken });
  const { cluster } = peers[1]!;
  const error = { name: 'ActorError', reason: 'machine' };
  await expect(cluster.actor('broken', 'x').ready).rejects.toMatchObject(error);
  await expect(toPromise(cluster.actor('broken', 'x'))).rejects.toMatchObject(error);
  const unknown = cluster.actor('counter', 'no', { create: false });
  await expect(unknown.ready).rejects.toMatchObject({ reason: 'unknown' });
  await cluster.actor('counter', 'no').send({ type: 'ADD' });
  await unknown.ready;
  const failed = vi.fn();
  const parent = setup({ actors: { child: clusterLogic(cluster, 'broken') } }).createMachine({
    initial: 'on',
    states: { on: { invoke: { src: 'child', input: { id: 'y' }, onError: { target: 'failed', actions: failed } } }, failed: {} },
  });
  const actor = createActor(parent).start();
  await waitFor(actor, (snapshot) => snapshot.matches('failed'));
  expect(failed.mock.calls[0]![0].event.error).toMatchObject(error);
  await cluster.close();
  await expect(cluster.actor('counter', 'z').ready).rejects.toMatchObject({ name: 'ClosedError' });
  await expect(cluster.where('counter', 'z')).rejects.toMatchObject({ name: 'ClosedError' });
});

test.each([
  [{ machines: { counter: {} } }, 'machines.counter is not a machine'],
  [{ machines: { counter }, versions: { counter: { version: 0 } } }, 'versions.counter is not a version'],
  [{ machines: { counter }, versions: { counter: { version: 2, migarte: () => {} } } }, 'versions.counter is not a version'],
  [{ machines: { counter }, versions: { toString: { version: 2 } } }, 'versions names "toString"'],
])('wrong machines and versions are named: %#', (options, why) => {
  const transport = new InProcessBus().transport('a');
  expect(() => createCluster({ transport, peers: ['a'], ...(options as object) } as never)).toThrow(why);
});

test('ready resolves after an event was sent, and a host reads its own version', async () => {
  const { peers } = await testCluster({ counter });
  for (const { cluster } of peers.slice(0, 2)) {
    const ref = cluster.actor('counter', 'x');
    await ref.send({ type: 'ADD' });
    await ref.ready;
  }
  expect(peers[0]!.cluster.actor('counter', 'x').getSnapshot().context.n).toBe(2);
});

test('a callback that throws at its start takes onError', async () => {
  const bad = fromCallback(() => {
    throw new Error('boom');
  });
  const machine = setup({ actors: { bad } }).createMachine({
    initial: 'on',
    invoke: { src: 'bad', onError: '.failed' },
    states: { on: {}, failed: {} },
  });
  const { peers } = await testCluster({ machine });
  const ref = peers[0]!.cluster.actor('machine', 'x');
  await waitFor(ref, ({ value }) => value === 'failed');
});

test('a delay of thirty days does not end at once', async () => {
  onTestFinished(() => void vi.restoreAllMocks());
  const warned = vi.spyOn(process, 'emitWarning');
  const month = setup({}).createMachine({
    initial: 'open',
    states: { open: { after: { 2_592_000_000: 'over' } }, over: {} },
    on: { LOOK: {} },
  });
  const { peers } = await testCluster({ month });
  const ref = peers[0]!.cluster.actor('month', 'x');
  await ref.ready;
  await new Promise((resolve) => setTimeout(resolve, 50));
  await ref.send({ type: 'LOOK' } as never);
  expect(ref.getSnapshot().value).toBe('open');
  expect(warned).not.toHaveBeenCalled();
});

test('programs do not share objects with the actor', async () => {
  const { peers } = await testCluster({ bag });
  const ref = peers[0]!.cluster.actor('bag', 'x');
  const data = { mine: 1 };
  await ref.send({ type: 'KEEP', data });
  data.mine = 2;
  (ref.getSnapshot().context as { n: number }).n = 100;
  await ref.send({ type: 'ADD' });
  expect(ref.getSnapshot().context).toMatchObject({ n: 1, held: { mine: 1 } });
});

test('a reference is an observable, and an ActorRef of XState', async () => {
  const { peers } = await testCluster({ counter });
  const ref = peers[0]!.cluster.actor('counter', 'x');
  const any: AnyActorRef = ref;
  const seen: number[] = [];
  const parts: number[] = [];
  from(any as never).subscribe((snapshot) => void seen.push((snapshot as { context: { n: number } }).context.n));
  ref.select(({ context }) => context.n).subscribe((n) => void parts.push(n));
  await ref.send({ type: 'ADD' });
  await expect.poll(() => [seen.at(-1), parts]).toEqual([1, [1]]);
});
