/** Quotas and names on a register that a single peer keeps. */
import { createNames } from '../names.js';
import { createQuota } from '../quota.js';
import { expect, onTestFinished, test } from 'vitest';
import { MapStorage } from '../storage/map.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import { ClosedError, LostError } from '../transports/errors.js';
import { createLocks, type Locks } from './locks.js';
import { isNumber, locksOf } from './register.fixture.js';
import { Register } from './register.js';

const alone = () => locksOf({ peers: ['a'] });

test('a lasting quota gives its budget, keeps its share in stock, and answers in order', async () => {
  const { locks, granted } = await alone();
  const quota = createQuota({ locks, budget: 10, waste: 3 });
  expect(quota.remaining).toBe(0);
  expect(await Promise.all([quota.take(2), quota.take(), quota.take()])).toEqual([
    { ok: true, remaining: 3 },
    { ok: true, remaining: 2 },
    { ok: true, remaining: 1 },
  ]);
  expect([granted.length, quota.remaining]).toEqual([1, 1]);
  expect(await quota.take(3)).toEqual({ ok: true, remaining: 3 });
  expect(await quota.take(6)).toEqual({ ok: false, remaining: 3 });
  expect(await quota.take(3)).toEqual({ ok: true, remaining: 0 });
  expect(await quota.take()).toEqual({ ok: false, remaining: 0 });
  await expect(quota.take(0)).rejects.toThrow('0');
  await expect(quota.take(1, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  expect(() => createQuota({ locks, budget: -1 })).toThrow('createQuota: budget is -1. Pass a whole number');
  expect(() => createQuota({ locks, budget: 1, waste: 0.5 })).toThrow('createQuota: waste is 0.5');
  expect(() => createQuota({ locks, budget: 1, name: '' })).toThrow('createQuota: name is ""');
  expect(granted[0]!.name).toBe('locks/quota');
});

test('the stock is given without a question, and only the missing permits are fetched', async () => {
  const { locks, granted } = await alone();
  const quota = createQuota({ locks, budget: 100, waste: 3 });
  expect(await quota.take(2)).toEqual({ ok: true, remaining: 3 });
  expect(await quota.take(3)).toEqual({ ok: true, remaining: 0 });
  expect(granted).toHaveLength(1);
  await quota.take();
  expect(await quota.take(5)).toEqual({ ok: true, remaining: 3 });
});

test('a take above the budget gets nothing; no stock takes more than is left', async () => {
  const { locks } = await alone();
  const quota = createQuota({ locks, budget: 3, waste: 3 });
  expect(await quota.take(4)).toEqual({ ok: false, remaining: 0 });
  expect(await quota.take(2)).toEqual({ ok: true, remaining: 1 });
  expect(await quota.take(2)).toEqual({ ok: false, remaining: 1 });
});

test('each of two members has half of the waste in stock', async () => {
  const bus = new InProcessBus();
  const all = ['a', 'b'].map((id) => createLocks({ transport: bus.transport(id), peers: ['a', 'b'] }));
  onTestFinished(async () => {
    await Promise.all(all.map((locks) => locks.close({ withinMs: 0 })));
    bus.close();
  });
  const [quota] = all.map((locks) => createQuota({ locks, budget: 100, waste: 4 }));
  expect(await quota!.take()).toEqual({ ok: true, remaining: 2 });
});

test('all of a budget may be in stocks, and no more', async () => {
  const { locks } = await alone();
  createQuota({ locks, budget: 2, waste: 2 });
  expect(() => createQuota({ locks, budget: 2, waste: 3, name: 'other' })).toThrow(
    'createQuota: waste is 3, which exceeds the budget of 2. Pass at most the budget',
  );
});

test.each([
  ['quota', 3, async (locks: Locks) => createQuota({ locks, budget: 3 }).take()],
  ['names', 0, async (locks: Locks) => createNames({ locks }).next()],
] as const)('a value under the name of a %s that is not a count is refused', async (name, initial, use) => {
  const storage = new MapStorage();
  await new Register((await locksOf({ peers: ['a'], storage })).locks, name, initial, isNumber).change(() => 0.5);
  const { locks } = await locksOf({ peers: ['a'], storage });
  await expect(use(locks)).rejects.toThrow('is rejected by isValue');
});

test('without waste every take asks, and two quotas of one name share permits', async () => {
  const { locks, granted } = await alone();
  const quota = createQuota({ locks, budget: 2, name: 'mine' });
  expect([await quota.take(), await quota.take(), await quota.take()]).toEqual([
    { ok: true, remaining: 0 },
    { ok: true, remaining: 0 },
    { ok: false, remaining: 0 },
  ]);
  expect(granted.map(({ name }) => name)).toEqual(['locks/mine', 'locks/mine', 'locks/mine']);
});

test('lasting names are numbers from 0, eight at a time', async () => {
  const { locks, granted } = await alone();
  const names = createNames({ locks });
  const given = await Promise.all(Array.from({ length: 9 }, () => names.next()));
  expect([given, granted.length, granted[0]!.name]).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8], 2, 'locks/names']);
  await expect(names.next({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  expect(await names.next()).toBe(9);
  expect(() => createNames({ locks, name: '' })).toThrow('createNames: name is ""');
  expect(() => createNames({ locks: undefined } as never)).toThrow('createNames: locks is missing');
});

test('names of an interrupted fetch are skipped; other errors are thrown', async () => {
  const { locks } = await alone();
  const names = createNames({ locks });
  const register = (names as unknown as { given: { change: (...given: unknown[]) => Promise<number> } }).given;
  const change = register.change.bind(register);
  let error: Error | undefined;
  register.change = async (...given) => {
    const end = await change(...given);
    const thrown = error;
    error = undefined;
    if (thrown) throw thrown;
    return end;
  };
  error = new LostError('lost');
  expect(await names.next()).toBe(8);
  for (let i = 0; i < 7; i++) await names.next();
  for (const ended of [new ClosedError('closed'), new LostError('over', { cause: new Error('end') })]) {
    error = ended;
    await expect(names.next()).rejects.toBe(ended);
  }
  expect(await names.next()).toBe(32);
});
