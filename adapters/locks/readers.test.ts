/** Locks in the mode `shared`: several readers or one writer, as applications use them. */
import { expect, test } from 'vitest';
import { LockQueue } from './lock-queue.js';
import { createLocks, type Lock, type Locks } from './locks.js';
import { InProcessBus } from '../transports/in-process.js';
import { peers } from './peers.fixture.js';

const shared = { mode: 'shared' } as const;
/** Long enough for messages in one process, and for a grant that must not come. */
const soon = () => new Promise<void>((resolve) => setTimeout(resolve, 20));
const isOpen = async (promise: Promise<unknown>): Promise<boolean> =>
  (await Promise.race([promise.then(() => 'settled'), soon()])) !== 'settled';

test('readers share a lock; a writer waits for them, and later readers wait for it', async () => {
  const [{ a, b, c }] = await peers('a', 'b', 'c');
  const first = await a!.acquire('x', shared);
  const concurrent = await a!.acquire('x', shared);
  const other = await b!.acquire('x', shared);
  expect([first.mode, first.fence]).toEqual(['shared', concurrent.fence]);
  expect(other.fence).toBeGreaterThan(first.fence);
  expect(a!.status().held).toEqual([{ name: 'x', fence: first.fence, mode: 'shared' }]);
  const reads = { name: 'x', mode: 'shared', clientId: 'a' };
  expect(await a!.query()).toEqual({ held: [reads, reads], pending: [] });

  const writer = c!.acquire('x');
  expect(await isOpen(writer)).toBe(true);
  const late = [a!.acquire('x', shared), b!.acquire('x', shared)];
  expect(await isOpen(Promise.race(late))).toBe(true);
  expect((await a!.query()).pending).toEqual([reads]);
  first.release();
  other.release();
  expect(await isOpen(writer)).toBe(true);
  concurrent.release();
  const written = await writer;
  expect(written.mode).toBe('exclusive');
  expect(written.fence).toBeGreaterThan(other.fence);
  expect(await isOpen(Promise.race(late))).toBe(true);
  written.release();
  for (const lock of await Promise.all(late)) {
    expect(lock.fence).toBeGreaterThan(written.fence);
    lock.release();
  }
});

test('requests at one peer are granted in order, adjacent readers together', async () => {
  const [{ a, b }] = await peers('a', 'b');
  const log: string[] = [];
  const run = (name: string, mode: 'exclusive' | 'shared') =>
    a!.request('x', { mode }, async () => {
      log.push(`${name} in`);
      await soon();
      log.push(`${name} out`);
    });
  await b!.request('x', async () => {
    void Promise.all([run('1', 'shared'), run('2', 'shared'), run('3', 'exclusive'), run('4', 'shared')]);
    await soon();
  });
  await a!.request('x', () => {});
  expect(log).toEqual(['1 in', '2 in', '1 out', '2 out', '3 in', '3 out', '4 in', '4 out']);
});

test('a caller that gives up waiting to write lets in the readers behind it', async () => {
  const [{ a }] = await peers('a', 'b');
  const reading = await a!.acquire('x', shared);
  const gone = new AbortController();
  const writer = a!.acquire('x', { signal: gone.signal });
  const behind = a!.acquire('x', shared);
  expect(await isOpen(behind)).toBe(true);
  gone.abort();
  await expect(writer).rejects.toMatchObject({ name: 'AbortError' });
  expect((await behind).fence).toBe(reading.fence);
});

test('when the waiting writer is gone, later readers join the present ones', async () => {
  const [{ a, c }, transports] = await peers('a', 'b', 'c');
  const reading = await a!.acquire('x', shared);
  const writer = c!.acquire('x');
  expect(await isOpen(writer)).toBe(true);
  const late = a!.acquire('x', shared);
  expect(await isOpen(late)).toBe(true);
  await Promise.all([transports['c']!.close(), expect(writer).rejects.toMatchObject({ name: 'ClosedError' })]);
  expect((await late).fence).toBe(reading.fence);
  expect(reading.signal.aborted).toBe(false);
});

test('a shared grant is not for writers: without readers it is given back', async () => {
  const asked: string[] = [];
  const queue = new LockQueue('x', {
    ask: (what) => void asked.push(what),
    notify: () => {},
    now: () => 0,
    isConfirmed: false,
    isOpen: () => false,
  });
  const gone = new AbortController();
  const first = queue.take('shared', false, gone.signal);
  gone.abort();
  await expect(first).rejects.toMatchObject({ name: 'AbortError' });
  const second = queue.take('exclusive', false, undefined);
  queue.granted(1);
  expect(asked).toEqual(['share', 'cancel', 'release', 'request']);
  queue.granted(2);
  expect(await second).toMatchObject({ mode: 'exclusive', fence: 2 });
});

test('ifAvailable: shared next to readers, exclusive only without holders', async () => {
  const [{ a, b }] = await peers('a', 'b');
  const reading = await b!.acquire('x', shared);
  const available = (locks: Locks, mode: 'exclusive' | 'shared') => locks.acquire('x', { mode, ifAvailable: true } as object);
  const concurrent = (await Promise.all([available(a!, 'shared'), available(b!, 'shared')])) as Lock[];
  expect(concurrent.map((lock) => lock?.mode)).toEqual(['shared', 'shared']);
  concurrent[0]!.release();
  expect(await available(a!, 'exclusive')).toBeNull();
  expect(await available(b!, 'exclusive')).toBeNull();
  concurrent[1]!.release();
  reading.release();
  await b!.request('x', async () => {
    expect(await available(a!, 'shared')).toBeNull();
    expect(await available(b!, 'shared')).toBeNull();
  });
});

test('with confirmed grants, a later reader at a reading peer waits until it has ended', async () => {
  const bus = new InProcessBus();
  const ids = ['a', 'b', 'c'];
  const all = ids.map((id) => createLocks({ transport: bus.transport(id), peers: ids, confirm: true }));
  const [a, b] = all as [Locks, Locks, Locks];
  await Promise.all(all.map(({ ready }) => ready));
  const first = await a.acquire('x', shared);
  const other = await b.acquire('x', shared);
  const late = [a.acquire('x', shared), a.acquire('x', shared)];
  expect(await isOpen(Promise.race(late))).toBe(true);
  first.release();
  const fences = (await Promise.all(late)).map(({ fence }) => fence);
  expect(fences[0]).toBeGreaterThan(other.fence);
  expect(fences[1]).toBe(fences[0]);
  await Promise.all(all.map((locks) => locks.close({ withinMs: 0 })));
  bus.close();
});

test('readers at a peer that closes are notified; the lock passes after the last one', async () => {
  const [{ a, b }] = await peers('a', 'b', 'c');
  const reading = [await a!.acquire('x', shared), await a!.acquire('x', shared)];
  const writer = b!.acquire('x');
  const closing = a!.close();
  expect(reading.map(({ signal }) => signal.aborted)).toEqual([true, true]);
  reading[0]!.release();
  expect(await isOpen(writer)).toBe(true);
  reading[1]!.release();
  await closing;
  (await writer).release();
});

test('readers at a peer that is gone are notified, and a waiting writer gets the lock', async () => {
  const [{ a, b }, transports] = await peers('a', 'b', 'c');
  const reading = [await a!.acquire('x', shared), await a!.acquire('x', shared)];
  const writer = b!.acquire('x');
  expect(await isOpen(writer)).toBe(true);
  await transports['a']!.close();
  expect((await writer).fence).toBeGreaterThan(reading[0]!.fence);
  expect(reading.map(({ signal }) => signal.aborted)).toEqual([true, true]);
});

test('a client gets an error for shared locks', async () => {
  const bus = new InProcessBus();
  const client = createLocks({ transport: bus.transport('x'), peers: ['a'], client: true });
  await expect(client.acquire('x', shared)).rejects.toThrow(
    'mode: "shared" is only for voters, and "x" is a client. Leave it out: a client requests the lock exclusively',
  );
  await client.close();
  bus.close();
});

test('a writer is never inside with others, and its fences grow', async () => {
  const [all] = await peers('a', 'b', 'c');
  const inside = { shared: 0, exclusive: 0 };
  let [most, largest] = [0, 0];
  const work = async ({ mode, fence }: Lock) => {
    inside[mode]++;
    most = Math.max(most, inside.shared);
    expect(inside.exclusive === 0 || (inside.exclusive === 1 && inside.shared === 0)).toBe(true);
    if (mode === 'exclusive') expect(fence).toBeGreaterThan(largest);
    largest = Math.max(largest, fence);
    await new Promise((resolve) => setTimeout(resolve, fence % 3));
    inside[mode]--;
  };
  const modes = ['shared', 'exclusive', 'shared', 'shared', 'exclusive', 'shared'] as const;
  await Promise.all(Object.values(all).flatMap((locks) => modes.map((mode) => locks.request('x', { mode }, work))));
  expect(most).toBeGreaterThan(2);
});
