/** Copies each object of an account once, and rejects objects that may hide state. */
import { expect, test } from 'vitest';
import { CannotCopy, copyOf } from './copy.js';

const copied = <T>(value: T): T => copyOf(value, new Map());

class Account {
  readonly counts = new Map([['a', [1]]]);
  total = 0;
  add(): number {
    return ++this.total;
  }
}

test('plain values are themselves', () => {
  for (const value of [0, 'x', true, null, undefined, 5n]) expect(copied(value)).toBe(value);
});

test('lists, maps, sets and objects are copied to their depth, with their class', () => {
  const account = new Account();
  const original = { list: [1, { n: 2 }], map: new Map<unknown, unknown>([[{ key: 1 }, new Set(['x'])]]), account };
  const copy = copied(original);
  expect(copy).toEqual(original);
  expect(copy.list).not.toBe(original.list);
  expect(copy.list[1]).not.toBe(original.list[1]);
  expect([...copy.map.keys()][0]).not.toBe([...original.map.keys()][0]);
  expect([...copy.map.values()][0]).not.toBe([...original.map.values()][0]);
  expect(copy.account).toBeInstanceOf(Account);
  expect([copy.account.add(), account.total]).toEqual([1, 0]);
  copy.account.counts.get('a')!.push(2);
  expect(account.counts.get('a')).toEqual([1]);
  expect(copied(Object.create(null))).toEqual({});
});

test('an object found twice is one in the copy as well, and cycles stay cycles', () => {
  const shared = { n: 1 };
  const list: unknown[] = [shared, shared];
  list.push(list);
  const copy = copied(list);
  expect([copy[0] === copy[1], copy[2] === copy, copy[0] === shared]).toEqual([true, true, false]);
  const [map, set, object] = [new Map<unknown, unknown>(), new Set<unknown>(), {} as { self?: unknown }];
  map.set('self', map);
  set.add(set);
  object.self = object;
  expect(copied(map).get('self')).not.toBe(map);
  const copiedSet = copied(set);
  expect([copiedSet.has(copiedSet), copiedSet.has(set)]).toEqual([true, false]);
  const copiedObject = copied(object);
  expect(copiedObject.self).toBe(copiedObject);
});

test('an existing replacement is used', () => {
  const [there, here] = [{ n: 1 }, { n: 2 }];
  expect(copyOf([there], new Map<unknown, unknown>([[there, here]]))[0]).toBe(here);
  expect(copyOf(there, new Map<unknown, unknown>([[there, undefined]]))).toBeUndefined();
});

test.each<[value: unknown, what: string]>([
  [function named() {}, 'a function, named'],
  [(() => () => {})(), 'a function, without a name'],
  [new Date(0), '[object Date]'],
  [[1][Symbol.iterator](), '[object Array Iterator]'],
  [{ deep: [new WeakMap()] }, '[object WeakMap]'],
])('case %#: what could hide something is not guessed at', (value, what) => {
  expect(() => copied(value)).toThrow(new CannotCopy(what));
  expect(() => copied(value)).toThrow(CannotCopy);
});
