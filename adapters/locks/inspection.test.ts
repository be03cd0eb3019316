/** Inspection of a cluster from any peer: who holds, who waits and for how long, which peers do not answer, and what is pending. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { VirtualClock } from '../../network/clock.js';
import type { Message } from '../../machines/effects.js';
import { Channels } from '../node/channels.js';
import { InProcessBus } from '../transports/in-process.js';
import type { Transport } from '../transports/transport.js';
import { createLocks, type Locks, type LocksOptions } from './locks.js';
import { settled } from './peers.fixture.js';

/** Peers on a bus that share one clock, which `pass` moves. They end with the test. */
function cluster() {
  const bus = new InProcessBus();
  const clock = new VirtualClock();
  onTestFinished(() => bus.close());
  const start = (
    id: string,
    options: Omit<LocksOptions, 'transport'> = { peers: ['a', 'b', 'c'] },
    transport = bus.transport(id),
  ) => createLocks({ transport, clock, ...options });
  const pass = async (ms: number) => {
    for (let i = 0; i < 20; i++) await settled();
    clock.runUntil(clock.now() + ms);
    for (let i = 0; i < 20; i++) await settled();
  };
  return { bus, start, pass };
}

async function three() {
  const { start, ...others } = cluster();
  const [a, b, c] = ['a', 'b', 'c'].map((id) => start(id)) as [Locks, Locks, Locks];
  await Promise.all([a.ready, b.ready, c.ready]);
  return { a, b, c, start, ...others };
}

test('every peer knows all holders and waiters, with fences, callers and ages', async () => {
  const { a, b, c, pass } = await three();
  const held = await a.acquire('x');
  await pass(3_000);
  for (const waiter of [b, b, c]) {
    void waiter.acquire('x').catch(() => {});
    await pass(1_000);
  }
  const read = await b.acquire('y', { mode: 'shared' });
  const [atA, atC] = [await a.inspect(), await c.inspect()];
  expect(atC.locks).toEqual([
    {
      name: 'x',
      holders: [{ peer: 'a', fence: held.fence, mode: 'exclusive', ms: 6_000 }],
      waiting: [
        { peer: 'b', ms: 3_000, callers: 2 },
        { peer: 'c', ms: 1_000, callers: 1 },
      ],
      problem: null,
    },
    { name: 'y', holders: [{ peer: 'b', fence: read.fence, mode: 'shared', ms: 0 }], waiting: [], problem: null },
  ]);
  expect(atA.locks).toEqual(atC.locks);
  const { epoch, leader } = a.status();
  expect(atC).toMatchObject({ name: 'locks', peer: 'c', epoch, leader, voters: ['a', 'b', 'c'], omitted: 0 });
  const serving = { votes: true, state: 'serving', epoch, leader, missing: [], problem: null };
  expect(atC.peers).toEqual([
    { id: 'a', roundTripMs: 0, ...serving },
    { id: 'b', roundTripMs: 0, ...serving },
    { id: 'c', roundTripMs: null, ...serving },
  ]);
});

test('a client is listed with its locks, also while it does not answer', async () => {
  const { a, b, start, pass, bus } = await three();
  const transport = bus.transport('web');
  const client = start('web', { peers: ['a', 'b', 'c'], client: true }, transport);
  await client.ready;
  const held = await client.acquire('x');
  void client.acquire('z').catch(() => {});
  const other = await b.acquire('y');
  void client.acquire('y').catch(() => {});
  await pass(500);
  const mine = (ms: number | null) => [{ peer: 'web', fence: held.fence, mode: 'exclusive', ms }];
  const answered = await a.inspect();
  expect(answered.peers.find(({ id }) => id === 'web')).toMatchObject({ votes: false, state: 'attached', problem: null });
  expect(answered.locks.find(({ name }) => name === 'x')!.holders).toEqual(mine(500));
  expect(answered.locks.find(({ name }) => name === 'y')).toMatchObject({
    holders: [{ peer: 'b', fence: other.fence }],
    waiting: [{ peer: 'web', ms: 500, callers: 1 }],
  });
  // A frozen page receives the question, and no code runs there.
  Channels.of(transport).close('inspect locks');
  void b.acquire('x').catch(() => {});
  const asked = a.inspect();
  await pass(1_000);
  const silent = await asked;
  expect(silent.peers.find(({ id }) => id === 'web')).toMatchObject({ state: 'silent', roundTripMs: null });
  expect(silent.locks.find(({ name }) => name === 'x')).toMatchObject({
    holders: mine(null),
    waiting: [{ peer: 'b', callers: 1 }],
    problem: 'its holder web does not answer',
  });
  expect(silent.locks.find(({ name }) => name === 'y')!.waiting).toEqual([{ peer: 'web', ms: null, callers: 1 }]);
});

test('lost peers, a blocked peer with its reason, and a pending change are visible', async () => {
  const { a, b, c, pass } = await three();
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => void vi.restoreAllMocks());
  await Promise.all([b, c].map(({ transport }) => transport.close()));
  await pass(100);
  expect(a.status().changing).toBeUndefined();
  void a.acquire('x').catch(() => {});
  const change = a.removeMember('c', { signal: AbortSignal.timeout(1) });
  await expect(change).rejects.toThrow('timeout');
  await pass(200);
  const seen = await a.inspect();
  expect(seen.changing).toEqual({ add: null, remove: 'c', by: 'a' });
  expect(a.status().changing).toEqual({ add: null, remove: 'c', by: 'a' });
  expect(seen.peers).toMatchObject([
    { id: 'a', state: 'apart', missing: ['b', 'c'], problem: expect.stringContaining('it does not reach b, c') },
    { id: 'b', votes: true, state: 'missing', roundTripMs: null },
    { id: 'c', votes: true, state: 'missing', roundTripMs: null },
  ]);
  expect(seen.locks).toMatchObject([
    {
      name: 'x',
      holders: [],
      waiting: [{ peer: 'a', ms: 200 }],
      problem: 'a is granted no locks',
    },
  ]);
});

test('an answer contains a thousand locks, those with the longest waits first', async () => {
  const { a, b, c, pass } = await three();
  const oldest = await a.acquire('z');
  void b.acquire('z').catch(() => {});
  await pass(100);
  for (let i = 0; i <= 1_000; i++) void b.acquire(`${i}`).catch(() => {});
  await pass(0);
  const { locks, omitted, peers } = await c.inspect();
  expect(peers.map(({ state }) => state)).toEqual(['serving', 'serving', 'serving']);
  expect([locks.length, omitted]).toEqual([1_000, 2]);
  expect(locks.at(-1)).toMatchObject({ name: 'z', holders: [{ fence: oldest.fence }], waiting: [{ peer: 'b', ms: 100 }] });
});

test('answers of strangers and of other shapes are ignored', async () => {
  const { a, c, bus } = await three();
  const transport = bus.transport('stranger');
  await transport.connect();
  const report = { votes: true, state: 'serving', epoch: 1, leader: null, missing: [], problem: null, uses: [], omitted: 0 };
  const forge = (from: Transport, report: object, number: number) =>
    Channels.of(from).send('inspect locks', 'a', { type: 'report', number, report } as Message);
  const asked = a.inspect();
  forge(transport, report, 1);
  forge(c.transport, { ...report, uses: 'all' }, 1);
  forge(c.transport, { ...report, state: 'dreaming' }, 1);
  forge(c.transport, report, 7);
  const { epoch } = a.status();
  expect((await asked).peers).toMatchObject(['a', 'b', 'c'].map((id) => ({ id, state: 'serving', epoch })));
});

test('closed locks reject, and a pending inspection ends with the answers so far', async () => {
  const { a, b } = await three();
  await expect(a.inspect({ timeoutMs: -1 })).rejects.toThrow('timeoutMs is -1');
  Channels.of(b.transport).close('inspect locks');
  const last = a.inspect();
  await settled();
  await a.close();
  expect((await last).peers.map(({ id, state }) => [id, state])).toContainEqual(['c', 'serving']);
  await expect(a.inspect()).rejects.toMatchObject({ name: 'ClosedError' });
});
