/** The shared table when two threads access the same slot at the same moment. */
import { afterEach, expect, test, vi } from 'vitest';
import { sharedMemory } from './shared-memory.js';
import { SharedStates, SLOTS } from './shared-store.js';
import { hashOf } from './store.js';

afterEach(() => vi.restoreAllMocks());

/** Two threads' views of a store with one state and no other activity. */
function twoThreads() {
  const memory = sharedMemory();
  const first = new SharedStates(memory);
  first.begin(Int32Array.of(7, 7, 7));
  const second = new SharedStates(memory);
  second.size = 1;
  return [first, second] as const;
}

const add = (store: SharedStates, row: readonly number[], parent: number) =>
  store.addAll(Int32Array.from(row), Int32Array.of(0, row.length), 1, parent);

/** Runs `happens` between the reading of a slot and the exchange. */
function between(happens: () => void): void {
  const { compareExchange } = Atomics;
  vi.spyOn(Atomics, 'compareExchange').mockImplementationOnce(((...args: Parameters<typeof compareExchange>) => {
    happens();
    return compareExchange(...args);
  }) as typeof compareExchange);
}

/** The new states of all threads, each with its parent. */
function numbered(stores: readonly SharedStates[]): readonly (readonly [parent: number, row: string])[] {
  for (const store of stores) store.count(() => {});
  let size = 1;
  stores[0]!.makeRoomFor(8);
  for (const store of stores) {
    store.refresh();
    store.number(() => size++);
    store.eachNumbered(() => {});
  }
  const row = new Int32Array(8);
  const found = Array.from({ length: size - 1 }, (_, i) => {
    const length = stores[0]!.load(i + 1, row);
    return [stores[0]!.parent(i + 1), String(row.subarray(0, length))] as const;
  });
  return found.toSorted(([, a], [, b]) => (a < b ? -1 : 1));
}

test('a state that two threads find at once is stored once, with the smaller parent', () => {
  for (const [mine, other] of [
    [5, 3],
    [3, 5],
  ] as const) {
    const [first, second] = twoThreads();
    between(() => expect(add(second, [1, 2, 3, 4], other)).toBe(true));
    expect(add(first, [1, 2, 3, 4], mine)).toBe(true);
    expect(numbered([first, second])).toEqual([[3, '1,2,3,4']]);
  }
});

test('two states that threads put into the same slot at once are both stored', () => {
  const slotOf = (row: readonly number[]) => hashOf(Int32Array.from(row), 0, row.length) & (SLOTS - 1);
  const one = [1, 1];
  const others = Array.from({ length: 0x10000 }, (_, i) => [2, i]).filter((row) => slotOf(row) === slotOf(one));
  expect(others.length).toBeGreaterThan(3);
  for (const other of others) {
    const [first, second] = twoThreads();
    between(() => expect(add(second, other, 3)).toBe(true));
    expect(add(first, one, 4)).toBe(true);
    // Both threads find both states in the table.
    for (const store of [first, second]) for (const row of [one, other]) add(store, row, 5);
    expect(numbered([first, second])).toEqual([
      [4, String(one)],
      [3, String(other)],
    ]);
  }
});

test('a state found from two states of a level counts once', () => {
  const [first, second] = twoThreads();
  add(first, [1], 2);
  add(second, [1], 1);
  add(second, [2], 1);
  add(first, [2], 2);
  add(first, [7, 7, 7], 2);
  expect(numbered([first, second])).toEqual([
    [1, '1'],
    [1, '2'],
  ]);
});
