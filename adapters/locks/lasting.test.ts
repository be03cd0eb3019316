/** Quotas and names on a register that one peer keeps alone. */
import { expect, test } from 'vitest';
import { ClosedError, LostError } from '../transports/errors.js';
import { createLastingNames } from './lasting-names.js';
import { createLastingQuota } from './lasting-quota.js';
import { locksOf } from './register.fixture.js';

const alone = () => locksOf({ peers: ['a'] });

test('a lasting quota gives what it has, keeps its share in stock, and answers in order', async () => {
  const { locks, granted } = await alone();
  const quota = createLastingQuota({ locks, budget: 10, waste: 3 });
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
  expect(() => createLastingQuota({ locks, budget: -1 })).toThrow('createLastingQuota: budget is -1; give a whole number');
  expect(() => createLastingQuota({ locks, budget: 1, waste: 0.5 })).toThrow('createLastingQuota: waste is 0.5');
  expect(() => createLastingQuota({ locks, budget: 1, name: '' })).toThrow('createLastingQuota: name is ""');
  expect(granted[0]!.name).toBe('locks/quota');
});

test('without waste every take asks, and two of one name are not one', async () => {
  const { locks, granted } = await alone();
  const quota = createLastingQuota({ locks, budget: 2, name: 'mine' });
  expect([await quota.take(), await quota.take(), await quota.take()]).toEqual([
    { ok: true, remaining: 0 },
    { ok: true, remaining: 0 },
    { ok: false, remaining: 0 },
  ]);
  expect(granted.map(({ name }) => name)).toEqual(['locks/mine', 'locks/mine', 'locks/mine']);
});

test('lasting names are numbers from 0, eight at a time', async () => {
  const { locks, granted } = await alone();
  const names = createLastingNames({ locks });
  const given = await Promise.all(Array.from({ length: 9 }, () => names.next()));
  expect([given, granted.length, granted[0]!.name]).toEqual([[0, 1, 2, 3, 4, 5, 6, 7, 8], 2, 'locks/names']);
  await expect(names.next({ signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  expect(await names.next()).toBe(9);
  expect(() => createLastingNames({ locks, name: '' })).toThrow('createLastingNames: name is ""');
  expect(() => createLastingNames({} as never)).toThrow('createLastingNames: locks is missing');
});

test('names whose fetching is cut short are skipped; what is no loss of the lock is thrown', async () => {
  const { locks } = await alone();
  const names = createLastingNames({ locks });
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
