/** Repeated requests, retries after a lost lock, and ordered ends. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { InProcessBus } from '../transports/in-process.js';
import { LockQueue } from './lock-queue.js';
import { createLocks, type Lock } from './locks.js';
import { cuttable, peers, settled } from './peers.fixture.js';

type Cuttable = Awaited<ReturnType<typeof cuttable>>[number];

const never = () => new Promise<never>(() => {});
const turns = async (n: number) => {
  for (let i = 0; i < n; i++) await settled();
};

describe('a request for a lock that this peer holds', () => {
  test('waits, and ifAvailable returns null at once', async () => {
    const [{ a }] = await peers('a', 'b');
    const inside = a!.request('x', async () => {
      expect(await a!.acquire('x', { ifAvailable: true })).toBeNull();
      return a!.request('x', { signal: AbortSignal.timeout(5) }, () => 'inside');
    });
    await expect(inside).rejects.toMatchObject({ name: 'TimeoutError' });
    expect(await a!.request('x', () => 'after')).toBe('after');
  });

  test('the second is granted when the first is over, with a larger fence', async () => {
    const [{ a }] = await peers('a', 'b');
    const order: string[] = [];
    const fences = await Promise.all(
      ['first', 'second'].map((name) =>
        a!.request('x', async ({ fence }) => {
          order.push(`${name} in`);
          await settled();
          order.push(`${name} out`);
          return fence;
        }),
      ),
    );
    expect(order).toEqual(['first in', 'first out', 'second in', 'second out']);
    expect(fences[1]).toBeGreaterThan(fences[0]!);
  });
});

describe('a lock that is lost', () => {
  test('may be requested again, and its error is retryable', async () => {
    const [{ a }, transports] = await peers('a', 'b', 'c');
    const held = await a!.acquire('x');
    for (const gone of ['b', 'c']) await transports[gone]!.close();
    expect(held.signal.reason).toMatchObject({ name: 'LostError', isRetryable: true });
    expect(held.signal.reason.message).toMatch(/Request it again/);
  });

  test('may not after the locks have ended, and its error is not retryable', async () => {
    const [{ a }] = await peers('a', 'b');
    const held = await a!.acquire('x');
    await a!.close({ withinMs: 0 });
    expect(held.signal.reason).toMatchObject({ name: 'LostError', isRetryable: false, cause: { name: 'ClosedError' } });
    expect(held.signal.reason.message).not.toMatch(/again/);
  });
});

describe('request with retry', () => {
  /** A peer that loses its locks on demand, and comes back soon. */
  async function unlucky() {
    const [{ locks, medium }] = (await cuttable('a', 'b', 'c')) as [Cuttable];
    const lose = async ({ signal }: Lock) => {
      medium.isCut = true;
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      medium.isCut = false;
    };
    return { locks, lose };
  }

  test('runs the callback again after the run that lost the lock, and returns its result', async () => {
    const { locks, lose } = await unlucky();
    const seen: string[] = [];
    let runs = 0;
    const fence = await locks.request('x', { retry: true }, async (lock) => {
      const run = ++runs;
      seen.push(`${run} in`);
      if (run === 1) await lose(lock);
      await turns(3);
      seen.push(`${run} out`);
      lock.signal.throwIfAborted();
      return lock.fence;
    });
    expect(fence).toBeGreaterThan(0);
    expect(seen).toEqual(['1 in', '1 out', '2 in', '2 out']);
  });

  test('without it the same request rejects with the loss, and the callback runs once', async () => {
    const { locks, lose } = await unlucky();
    let runs = 0;
    const result = locks.request('x', (lock) => {
      runs++;
      return lose(lock);
    });
    await expect(result).rejects.toMatchObject({ name: 'LostError', isRetryable: true });
    expect(runs).toBe(1);
  });

  test('passes on the errors of the callback, and repeats only after a loss', async () => {
    const [{ a }] = await peers('a', 'b');
    const oops = new Error('oops');
    let runs = 0;
    const result = a!.request('x', { retry: true }, () => {
      runs++;
      throw oops;
    });
    await expect(result).rejects.toBe(oops);
    expect(runs).toBe(1);
  });

  test("ends with the caller's signal while the run that lost the lock goes on", async () => {
    const { locks, lose } = await unlucky();
    const stop = new AbortController();
    let runs = 0;
    const stuck = locks.request('x', { retry: true, signal: stop.signal }, async (lock) => {
      runs++;
      await lose(lock);
      setTimeout(() => stop.abort(), 5);
      return never();
    });
    await expect(stuck).rejects.toMatchObject({ name: 'AbortError' });
    expect(runs).toBe(1);
  });

  test("ends with the caller's signal while it waits again", async () => {
    const { locks, lose } = await unlucky();
    const stop = new AbortController();
    const waiting = locks.request('x', { retry: true, signal: stop.signal }, async (lock) => {
      await lose(lock);
      // Comes before the next attempt.
      void locks.acquire('x').then(() => stop.abort());
    });
    await expect(waiting).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('ends with locks that are closed while the run that lost the lock does not end', async () => {
    const { locks, lose } = await unlucky();
    let runs = 0;
    const stuck = locks.request('x', { retry: true }, async (lock) => {
      runs++;
      await lose(lock);
      setTimeout(() => void locks.close({ withinMs: 0 }), 5);
      return never();
    });
    await expect(stuck).rejects.toMatchObject({ name: 'ClosedError' });
    expect(runs).toBe(1);
  });

  test('ends with locks that are closed', async () => {
    const [{ a }] = await peers('a', 'b');
    const running = a!.request('x', { retry: true }, never);
    await settled();
    void a!.close({ withinMs: 0 });
    await expect(running).rejects.toMatchObject({ name: 'LostError', isRetryable: false });
  });
});

describe('closing in order', () => {
  test('a holder is notified to stop, and no other peer gets the lock before it has', async () => {
    const [{ a, b }] = await peers('a', 'b', 'c');
    const seen: string[] = [];
    const first = a!.request('x', async ({ signal }) => {
      seen.push('a in');
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      seen.push('a is told');
      await turns(10);
      seen.push('a out');
    });
    await settled();
    const second = b!.request('x', () => void seen.push('b in'));
    await turns(3);
    const outcome = Promise.allSettled([first, second]);
    await a!.close();
    expect(await outcome).toMatchObject([{ reason: { name: 'LostError' } }, { status: 'fulfilled' }]);
    expect(seen).toEqual(['a in', 'a is told', 'a out', 'b in']);
  });

  test('an acquired lock passes on when it is released', async () => {
    const [{ a, b }] = await peers('a', 'b', 'c');
    const held = await a!.acquire('x');
    const next = b!.acquire('x');
    let isNext = false;
    void next.then(() => (isNext = true));
    const closing = a!.close();
    await turns(10);
    expect([held.signal.aborted, isNext]).toEqual([true, false]);
    await expect(a!.acquire('y')).rejects.toMatchObject({ name: 'ClosedError' });
    held.release();
    await closing;
    expect((await next).fence).toBeGreaterThan(held.fence);
  });

  test('a second call shortens the time, and does not make it longer', async () => {
    const [{ a, b }] = await peers('a', 'b');
    const held = await a!.acquire('printer');
    const waiting = b!.acquire('printer', { signal: AbortSignal.timeout(2_500) });
    const closing = [a!.close(), a!.close({ withinMs: 10 }), a!.close()];
    expect((await waiting).fence).toBeGreaterThan(held.fence);
    await Promise.all(closing);
  });

  test('a holder that does not stop is waited for this long, and no longer', async () => {
    const [{ a, b }] = await peers('a', 'b', 'c');
    const stubborn = a!.request('x', never);
    await settled();
    const next = b!.acquire('x');
    const outcome = Promise.allSettled([stubborn]);
    await a!.close({ withinMs: 5 });
    expect(await outcome).toMatchObject([{ reason: { name: 'LostError', isRetryable: false } }]);
    expect((await next).fence).toBeGreaterThan(0);
  });
});

describe('confirmed grants', () => {
  test('are granted one at a time, with growing fences, at any peer', async () => {
    const ids = ['a', 'b', 'c'];
    const bus = new InProcessBus();
    const all = ids.map((id) => createLocks({ transport: bus.transport(id), peers: ids, confirm: true }));
    onTestFinished(() => bus.close());
    const fences: number[] = [];
    let inside = 0;
    const work = async ({ fence }: Lock) => {
      expect(++inside).toBe(1);
      await settled();
      fences.push(fence);
      inside--;
    };
    await Promise.all(all.flatMap((locks) => Array.from({ length: 10 }, () => locks.request('x', work))));
    expect(fences).toHaveLength(30);
    expect(fences).toEqual([...new Set(fences)].sort((p, q) => p - q));
  });

  test.each([
    ['is given back when who asked has gone and somebody else has come since', true, ['request', 'cancel', 'release', 'request']],
    ['that is plain is taken by who has come since', false, ['request', 'cancel']],
  ])('a grant %s', async (_, isConfirmed, expected) => {
    const asked: string[] = [];
    const queue = new LockQueue('x', {
      ask: (what) => void asked.push(what),
      notify: () => {},
      now: () => 0,
      isConfirmed,
      isOpen: () => false,
    });
    const gone = new AbortController();
    const first = queue.take('exclusive', false, gone.signal);
    gone.abort();
    await expect(first).rejects.toMatchObject({ name: 'AbortError' });
    const second = queue.take('exclusive', false, undefined);
    queue.granted(1);
    expect(asked).toEqual(expected);
    if (isConfirmed) queue.granted(2);
    expect((await second)!.fence).toBe(isConfirmed ? 2 : 1);
  });
});

test('an invalid name, options or callback is reported', async () => {
  const [{ a }] = await peers('a', 'b');
  const request = (...given: unknown[]) => (a as any).request(...given) as Promise<unknown>;
  await expect(request()).rejects.toThrow('a lock needs a name. Pass a string of 1 to 256 characters');
  await expect(request('x')).rejects.toThrow('locks.request("x") needs a callback');
  await expect(request('x', null, () => {})).rejects.toThrow(
    'locks.request("x") takes its options as an object. Omit them, or pass some of mode, ifAvailable, steal, signal, retry',
  );
  await expect((a as any).acquire()).rejects.toThrow('a lock needs a name');
});

test('one request after the other lets the event loop run now and then', async () => {
  const bus = new InProcessBus();
  const locks = createLocks({ transport: bus.transport('a'), peers: ['a'] });
  await locks.ready;
  let turns = 0;
  const timer = setInterval(() => turns++, 0);
  for (let i = 0; i < 600; i++) await locks.request('x', () => {});
  clearInterval(timer);
  await locks.close();
  expect(turns).toBeGreaterThanOrEqual(2);
});
