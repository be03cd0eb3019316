import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostile } from '../transports/hostile.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import { createElection } from '../election.js';
import { createLocks, type Lock, type Locks } from './locks.js';
import { peers, settled } from './peers.fixture.js';

const isGrowing = (fences: readonly number[]) => fences.every((fence, i) => i === 0 || fence > fences[i - 1]!);

test('request runs the callback with the lock and returns its result', async () => {
  const [{ a }] = await peers('a', 'b');
  const result = await a!.request('x', (lock) => [lock.name, lock.mode, lock.fence > 0]);
  expect(result).toEqual(['x', 'exclusive', true]);
});

test('holders exclude each other, and all requests are granted', async () => {
  const [all] = await peers('a', 'b', 'c', 'd');
  let inside = 0;
  const fences: number[] = [];
  const work = async (lock: Lock) => {
    expect(++inside).toBe(1);
    await settled();
    fences.push(lock.fence);
    inside--;
  };
  await Promise.all(Object.values(all).flatMap((locks) => Array.from({ length: 25 }, () => locks.request('x', work))));
  expect(fences).toHaveLength(100);
  expect(isGrowing(fences)).toBe(true);
});

test('requests of one peer are served in their order', async () => {
  const [{ a }] = await peers('a', 'b');
  const order: number[] = [];
  await Promise.all([1, 2, 3].map((i) => a!.request('x', () => void order.push(i))));
  expect(order).toEqual([1, 2, 3]);
});

test('locks of different names are independent', async () => {
  const [{ a, b }] = await peers('a', 'b');
  await using x = await a!.acquire('x');
  await using y = await b!.acquire('y');
  expect([x.name, y.name]).toEqual(['x', 'y']);
});

test('a callback that throws releases, and request rejects with what it threw', async () => {
  const [{ a, b }] = await peers('a', 'b');
  const oops = new Error('oops');
  await expect(a!.request('x', () => Promise.reject(oops))).rejects.toBe(oops);
  await expect(
    a!.request('x', () => {
      throw oops;
    }),
  ).rejects.toBe(oops);
  expect(await b!.request('x', (lock) => lock.name)).toBe('x');
});

test('await using releases at the end of its block, also when the block throws', async () => {
  const [{ a, b }] = await peers('a', 'b');
  const block = async () => {
    await using lock = await a!.acquire('x');
    throw new Error(`while it held ${lock.name}`);
  };
  await expect(block()).rejects.toThrow('while it held x');
  await using lock = await b!.acquire('x');
  expect(lock.name).toBe('x');
});

test('releasing twice is harmless: the next holder keeps the lock', async () => {
  const [{ a, b }] = await peers('a', 'b');
  const first = await a!.acquire('x');
  first.release();
  await using second = await b!.acquire('x');
  first.release();
  await settled();
  expect((await b!.query()).held).toEqual([{ name: 'x', mode: 'exclusive', clientId: 'b' }]);
  expect(second.signal.aborted).toBe(false);
});

test('ifAvailable: the lock if it is free at all peers, null otherwise', async () => {
  const [{ a, b, c }] = await peers('a', 'b', 'c');
  const isFree = (locks: Locks | undefined) => locks!.request('x', { ifAvailable: true }, (lock) => lock !== null);
  expect([await isFree(a), await isFree(b), await isFree(c)]).toEqual([true, true, true]);
  const held = await b!.acquire('x');
  expect([await isFree(a), await isFree(b), await isFree(c)]).toEqual([false, false, false]);
  expect(await isFree(a)).toBe(false);
  held.release();
  await settled();
  expect([await isFree(a), await isFree(b), await isFree(c)]).toEqual([true, true, true]);
});

test('ifAvailable: a peer that received the request before the probe answers as well', async () => {
  const [{ a, b }, transports] = await peers('a', 'b');
  const sent: string[] = [];
  transports['b']!.events.subscribe((event) => {
    if (event.type === 'message') sent.push((event.message as { message: { type: string } }).message.type);
  });
  const held = await b!.acquire('x');
  const waiting = a!.acquire('x');
  await settled();
  expect(sent).not.toContain('probe');
  held.release();
  (await waiting).release();
  await using again = await b!.acquire('x');
  expect(await a!.acquire('x', { ifAvailable: true })).toBeNull();
  expect(sent.slice(-2)).toEqual(['find', 'probe']);
  expect(again.signal.aborted).toBe(false);
});

test('an aborted signal rejects with its reason, before, while and after waiting', async () => {
  const [{ a, b }] = await peers('a', 'b');
  const held = await a!.acquire('x');
  await expect(b!.acquire('x', { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
  const waiting = new AbortController();
  const acquiring = b!.acquire('x', { signal: waiting.signal });
  const second = b!.acquire('x');
  await settled();
  expect((await b!.query()).pending).toHaveLength(2);
  const reason = new Error('too slow');
  waiting.abort(reason);
  await expect(acquiring).rejects.toBe(reason);
  held.release();
  const late = new AbortController();
  (await second).release();
  await using lock = await b!.acquire('x', { signal: late.signal });
  late.abort();
  expect(lock.signal.aborted).toBe(false);
});

test('a request that was given up delays no other', async () => {
  const [{ a, b, c }] = await peers('a', 'b', 'c');
  const held = await a!.acquire('x');
  await expect(b!.acquire('x', { signal: AbortSignal.timeout(1) })).rejects.toMatchObject({ name: 'TimeoutError' });
  const next = c!.acquire('x');
  held.release();
  (await next).release();
});

test('closing settles everything: callers with a ClosedError, holders by their signal', async () => {
  const [{ a, b }] = await peers('a', 'b');
  const held = await a!.acquire('x');
  const callback = a!.request('y', () => new Promise(() => {}));
  const waiting = a!.acquire('x');
  await settled();
  const outcomes = Promise.allSettled([callback, waiting]);
  await a!.close({ withinMs: 10 });
  expect(await outcomes).toMatchObject([{ reason: { name: 'LostError' } }, { reason: { name: 'ClosedError' } }]);
  expect(held.signal.reason).toMatchObject({
    name: 'LostError',
    cause: { name: 'ClosedError' },
    message: expect.stringMatching(
      /^lock "x" must be released: the locks of peer "a" are closed. Create new locks to continue. The lock passes to the next waiter when its/,
    ),
  });
  await expect(a!.acquire('x')).rejects.toMatchObject({ name: 'ClosedError' });
  await a!.close();
  await expect(createClosed().ready).rejects.toMatchObject({ name: 'ClosedError' });
  expect(await b!.query()).toEqual({ held: [], pending: [] });
});

/** Locks that are closed before they are connected. */
function createClosed(): Locks {
  const locks = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a', 'b'] });
  void locks.close();
  return locks;
}

test('locks that are closed a few turns after their creation end in order, in any turn', async () => {
  for (let turns = 0; turns < 12; turns++) {
    const locks = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a'] });
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    await locks.close({ withinMs: 0 });
  }
});

test('a transport that goes settles everything too', async () => {
  const [{ a, b }, transports] = await peers('a', 'b');
  const held = await a!.acquire('x');
  const waiting = b!.acquire('x');
  await settled();
  const outcome = Promise.allSettled([waiting]);
  await Promise.all([transports['a']!.close(), transports['b']!.close()]);
  expect(await outcome).toMatchObject([{ reason: { name: 'ClosedError' } }]);
  expect(held.signal.aborted).toBe(true);
  await expect(b!.acquire('x')).rejects.toMatchObject({ name: 'ClosedError' });
});

test('bad input is refused in one line and changes nothing', async () => {
  const [{ a }, transports] = await peers('a', 'b');
  await expect(a!.acquire('x', { mode: 'weak' as never })).rejects.toThrow(/mode is "weak".*"exclusive" or "shared"/);
  await expect(a!.acquire('')).rejects.toThrow(/a string of 1 to 256 characters/);
  await expect(a!.request('x', {} as never)).rejects.toThrow(/needs a callback/);
  expect(() => createLocks({ transport: transports['a']!, peers: ['b', 'c'] })).toThrow(/"a" is not among the peers/);
  expect(() => createLocks({ transport: transports['a']!, peers: ['a'] })).toThrow(/"locks" is already open/);
  expect(await a!.query()).toEqual({ held: [], pending: [] });
});

test('a transport that may lose messages is linked with the peers, or refused', async () => {
  const bus = new InProcessBus();
  const ids = ['a', 'b'];
  const weak = (id: string) => hostile(bus.transport(id), { seed: 1, loss: 0, duplicate: 0, delayMs: 0 });
  const all = ids.map((id) => createLocks({ transport: weak(id), peers: ids }));
  expect(await all[0]!.request('x', ({ fence }) => fence)).toBeGreaterThan(0);
  const other = weak('c');
  expect(() => createLocks({ transport: other, join: true })).toThrow(
    'createLocks: transport "c" may lose messages, and no peers are given. Wrap the transport: linked(transport, { peers })',
  );
  await Promise.all(all.map((locks) => locks.close()));
});

test('objects on one transport share its link, which closes with the last of them', async () => {
  const bus = new InProcessBus();
  const transport = hostile(bus.transport('a'), { seed: 1, loss: 0, duplicate: 0, delayMs: 0 });
  const locks = createLocks({ transport, peers: ['a'] });
  const election = createElection({ transport, peers: ['a'] });
  await Promise.all([locks.ready, election.ready]);
  await locks.close();
  expect(election.leader).toBe('a');
  await election.close();
  await expect.poll(() => transport.peers.size).toBe(0);
});

/** One caller: requests, perhaps gives up, holds for some turns, releases, perhaps throws. */
const caller = fc.record({
  peer: fc.constantFrom('a', 'b', 'c'),
  name: fc.constantFrom('x', 'y'),
  ifAvailable: fc.boolean(),
  abortAfter: fc.option(fc.integer({ min: 0, max: 3 }), { nil: undefined }),
  startAfter: fc.integer({ min: 0, max: 4 }),
  holdFor: fc.integer({ min: 0, max: 2 }),
  throws: fc.boolean(),
});

test('random callers: exclusion, growing fences, and every promise settles', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(caller, { maxLength: 12 }), async (callers) => {
      const [all] = await peers('a', 'b', 'c');
      const inside: Record<string, number> = { x: 0, y: 0 };
      const fences: Record<string, number[]> = { x: [], y: [] };
      const turns = async (n: number) => {
        for (let i = 0; i < n; i++) await settled();
      };
      const run = async ({ peer, name, ifAvailable, abortAfter, startAfter, holdFor, throws }: (typeof callers)[number]) => {
        await turns(startAfter);
        const controller = new AbortController();
        if (abortAfter !== undefined) void turns(abortAfter).then(() => controller.abort());
        return all[peer]!.request(name, { ifAvailable, signal: controller.signal } as never, async (lock: Lock | null) => {
          if (lock === null) return;
          if (++inside[name]! !== 1) throw new Error('two holders');
          fences[name]!.push(lock.fence);
          await turns(holdFor);
          inside[name]!--;
          if (throws) throw new DOMException('on purpose', 'AbortError');
        });
      };
      const outcomes = await Promise.allSettled(callers.map(run));
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).toMatchObject({ name: 'AbortError' });
      }
      for (const list of Object.values(fences)) expect(list).toEqual([...new Set(list)].sort((p, q) => p - q));
      for (const locks of Object.values(all)) expect(await locks.query()).toEqual({ held: [], pending: [] });
      const [{ fence }] = [await all['a']!.acquire('x')];
      expect(fence).toBeGreaterThan(fences['x']!.at(-1) ?? 0);
    }),
    { numRuns: 60 },
  );
});
