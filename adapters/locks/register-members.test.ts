/** Registers, names and quotas whose members change: the present voters keep them. */
import { createNames } from '../names.js';
import { createQuota } from '../quota.js';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { MapStorage } from '../storage/map.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import { createLocks, type Locks } from './locks.js';
import { locksOf, turn } from './register.fixture.js';
import { Register } from './register.js';

const FIRST = ['a', 'b', 'c'];
const isNumber = (value: unknown): value is number => typeof value === 'number';

/** Keeps the output off the console. */
function silent() {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  return warn;
}

/** Peers that begin, join, end for good and restart, each with a register, names and a quota, and a storage if there is one. */
function cluster(isStored: boolean) {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  silent();
  const disks = new Map<string, MapStorage>();
  const start = (id: string, how: { readonly peers: readonly string[] } | { readonly join: true }) => {
    const transport = bus.transport(id);
    if (!disks.has(id)) disks.set(id, new MapStorage());
    const locks = createLocks({ transport, ...how, ...(isStored && { storage: disks.get(id)! }) });
    const end = async () => {
      await locks.close({ withinMs: 0 });
      await transport.close();
    };
    return {
      locks,
      end,
      count: new Register(locks, 'count', 0, isNumber),
      names: createNames({ locks }),
      quota: createQuota({ locks, budget: 10 }),
    };
  };
  return { start, begin: (ids = FIRST) => ids.map((id) => start(id, { peers: ids })) };
}

const add = (n: number) => n + 1;

describe.each([
  ['with storage', true],
  ['without', false],
])('%s', (_, isStored) => {
  test('no value is lost while one peer after the other is replaced and stopped for good', async () => {
    const { start, begin } = cluster(isStored);
    let [a, b, c] = begin();
    const given = [await a!.names.next(), await b!.names.next()];
    expect([await a!.count.change(add), await b!.count.change(add)]).toEqual([1, 2]);
    expect(await c!.quota.take(7)).toMatchObject({ ok: true });
    const [d, e, f] = ['d', 'e', 'f'].map((id) => start(id, { join: true }));
    await vi.waitFor(() => expect(a!.locks.transport.peers.has('f')).toBe(true));
    for (const [caller, gone, id] of [
      [a, b, 'd'],
      [a, c, 'e'],
      [d, a, 'f'],
    ] as const) {
      await caller!.locks.replaceMember(gone!.locks.node.id, id);
      await gone!.end();
    }
    expect(d!.locks.members).toEqual(['d', 'e', 'f']);
    expect([await d!.count.change(add), await e!.count.change(add), await f!.count.change(add)]).toEqual([3, 4, 5]);
    for (const { names } of [d!, e!, f!]) given.push(await names.next());
    expect(new Set(given).size).toBe(5);
    expect(await e!.quota.take(4)).toMatchObject({ ok: false });
    expect(await f!.quota.take(3)).toMatchObject({ ok: true });
  });

  test('one of two is replaced, one is added, and one removes itself', async () => {
    const { start, begin } = cluster(isStored);
    const [a, b] = begin(['a', 'b']);
    expect(await a!.count.change(add)).toBe(1);
    const [c, d] = ['c', 'd'].map((id) => start(id, { join: true }));
    await vi.waitFor(() => expect(a!.locks.transport.peers.has('d')).toBe(true));
    await a!.locks.replaceMember('b', 'c');
    await b!.end();
    expect(await c!.count.change(add)).toBe(2);
    await a!.locks.addMember('d');
    await a!.locks.removeMember('a');
    await a!.end();
    expect(await d!.count.change(add)).toBe(3);
    await c!.locks.removeMember('c');
    await c!.end();
    expect(await d!.count.change(add)).toBe(4);
  });

  test('a new register after all first peers left begins once all have created it', async () => {
    const { start, begin } = cluster(isStored);
    const [a] = begin(['a']);
    const [b, c] = ['b', 'c'].map((id) => start(id, { join: true }));
    await vi.waitFor(() => expect(a!.locks.transport.peers.has('c')).toBe(true));
    await a!.locks.replaceMember('a', 'b');
    await a!.end();
    await b!.locks.addMember('c');
    const later = [b!, c!].map(({ locks }) => new Register(locks, 'later', 5, isNumber));
    expect(await later[0]!.change(add)).toBe(6);
    expect(await later[1]!.change(add)).toBe(7);
  });
});

test('with storage, all restart with the present list, and no value starts again', async () => {
  const { start, begin } = cluster(true);
  const [a, b, c] = begin();
  expect(await a!.count.change(add)).toBe(1);
  const [d, e] = ['d', 'e'].map((id) => start(id, { join: true }));
  await vi.waitFor(() => expect(a!.locks.transport.peers.has('e')).toBe(true));
  await a!.locks.replaceMember('b', 'd');
  await a!.locks.replaceMember('c', 'e');
  for (const peer of [a, b, c, d, e]) await peer!.end();
  const [again, other] = ['d', 'e'].map((id) => start(id, { peers: ['a', 'd', 'e'] }));
  expect(await again!.count.change(add)).toBe(2);
  expect(await other!.count.change(add)).toBe(3);
});

test('a peer with new storage counts for the first list only if it was given that list', async () => {
  const storage = new MapStorage();
  const asked = async (decided?: { version: number; voters: string[]; origin: number }) => {
    const { locks, medium, sent, sendText } = await locksOf({ peers: ['a', 'd', 'e'], storage, ...(decided && { decided }) });
    medium.up('d');
    new Register(locks, 'x', 0, isNumber);
    await turn();
    sendText('d', { type: 'read', fence: 2 ** 50, number: 3 });
    await vi.waitFor(() => expect(sent.map(({ message }) => message.type)).toContain('copy'));
    return sent.find(({ message }) => message.type === 'copy')!.message.copy.keepers;
  };
  expect(await asked({ version: 3, voters: ['a', 'd', 'e'], origin: 7 })).toEqual({ version: 0, peers: [] });
  storage.values.clear();
  expect(await asked()).toEqual({ version: 1, peers: ['a', 'd', 'e'] });
});

describe('reports on the console', () => {
  test('peers without the register, or not connected; a change of members does not wait', async () => {
    const { locks, medium, clock, notified, granted, decide } = await locksOf();
    const warn = silent();
    medium.up('b');
    const register = new Register(locks, 'x', 0, isNumber);
    void register.change(add).catch(() => {});
    await turn();
    clock.runUntil(9_999);
    expect(warn).not.toHaveBeenCalled();
    clock.runUntil(10_000);
    expect(warn.mock.calls).toEqual([
      [
        '"x" of "locks" at peer "a" has waited for 10 s for the members that store it: "b" is connected and does not answer. Create "x" there too: each member must create it at its start; "c" is not connected',
      ],
    ]);
    expect(notified).toEqual([{ type: 'register.waits', register: 'x', ms: 10_000, missing: ['b', 'c'] }]);
    decide(2, ['a', 'b']);
    let isOver = false;
    void [...locks.registers][0]!.moved().then(() => (isOver = true));
    clock.runUntil(19_999);
    await turn();
    expect([granted.length, isOver]).toEqual([2, false]);
    clock.runUntil(20_000);
    await turn();
    expect(isOver).toBe(true);
  });

  test('a peer with another initial value, once', async () => {
    const { locks, medium, sendText } = await locksOf();
    const warn = silent();
    medium.up('b');
    createQuota({ locks, budget: 10 });
    await turn();
    for (const type of ['read', 'read']) sendText('b', { type, fence: 1, number: 3, initial: 7 }, 'locks/quota');
    expect(warn.mock.calls).toEqual([
      [
        '"quota" of "locks" starts at peer "b" with a different initial value than at "a", where it is 10. Use the same at all peers, for a lasting quota the same budget: only one of the two was used',
      ],
    ]);
  });
});

test('a quota refuses more waste than its budget, and shares it among the members', async () => {
  const { locks, decide } = await locksOf({ peers: ['a'] });
  expect(() => createQuota({ locks, budget: 10, waste: 11 })).toThrow(
    'createQuota: waste is 11, which exceeds the budget of 10. Pass at most the budget',
  );
  const quota = createQuota({ locks, budget: 10, waste: 4 });
  expect(await quota.take()).toEqual({ ok: true, remaining: 4 });
  decide(1, ['a', 'b']);
  expect((locks as Locks).members).toHaveLength(2);
});
