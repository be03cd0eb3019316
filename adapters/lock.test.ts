import { createActor, sendTo, setup, waitFor, type AnyActor } from 'xstate';
import { expect, onTestFinished, test } from 'vitest';
import { InProcessBus } from './in-process.js';
import { createLockNode, type LockInput } from './lock-node.js';
import { lockLogic } from './lock.js';
import { nodeLogic } from './node-logic.js';
import type { Reliable, Transport } from './transport.js';

const peers = ['a', 'b', 'c'];

function transports(): Record<string, Transport<Reliable>> {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  return Object.fromEntries(peers.map((id) => [id, bus.transport(id)]));
}

/** Somebody's own machine: it works while it holds the lock. */
const worker = setup({
  types: { input: {} as { transport: Transport<Reliable> } },
  actors: { lock: lockLogic },
}).createMachine({
  invoke: { id: 'lock', src: 'lock', input: ({ event }) => ({ ...(event as any).input, peers, name: 'printer' }) },
  initial: 'resting',
  states: {
    resting: { on: { work: { target: 'waiting', actions: sendTo('lock', { type: 'request' }) } } },
    waiting: {
      on: {
        granted: 'working',
        giveUp: { target: 'resting', actions: sendTo('lock', { type: 'release' }) },
      },
    },
    working: { on: { done: { target: 'resting', actions: sendTo('lock', { type: 'release' }) }, lost: 'broken' } },
    broken: {},
  },
});

function workers(): AnyActor[] {
  const all = transports();
  return peers.map((id) => {
    const actor = createActor(worker, { input: { transport: all[id]! } }).start();
    onTestFinished(() => void actor.stop());
    return actor;
  });
}

const reaches = (actor: AnyActor, state: string) => waitFor(actor, (snapshot) => snapshot.matches(state), { timeout: 5000 });
const lockOf = (actor: AnyActor): AnyActor => actor.getSnapshot().children.lock;

test('a machine that invokes the lock works while it is granted, and one at a time', async () => {
  const [a, b, c] = workers() as [AnyActor, AnyActor, AnyActor];
  for (const actor of [a, b, c]) actor.send({ type: 'work' });
  const order: AnyActor[] = [];
  while (order.length < 3) {
    const holder = await Promise.race(
      [a, b, c].filter((x) => !order.includes(x)).map((x) => reaches(x, 'working').then(() => x)),
    );
    expect([a, b, c].filter((x) => x.getSnapshot().matches('working'))).toEqual([holder]);
    order.push(holder);
    holder.send({ type: 'done' });
  }
});

test('fences grow with every grant, wherever it is made', async () => {
  const actors = workers();
  const fences: number[] = [];
  for (let round = 0; round < 4; round++) {
    for (const actor of actors) {
      actor.send({ type: 'work' });
      await reaches(actor, 'working');
      fences.push(lockOf(actor).getSnapshot().context.fence);
      actor.send({ type: 'done' });
    }
  }
  expect(fences).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
});

test('a request that is given up is passed over, and the next holder gets the lock', async () => {
  const [a, b, c] = workers() as [AnyActor, AnyActor, AnyActor];
  a.send({ type: 'work' });
  await reaches(a, 'working');
  b.send({ type: 'work' });
  await new Promise((resolve) => lockOf(b).on('queued', resolve));
  c.send({ type: 'work' });
  b.send({ type: 'giveUp' });
  expect(lockOf(b).getSnapshot().value).toBe('withdrawn');
  a.send({ type: 'done' });
  await reaches(c, 'working');
  expect(lockOf(b).getSnapshot().value).toBe('free');
});

test('wanting the lock again takes up the place of the request that was given up', async () => {
  const [a, b, c] = workers() as [AnyActor, AnyActor, AnyActor];
  a.send({ type: 'work' });
  await reaches(a, 'working');
  b.send({ type: 'work' });
  await new Promise((resolve) => lockOf(b).on('queued', resolve));
  c.send({ type: 'work' });
  await new Promise((resolve) => lockOf(c).on('queued', resolve));
  b.send({ type: 'giveUp' });
  b.send({ type: 'work' });
  a.send({ type: 'done' });
  await reaches(b, 'working');
  expect(c.getSnapshot().value).toBe('waiting');
});

test('a holder whose transport goes is told that the lock is lost', async () => {
  const all = transports();
  const actor = createActor(worker, { input: { transport: all['a']! } }).start();
  const others = ['b', 'c'].map((id) =>
    createActor(lockLogic, { input: { transport: all[id]!, peers, name: 'printer' } }).start(),
  );
  actor.send({ type: 'work' });
  await reaches(actor, 'working');
  await all['a']!.close();
  await reaches(actor, 'broken');
  expect(lockOf(actor).getSnapshot().value).toBe('lost');
  for (const other of others) other.stop();
});

test('a lock alone: its own actor emits what a parent would receive', async () => {
  const all = transports();
  const locks = peers.map((id) => createActor(lockLogic, { input: { transport: all[id]!, peers, name: 'printer' } }).start());
  const granted = new Promise((resolve) => locks[1]!.on('granted', resolve));
  locks[1]!.send({ type: 'request' });
  expect(await granted).toEqual({ type: 'granted', name: 'printer', fence: 1 });
  for (const lock of locks) lock.stop();
});

test('a snapshot is plain data, shows the chart of the node, and restores with its place in the protocol', async () => {
  const all = transports();
  const [first, b] = ['a', 'b'].map((id) => createActor(worker, { input: { transport: all[id]! } }).start()) as [
    AnyActor,
    AnyActor,
  ];
  const c = createActor(lockLogic, { input: { transport: all['c']!, peers, name: 'printer' } }).start();
  first.send({ type: 'work' });
  await reaches(first, 'working');
  const roles = lockOf(first).getSnapshot().children.node.getSnapshot().roles;
  expect(roles.directory.value).toEqual({ holding: { using: 'last' } });

  const stored = JSON.stringify(first.getPersistedSnapshot());
  first.stop();
  const bound = lockLogic.provide({
    actors: { node: nodeLogic<LockInput>((input) => createLockNode({ ...input, transport: all['a']! })) },
  });
  const again = createActor(worker.provide({ actors: { lock: bound } }), {
    snapshot: JSON.parse(stored),
    input: { transport: all['a']! },
  }).start();
  expect(again.getSnapshot().value).toBe('working');
  b.send({ type: 'work' });
  await new Promise((resolve) => lockOf(b).on('queued', resolve));
  again.send({ type: 'done' });
  await reaches(b, 'working');
  expect(lockOf(b).getSnapshot().context.fence).toBe(2);
  for (const actor of [again, b, c]) actor.stop();
});

test('a peer that is not on the list is refused with a line that says so', () => {
  const all = transports();
  expect(() => createLockNode({ transport: all['a']!, peers: ['b', 'c'], name: 'x' })).toThrow(
    /"a" is not among the peers of lock "x"/,
  );
});
