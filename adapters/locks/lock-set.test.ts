/** Several locks at once: all or none, without deadlock whatever order callers use. */
import { describe, expect, test, vi } from 'vitest';
import { Random } from '../../network/random.js';
import type { LockSet } from './locks.js';
import { cuttable, peers, settled } from './peers.fixture.js';

describe('a list of names', () => {
  test('is granted as a whole, with the fences in the order of the names', async () => {
    const [{ a, b }] = await peers('a', 'b', 'c');
    const before = await Promise.all(['y', 'x'].map((name) => b!.request(name, ({ fence }) => fence)));
    const [fences, names] = await a!.request(['y', 'x'], async (locks) => {
      const others = ['x', 'y'].map((name) => b!.acquire(name, { ifAvailable: true }));
      expect(await Promise.all(others)).toEqual([null, null]);
      expect(a!.status().held.map(({ name }) => name)).toEqual(['x', 'y']);
      return [locks.fences, locks.names];
    });
    expect(names).toEqual(['y', 'x']);
    expect(fences.map((fence, i) => fence > before[i]!)).toEqual([true, true]);
    expect(await b!.request(['x', 'y'], () => 'free')).toBe('free');
    expect(a!.status()).toMatchObject({ held: [], waiting: [] });
  });

  test('an acquired set is held until it is released or its block ends', async () => {
    const [{ a, b }] = await peers('a', 'b', 'c');
    const held = await a!.acquire(['x', 'y']);
    expect(held.isGivenBack).toBe(false);
    expect(await b!.acquire(['y', 'z'], { ifAvailable: true })).toBeNull();
    expect(b!.status().held).toEqual([]);
    held.release();
    held.release();
    expect(held.isGivenBack).toBe(true);
    {
      await using again = await b!.acquire(['y', 'x']);
      expect(again.names).toEqual(['y', 'x']);
    }
    expect(await a!.request(['x', 'y'], { ifAvailable: true }, (locks) => locks)).toBeDefined();
  });

  test('readers share all of its locks', async () => {
    const [{ a, b }] = await peers('a', 'b', 'c');
    const reading = await a!.acquire(['x', 'y'], { mode: 'shared' });
    (await b!.acquire(['y', 'x'], { mode: 'shared' })).release();
    const writing = b!.acquire(['x']);
    reading.release();
    (await writing).release();
  });

  test('held ones are released if the caller gives up or a lock is not available', async () => {
    const [{ a, b }] = await peers('a', 'b', 'c');
    const last = await b!.acquire('z');
    const giving = new AbortController();
    const waiting = a!.acquire(['z', 'x', 'y'], { signal: giving.signal });
    await vi.waitFor(() => expect(a!.status().waiting).toEqual([{ name: 'z', callers: 1 }]));
    expect(a!.status().held.map(({ name }) => name)).toEqual(['x', 'y']);
    giving.abort(new Error('no longer needed'));
    await expect(waiting).rejects.toThrow('no longer needed');
    expect(await b!.request(['x', 'y'], () => 'free')).toBe('free');
    expect(await a!.request(['x', 'z'], { ifAvailable: true }, (locks) => locks)).toBeNull();
    expect(await b!.request('x', () => 'free')).toBe('free');
    last.release();
  });

  test.each<[string, readonly string[], string]>([
    ['an empty list', [], "got an empty list of names. Pass at least one, as in ['a', 'b']"],
    ['a name twice', ['x', 'y', 'x'], 'got the name "x" twice, and would wait for itself. Pass each name once'],
    ['an empty name', ['x', ''], 'a lock needs a name. Pass a string of 1 to 256 characters'],
    ['no name', ['x', 7 as never], 'a lock needs a name'],
  ])('%s is refused, and nothing is held', async (_, names, answer) => {
    const [{ a }] = await peers('a');
    await expect(a!.acquire(names)).rejects.toThrow(answer);
    await expect(a!.request(names, () => {})).rejects.toThrow(answer);
    await expect(a!.request(['x', 'y'], undefined as never)).rejects.toThrow('locks.request(["x","y"]) needs a callback');
    await expect(a!.acquire(['x', 'y'], { ttl: 5 } as never)).rejects.toThrow('locks.acquire(["x","y"]) has no option ttl');
    expect(a!.status()).toMatchObject({ held: [], waiting: [] });
  });
});

describe('callers with opposite orders', () => {
  const NAMES = ['a', 'b', 'B', 'ä', 'e'];

  test.each([1, 2, 3, 4, 5, 6])('are all served, and each name has one holder at a time: seed %i', async (seed) => {
    const random = new Random(seed, 'lists of names');
    const [all] = await peers('p', 'q', 'r');
    const holders = new Map<string, string>();
    const fences = new Map<string, number>();
    const shuffled = () => random.shuffle(NAMES).slice(0, 2 + random.below(3));
    const work = async (id: string, locks: LockSet) => {
      for (const [i, name] of locks.names.entries()) {
        expect(holders.get(name)).toBeUndefined();
        expect(locks.fences[i]).toBeGreaterThan(fences.get(name) ?? 0);
        fences.set(name, locks.fences[i]!);
        holders.set(name, id);
      }
      await settled();
      for (const name of locks.names) holders.delete(name);
    };
    const caller = async (id: string) => {
      for (let i = 0; i < 20; i++)
        await all[id]!.request(shuffled(), { signal: AbortSignal.timeout(4_000) }, (locks) => work(id, locks));
    };
    await Promise.all(['p', 'q', 'r', 'p', 'q', 'r'].map(caller));
    for (const id of ['p', 'q', 'r']) expect(all[id]!.status()).toMatchObject({ held: [], waiting: [] });
  });
});

describe('a set of which a lock is lost', () => {
  test('aborts its signal, and its other locks are released when the callback ends', async () => {
    const [{ a }, transports] = await peers('a', 'b', 'c');
    let finish = () => {};
    const working = a!.request(['x', 'y'], () => new Promise<void>((resolve) => (finish = resolve)));
    const held = await a!.acquire(['u', 'v']);
    for (const gone of ['b', 'c']) await transports[gone]!.close();
    expect(held.signal.reason).toMatchObject({ name: 'LostError', isRetryable: true });
    await expect(working).rejects.toMatchObject({ name: 'LostError' });
    finish();
  });

  test('begins again if it was lost before all were granted', async () => {
    const [a, b, c] = await cuttable('a', 'b', 'c');
    const last = await b!.locks.acquire('y');
    const granted: (readonly number[])[] = [];
    const waiting = a!.locks.request(['x', 'y'], ({ fences, signal }) => {
      expect(signal.aborted).toBe(false);
      granted.push(fences);
    });
    await vi.waitFor(() => expect(a!.locks.status().held).toHaveLength(1));
    const { fence: first } = a!.locks.status().held[0]!;
    for (const other of [b!, c!]) other.medium.cutFrom.add('a');
    for (const id of ['b', 'c']) a!.medium.cutFrom.add(id);
    await vi.waitFor(() => expect(a!.locks.status().held).toEqual([]));
    expect(await b!.locks.request('x', ({ fence }) => fence)).toBeGreaterThan(first);
    for (const each of [a!, b!, c!]) each.medium.cutFrom.clear();
    last.release();
    await waiting;
    expect(granted).toHaveLength(1);
    expect(granted[0]![0]).toBeGreaterThan(first);
  });
});
