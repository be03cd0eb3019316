/** The containers of the search, compared with the standard ones. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { everyDraw } from './draws.js';
import { PairMap } from './ints.js';
import { jsonKey, sameJson } from './json.js';
import { Planes } from './planes.js';
import { NO_PARENT, StateStore } from './store.js';

test('a store numbers distinct rows in the order of arrival and records their parents', () => {
  const row = fc.array(fc.oneof(fc.nat(3), fc.nat(70_000)), { minLength: 1, maxLength: 6 });
  fc.assert(
    fc.property(fc.array(row, { maxLength: 200 }), (rows) => {
      const store = new StateStore();
      const known = new Map<string, number>();
      rows.forEach((row, i) => {
        const isNew = !known.has(String(row));
        if (isNew) known.set(String(row), known.size);
        const index = store.add(Int32Array.from([9, ...row, 9]), 1, row.length, i === 0 ? NO_PARENT : 0);
        expect([index, store.added]).toEqual([known.get(String(row)), isNew]);
      });
      expect(store.size).toBe(known.size);
      const out = new Int32Array(8);
      for (const [text, index] of known) {
        expect(String([...out.subarray(0, store.load(index, out))])).toBe(text);
        expect(store.parent(index)).toBe(index === 0 ? NO_PARENT : 0);
      }
    }),
  );
});

test('a store grows past its first table', () => {
  const store = new StateStore();
  const row = new Int32Array(3);
  const numbers = (step: number) => {
    const given: number[] = [];
    for (let i = 0; i < 50_000; i += step) {
      row.set([i, i >> 8, 1]);
      given.push(store.add(row, 0, 3, NO_PARENT));
    }
    return given;
  };
  expect(numbers(1)).toEqual(Array.from({ length: 50_000 }, (_, i) => i));
  expect(numbers(7)).toEqual(Array.from({ length: Math.ceil(50_000 / 7) }, (_, i) => 7 * i));
  expect(store.size).toBe(50_000);
});

test('a map of pairs', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.nat(40), fc.nat(), fc.nat()), { maxLength: 2000, size: 'max' }), (entries) => {
      const [map, plain] = [new PairMap(), new Map<string, number>()];
      for (const [a, b, value] of entries) {
        map.set(a, b, value);
        plain.set(`${a} ${b}`, value);
      }
      expect(map.size).toBe(plain.size);
      const missing = entries.map(([a, b]) => [a, b + 1] as const);
      const pairs = [...entries.map(([a, b]) => [a, b] as const), ...missing];
      expect(pairs.map(([a, b]) => map.get(a, b))).toEqual(pairs.map(([a, b]) => plain.get(`${a} ${b}`) ?? -1));
    }),
    { numRuns: 30 },
  );
});

test('planes are independent bits', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 70 }), fc.array(fc.tuple(fc.nat(99), fc.nat(69))), (count, bits) => {
      const planes = new Planes(count);
      for (let state = 0; state < 100; state++) planes.add();
      const set = new Set(bits.map(([state, plane]) => `${state} ${plane % count}`));
      for (const [state, plane] of bits) planes.set(state, plane % count);
      for (let state = 0; state < 100; state++) {
        const mine = Array.from({ length: count }, (_, plane) => planes.has(state, plane));
        expect(mine).toEqual(mine.map((_, plane) => set.has(`${state} ${plane}`)));
        expect(planes.hasAny(state)).toBe(mine.includes(true));
      }
    }),
    { numRuns: 20 },
  );
});

describe('keys of JSON', () => {
  test('equal exactly when the values are', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.jsonValue(), (a, b) => {
        const equal = JSON.stringify(sorted(a)) === JSON.stringify(sorted(b));
        expect(jsonKey(a, 'it') === jsonKey(b, 'it')).toBe(equal);
        expect(jsonKey(a, 'it')).toBe(jsonKey(sorted(a), 'it'));
        expect(sameJson(a, b)).toBe(equal);
        expect(sameJson(a, sorted(a))).toBe(true);
      }),
    );
  });

  const sorted = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(sorted);
    if (typeof value !== 'object' || value === null) return Object.is(value, -0) ? 0 : value;
    return Object.fromEntries(
      Object.entries(value)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([key, inner]) => [key, sorted(inner)]),
    );
  };

  test.each([
    [{ a: new Set() }, 'it.a is a Set'],
    [{ a: [undefined] }, 'it.a[0] is undefined'],
    [{ a: NaN }, 'it.a is NaN'],
    [{ a: () => 1 }, 'it.a is a function'],
    [{ a: 1n }, 'it.a is a bigint'],
    [{ a: new Date(0) }, 'it.a is a Date'],
  ])('values that are not JSON are reported with their place: %s', (value, message) => {
    expect(() => jsonKey(value, 'it')).toThrow(message);
  });
});

test.each([() => new Set(), () => [undefined], () => undefined, () => NaN, () => 1n, () => new Date(0)])(
  'a value that is not JSON equals no value: %s',
  (make) => {
    expect(sameJson(make(), make())).toBe(false);
    expect(sameJson({ a: make() }, { a: make() })).toBe(false);
  },
);

describe('every draw', () => {
  test('all answers in order, each run from the start', () => {
    const runs = [...everyDraw((choose) => (choose(2) === 0 ? choose(3) : 'b'), 'it')];
    expect(runs).toEqual([
      { value: 0, drawn: [0, 0] },
      { value: 1, drawn: [0, 1] },
      { value: 2, drawn: [0, 2] },
      { value: 'b', drawn: [1] },
    ]);
  });

  test('no draw, one run', () => {
    expect([...everyDraw(() => 7, 'it')]).toEqual([{ value: 7, drawn: [] }]);
  });

  test('invalid and changing bounds', () => {
    expect(() => [...everyDraw((choose) => choose(0), 'node a')]).toThrow('node a draws below 0');
    let bound = 2;
    expect(() => [...everyDraw((choose) => choose(bound++), 'node a')]).toThrow(
      'node a draws below 3, but drew below 2 in the same situation before',
    );
  });
});
