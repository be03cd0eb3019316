/** Peers with different lists of peers: machines/locks/SPEC.md, rule 14. */
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { linked } from '../linked.js';
import { MapStorage } from '../storage/map.fixture.js';
import { hostile } from '../transports/hostile.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import { createLocks, type Locks } from './locks.js';
import { settled } from './peers.fixture.js';

const orders = (ids: readonly string[]): string[][] =>
  ids.length === 0 ? [[]] : ids.flatMap((first) => orders(ids.filter((id) => id !== first)).map((rest) => [first, ...rest]));

/** All peers on one medium. An error that no caller receives would be a warning. */
function cluster(lists: Readonly<Record<string, readonly string[]>>, storages: Record<string, MapStorage> = {}) {
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const start = (id: string, peers = lists[id]!): Locks => {
    const storage = (storages[id] ??= new MapStorage());
    const locks = createLocks({ transport: bus.transport(id), peers, storage });
    locks.ready.catch(() => {});
    return locks;
  };
  return { start, bus };
}

const right = ['a', 'b', 'c'];
const wrong: readonly [string, string, string, Readonly<Record<string, readonly string[]>>][] = [
  ['one more', 'c', '', { a: right, b: right, c: ['a', 'b', 'c', 'd'] }],
  ['another third', 'd', '', { a: right, b: right, d: ['a', 'b', 'd'] }],
  ['one less', 'c', '', { a: right, b: right, c: ['a', 'c'] }],
  ['a name that is nobody', 'c', '', { a: right, b: right, c: ['a', 'c', 'x'] }],
  ['two names that are nobody', 'c', '', { a: right, b: right, c: ['c', 'b', 'x', 'y'] }],
  ['the first of all by name', 'a', '', { a: ['a', 'b', 'x'], b: right, c: right }],
];

describe('one of three peers has another list, at a first start', () => {
  const cases = wrong.flatMap(([what, odd, , lists]) =>
    orders(Object.keys(lists)).map((order) => [what, order.join(', '), odd, order, lists] as const),
  );
  test.each(cases)('%s, in the order %s: it ends with an error, and the others serve', async (_, __, odd, order, lists) => {
    const { start } = cluster(lists);
    const all: Record<string, Locks> = {};
    for (const id of order) {
      all[id] = start(id);
      await settled();
    }
    const others = order.filter((id) => id !== odd);
    for (const id of others) await all[id]!.request('x', () => {});
    const [here, there] = [lists[odd]!, right].map((list) => list.toSorted().join(', '));
    await expect(all[odd]!.ready).rejects.toMatchObject({
      name: 'ConfigurationError',
      message: expect.stringMatching(new RegExp(`was started with the peers ${there} .*"${odd}" with ${here}\\.`)),
    });
    await expect(all[odd]!.ready).rejects.toBe(await all[odd]!.node.closed);
    for (const id of others) expect(all[id]!.status().state).toBe('serving');
  });
});

test('a peer that ended because of its list restarts with the right one', async () => {
  const storages: Record<string, MapStorage> = {};
  const { start } = cluster({ a: right, b: right, c: right }, storages);
  const first = start('c', ['a', 'c', 'x']);
  const a = start('a');
  await vi.waitFor(() => expect(storages['c']!.saves).toBeGreaterThan(0));
  const b = start('b');
  await expect(first.ready).rejects.toMatchObject({ name: 'ConfigurationError' });
  await first.transport.close();
  const second = start('c');
  await second.ready;
  for (const locks of [a, b, second]) await locks.request('x', () => {});
  expect(second.members).toEqual(right);
});

test('a peer with a list of itself that meets others later is reported once by each', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const all = [...right, 'd'];
  const media = all.map((id, seed) => hostile(bus.transport(id), { seed, loss: 0, duplicate: 0, delayMs: 0 }));
  media[3]!.isCut = true;
  const [a, b, c, d] = media.map((medium, i) =>
    createLocks({ transport: linked(medium, { peers: all, beatMs: 5 }), peers: i < 3 ? right : ['d'] }),
  ) as [Locks, Locks, Locks, Locks];
  await Promise.all([a, b, c, d].map(({ ready }) => ready));
  media[3]!.isCut = false;
  const ofLists = () =>
    warn.mock.calls
      .flat()
      .map(String)
      .filter((text) => text.endsWith('both may grant the same locks'));
  await vi.waitFor(() => expect(ofLists().length).toBeGreaterThan(3));
  for (const locks of [a, b, c, d]) await locks.request('x', () => {});
  expect(ofLists().filter((text) => text.includes('with the peers d for "locks", and "a" with a, b, c.'))).toHaveLength(1);
  expect(ofLists().filter((text) => text.includes('with the peers a, b, c for "locks", and "d" with d.'))).toHaveLength(3);
});
