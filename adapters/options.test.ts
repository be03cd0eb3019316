/** Checks of options: errors name the wrong value and the expected one. */
import { describe, expect, test } from 'vitest';
import { UsageError } from '../machines/errors.js';
import {
  anything,
  atLeast,
  checkMilliseconds,
  checkOptions,
  eachOf,
  environment,
  flag,
  hasMethods,
  id,
  isClass,
  isTransport,
  milliseconds,
  must,
  optional,
  peers,
  port,
  signal,
  someLocks,
  someText,
  storage,
  transport,
  wholeNumber,
  type Check,
} from './options.js';

const clock = { now: () => 0, schedule: () => {} };
const crypto = { getRandomValues: () => {}, randomUUID: () => '' };

test.each<[what: string, check: Check, good: readonly unknown[], bad: readonly unknown[]]>([
  ['a text', someText, ['x', ' '], ['', 7, undefined]],
  ['anything', anything, [undefined, null, 0], []],
  ['true or false', flag, [true, false], [0, 'true', null]],
  ['an AbortSignal', signal, [new AbortController().signal], [{}, { addEventListener: () => {} }, { throwIfAborted: () => {} }]],
  ['a number of ticks, at least 2', atLeast(2, 'ticks'), [2, 2.5], [1.9, Infinity, NaN, '3']],
  [
    'a number of milliseconds from 1 to 2147483647',
    milliseconds(1),
    [1, 1.5, 2_147_483_647],
    [0.9, 2_147_483_648, Infinity, NaN, '5'],
  ],
  ['a port from 0 to 65535, where 0 takes any free one', port, [0, 65_535], [-1, 65_536, 0.5, '80']],
  ['a whole number of at least 0', wholeNumber, [0, 2 ** 53 - 1], [-1, 0.5, 2 ** 53, '1']],
  ['a list of pairs', eachOf('pairs', (value) => value === 2), [[], [2, 2]], [[2, 3], 2, 'xx']],
  [
    'a transport, as in linked(webSocket({ id, url }), { peers })',
    transport,
    [{ guarantees: {} }],
    [{}, { guarantees: true }, 'x', null],
  ],
  [
    "a storage for the state of a peer, as in folderStorage('/var/lib/printers/a')",
    storage,
    [{ load: () => {}, save: () => {} }],
    [{ load: () => {} }, { save: () => {} }, null],
  ],
  ['locks from createLocks', someLocks, [{ request: () => {}, close: () => {} }], [{ request: () => {} }, { close: () => {} }]],
  ['a scheduler of RxJS', environment.clock, [clock], [{ now: clock.now }, { schedule: clock.schedule }]],
  [
    "Web Crypto, as the platform's own",
    environment.crypto,
    [crypto, globalThis.crypto],
    [{ randomUUID: crypto.randomUUID }, { getRandomValues: crypto.getRandomValues }],
  ],
])('%s', (what, check, good, bad) => {
  expect(check.must).toBe(what);
  expect(good.map((value) => check.refused(value))).toEqual(good.map(() => null));
  expect(bad.filter((value) => check.refused(value) === null)).toEqual([]);
});

describe('the wrong value is shown', () => {
  const never = must('nothing', () => false);

  test.each<[value: unknown, shown: string]>([
    [() => 1, 'is a function'],
    [Promise.resolve(1), 'is a promise, which is to be awaited first'],
    [[1, 2], 'is a list of 2'],
    [{}, 'is an object'],
    ['x', 'is "x"'],
    [null, 'is null'],
  ])('case %#', (value, shown) => {
    expect(never.refused(value)).toBe(shown);
  });
});

test('methods are looked for on objects and functions', () => {
  expect(hasMethods({ a: () => {}, b: () => {} }, 'a', 'b')).toBe(true);
  expect(
    hasMethods(
      Object.assign(() => {}, { a: () => {} }),
      'a',
    ),
  ).toBe(true);
  expect(
    [{ a: () => {} }, { a: () => {}, b: 1 }, null, undefined, 'text'].filter((value) => hasMethods(value, 'a', 'b')),
  ).toEqual([]);
  expect(hasMethods('text', 'trim')).toBe(false);
});

test('a class is a function that `new` accepts', () => {
  expect(
    [
      class {
        x = 1;
      },
      function () {},
    ].map(isClass),
  ).toEqual([true, true]);
  expect([() => {}, {}, 'x', null, undefined].filter(isClass)).toEqual([]);
  expect([isTransport({ guarantees: {} }), isTransport({})]).toEqual([true, false]);
});

test('the product of several options is at most the limit of a timer', () => {
  checkMilliseconds('the time of 2 beats', 2_147_483_647);
  expect(() => checkMilliseconds('the time of 2 beats', 2_147_483_648)).toThrow(
    new UsageError('the time of 2 beats is 2147483648. Pass less of either, for a number of milliseconds from 1 to 2147483647'),
  );
});

test('the id of a transport complains by itself', () => {
  expect(id.refused('a')).toBeNull();
  expect(() => id.refused('')).toThrow('the id of a transport cannot be "": it is empty. Pass');
});

test.each<[value: unknown, why: string | null]>([
  [['a'], null],
  [['a', 'b'], null],
  ['ab', 'is "ab"'],
  [[], 'is empty'],
  [['a', 7], 'has 7 at place 1: it is 7. It is not a string'],
  [['a', 'b', ''], 'has "" at place 2: it is empty'],
  [['a', 'b', 'a'], 'contains "a" twice'],
])('peers %j', (value, why) => {
  expect(peers.refused(value)).toBe(why);
});

describe('all options together', () => {
  const checks = { one: someText, two: optional(flag) };
  const check =
    (options: unknown, of: Readonly<Record<string, Check>> = checks) =>
    () =>
      checkOptions('make', options, of);

  test('required options are needed, others may be omitted', () => {
    check({ one: 'x' })();
    check({ one: 'x', two: undefined })();
    check({ one: 'x', two: true })();
    check({}, { two: optional(flag) })();
  });

  test.each<[options: unknown, answer: string]>([
    [undefined, 'make takes its options as an object. Pass { one }'],
    ['x', 'make takes its options as an object. Pass { one }'],
    [{}, 'make: one is missing. Pass a text'],
    [{ one: undefined }, 'make: one is missing. Pass a text'],
    [{ one: 7 }, 'make: one is 7. Pass a text'],
    [{ one: 'x', two: null }, 'make: two is null. Pass true or false'],
    [{ one: 'x', tow: 1 }, 'make has no option tow. Did you mean "two"? Known: one, two'],
  ])('%j is refused', (options, answer) => {
    expect(check(options)).toThrow(new UsageError(answer));
  });

  test('if no option is required they may be omitted, and are listed', () => {
    expect(check(7, { two: optional(flag), three: optional(flag) })).toThrow(
      'make takes its options as an object. Omit them, or pass some of two, three',
    );
    expect(check(7, { one: someText, two: someText })).toThrow('make takes its options as an object. Pass { one, two }');
  });
});
