/** The checker of linearizability: histories that are known, thousands of drawn ones against a search without any thought, and mutants of it. */
import { readFileSync } from 'node:fs';
import { transformWithOxc } from 'vite';
import { expect, test } from 'vitest';
import { Random } from '../../network/random.js';
import * as checker from './linearizability.js';
import { linearize, sequentialRegister, type ObjectOperation, type SequentialObject } from './linearizability.js';

const operation = (
  who: string,
  input: object,
  calledAt: number,
  returnedAt: number | null,
  output?: unknown,
): ObjectOperation => ({
  who,
  input,
  calledAt,
  returnedAt,
  output,
});
const read = (who: string, output: unknown, from: number, to: number | null) => operation(who, { read: true }, from, to, output);
const write = (who: string, value: unknown, from: number, to: number | null) => operation(who, { write: value }, from, to);
const add = (who: string, output: unknown, from: number, to: number | null) => operation(who, { add: 1 }, from, to, output);

const register = sequentialRegister(0);

test.each<[name: string, is: boolean, history: ObjectOperation[]]>([
  ['nothing', true, []],
  ['one after the other', true, [write('a', 1, 0, 1), read('b', 1, 2, 3)]],
  ['a stale read', false, [write('a', 1, 0, 1), read('b', 0, 2, 3)]],
  ['reads beside a write see either', true, [write('a', 1, 0, 9), read('b', 0, 1, 2), read('b', 1, 3, 4)]],
  // New/old inversion: what a regular register may do, and an atomic one may not (Lamport, On Interprocess Communication).
  ['a later read sees what was before', false, [write('a', 1, 0, 9), read('b', 1, 1, 2), read('c', 0, 3, 4)]],
  // The two of Porcupine's README.
  ['Porcupine, good', true, [write('a', 100, 0, 100), read('b', 100, 25, 75), read('c', 0, 30, 60)]],
  ['Porcupine, bad', false, [write('a', 200, 0, 100), read('b', 200, 10, 30), read('c', 0, 40, 90)]],
  ['a write that never returned was seen', true, [write('a', 1, 0, null), read('b', 0, 1, 2), read('b', 1, 3, 4)]],
  ['a write that never returned was not seen', true, [write('a', 1, 0, null), read('b', 0, 1, 2), read('b', 0, 3, 4)]],
  ['one that never returned comes and goes', false, [write('a', 1, 0, null), read('b', 1, 1, 2), read('b', 0, 3, 4)]],
  ['nobody wrote it', false, [read('b', 7, 1, 2)]],
  ['two additions, one sum', false, [add('a', 1, 0, 9), add('b', 1, 1, 8)]],
  ['an addition that never returned counts once', true, [add('a', 0, 0, null), add('b', 2, 1, 8), read('b', 2, 9, 10)]],
  ['and not twice', false, [add('a', 0, 0, null), add('b', 3, 1, 8)]],
  ['of one moment, both orders', true, [write('a', 1, 0, 5), read('b', 0, 5, 6)]],
])('%s: %s', (_, is, history) => {
  expect(linearize(history, register).isFound).toBe(is);
});

test('reports the operation that fits nowhere, or that the search was too long', () => {
  const history = [write('a', 1, 0, 1), read('b', 1, 2, 3), read('c', 0, 4, 5)];
  expect(linearize(history, register)).toEqual({ isFound: false, order: history.slice(0, 2), stuck: history[2] });
  expect(linearize(history, register, 2)).toEqual({ isFound: null });
});

test('forty additions that never returned are interchangeable', () => {
  const open = Array.from({ length: 40 }, (_, i) => add(`a${i}`, null, i, null));
  expect(linearize([...open, read('r', 25, 50, 60), read('r', 24, 61, 70)], register, 5_000).isFound).toBe(false);
  expect(linearize([...open, read('r', 24, 50, 60), read('r', 40, 61, 70)], register, 5_000).isFound).toBe(true);
  // One that was called later cannot have been seen before.
  expect(linearize([add('a', null, 0, null), add('b', null, 9, null), read('r', 2, 1, 2)], register).isFound).toBe(false);
});

test('fifteen additions that never returned do not slow down eight concurrent clients', () => {
  const open = Array.from({ length: 15 }, (_, i) => add(`a${i}`, null, i, null));
  const sums = (sumOf: (k: number) => number) =>
    Array.from({ length: 100 }, (_, k) => add(`c${k % 8}`, sumOf(k), 20 + 10 * k, 98 + 10 * k));
  expect(linearize([...open, ...sums((k) => k + 1)], register, 5_000).isFound).toBe(true);
  // Ten of them are seen.
  expect(linearize([...open, ...sums((k) => (k < 50 ? k + 1 : k + 11))], register, 5_000).isFound).toBe(true);
  // Two are given one sum; more are missing than were asked for.
  expect(linearize([...open, ...sums((k) => (k < 50 ? k + 1 : k))], register).isFound).toBe(false);
  expect(linearize([...open, ...sums((k) => (k < 50 ? k + 1 : k + 17))], register).isFound).toBe(false);
});

test('ten overlapping operations: each of a thousand sets is tried once', () => {
  const writes = Array.from({ length: 10 }, (_, i) => write(`w${i}`, 1, 0, 100));
  expect(linearize([...writes, read('r', 2, 50, 60)], register, 40_000).isFound).toBe(false);
});

/** All orders, one after the other. */
function isOrdered<S>(history: readonly ObjectOperation[], object: SequentialObject<S>, state = object.initial): boolean {
  if (history.every(({ returnedAt }) => returnedAt === null)) return true;
  return history.some((one, i) => {
    const others = history.toSpliced(i, 1);
    if (others.some(({ returnedAt }) => returnedAt !== null && returnedAt < one.calledAt)) return false;
    const after = object.next(state, one.input, one.returnedAt === null ? null : { output: one.output });
    return after !== undefined && isOrdered(others, object, after);
  });
}

function drawn(random: Random): ObjectOperation[] {
  return Array.from({ length: 1 + random.below(5) }, (_, i) => {
    const calledAt = random.below(6);
    const returnedAt = random.below(5) === 0 ? null : calledAt + random.below(6);
    const how = random.pick([add, read, read, write]);
    return how(`c${i}`, random.below(3), calledAt, returnedAt);
  });
}

/** In how many of so many drawn histories this checker and the search of all orders differ; and how many there were of each kind. */
function differences(
  check: typeof linearize,
  count: number,
): { readonly wrong: number; readonly good: number; readonly bad: number } {
  const random = new Random(1, 'histories');
  const seen = { wrong: 0, good: 0, bad: 0 };
  for (let i = 0; i < count; i++) {
    const history = drawn(random);
    const is = isOrdered(history, register);
    seen[is ? 'good' : 'bad']++;
    if (check(history, register, 10_000).isFound !== is) seen.wrong++;
  }
  return seen;
}

test('two thousand random histories: the same result as a search of all orders', () => {
  const { wrong, good, bad } = differences(linearize, 2_000);
  expect(wrong).toBe(0);
  expect(Math.min(good, bad)).toBeGreaterThan(400);
});

test.each<[rule: string, code: string, broken: string]>([
  ['what has returned is before what is called later', 'else if (isCall) entry', 'else if (isCall || entry!.next) entry'],
  ['the state belongs to what was tried', '${JSON.stringify(after)}', ''],
  ['the operations belong to what was tried', '${done.textWith(place)}', ''],
  ['what was placed is put back', 'putBack(call.other);', ''],
  ['going back has the state of before', 'state = before;', ''],
  ['what never returned is tried as well', 'else if (areAnswered) [entry, areAnswered] = [head.next, false];', ''],
  ['going back goes on among those of its kind', '[call.next, call.other !== null]', '[call.next, false]'],
  [
    'at one time calls come first',
    'Number(b.entry.isCall) - Number(a.entry.isCall)',
    'Number(a.entry.isCall) - Number(b.entry.isCall)',
  ],
  ['what never returned may have given anything', 'other && { output }', '{ output }'],
  ['what never returned need not have happened', 'filter(({ returnedAt }) => returnedAt !== null).length', 'length'],
  ['outputs are compared', 'answer === null || ', 'true || '],
])('detects the mutant: %s', async (_, code, broken) => {
  const file = new URL('./linearizability.ts', import.meta.url);
  const source = readFileSync(file, 'utf8');
  expect(source).toContain(code);
  const mutant = await transformWithOxc(
    source.replace(code, () => broken),
    file.pathname,
  );
  const text = `data:text/javascript,${encodeURIComponent(mutant.code)}`;
  const { linearize: check, sequentialRegister: model } = (await import(/* @vite-ignore */ text)) as typeof checker;
  const withItsModel: typeof linearize = (history, _object, stepsMax) => check(history, model(0) as never, stepsMax);
  let wrong: number;
  try {
    ({ wrong } = differences(withItsModel, 400));
  } catch {
    wrong = 1;
  }
  expect(wrong).toBeGreaterThan(0);
});
