/** A chart's config as plain JSON. */
import { and, assign, cancel, emit, fromPromise, not, raise, setup, stateIn, type AnyStateMachine } from 'xstate';
import { expect, test } from 'vitest';
import { isAccessor, NOT_CALLED, chartDefinition, invokeName } from './chart-definition.js';

const of = (config: object): any => chartDefinition({ config } as never as AnyStateMachine);

test("functions are their names, and XState's objects their types", () => {
  const isFree = () => true;
  expect(
    of({
      guard: isFree,
      both: and([isFree, not('isLast'), { type: 'isOver' }] as never),
      inside: stateIn({ a: 'b' }),
      at: stateIn('#x'),
      actions: [
        raise({ type: 'found' }),
        assign({ count: 1, last: 2 }),
        emit({ type: 'notified' }),
        'inc',
        { type: 'say', params: isFree },
      ],
      later: raise(() => ({ type: 'x' })),
      src: fromPromise(async () => 1),
      canceled: cancel('timer'),
    }),
  ).toEqual({
    guard: 'isFree',
    both: 'and(isFree, not(isLast), isOver)',
    inside: 'stateIn({"a":"b"})',
    at: 'stateIn(#x)',
    actions: ['raise found', 'assign(count, last)', 'emit notified', 'inc', { type: 'say', params: 'isFree' }],
    later: 'raise',
    src: expect.anything(),
    canceled: 'cancel',
  });
  expect(of({ guard: Object.assign(() => true, { guards: ['a', 7] }) }).guard).toMatch(/\(a, 7\)$/);
  const source = Object.defineProperty(
    Object.assign(() => {}, { src: 'fetcher' }),
    'name',
    { value: 'spawn' },
  );
  expect(of({ entry: source })).toEqual({ entry: 'spawn fetcher' });
});

test('forbidden events are included, and so are numbers that JSON does not support', () => {
  expect(of({ on: { go: undefined, stay: 'x' }, context: { n: 12n, gone: undefined } })).toEqual({
    on: { go: {}, stay: 'x' },
    context: { n: '12n' },
  });
  expect(of({ states: { on: { on: ['a'] } } })).toEqual({ states: { on: { on: ['a'] } } });
});

test('getters are not called, and named in their places', () => {
  const config = {
    meta: {
      plain: 1,
      get danger(): never {
        throw new Error('called');
      },
    },
  };
  expect(of(config)).toEqual({ meta: { plain: 1, danger: NOT_CALLED } });
  expect([isAccessor(config.meta, 'danger'), isAccessor(config.meta, 'plain'), isAccessor(config.meta, 'none')]).toEqual([
    true,
    false,
    false,
  ]);
});

test('cycles, and values that are not part of a picture, are cut', () => {
  const self: Record<string, unknown> = { n: 1 };
  self['again'] = { self };
  expect(of({ meta: self })).toEqual({ meta: { n: 1, again: { self: '…' } } });
  const twice = { n: 1 };
  expect(of({ meta: { a: twice, b: twice } })).toEqual({ meta: { a: { n: 1 }, b: { n: 1 } } });
  const accessing = Object.defineProperty({ inner: {} as Record<string, unknown> }, 'seen', { enumerable: true, get: () => 1 });
  accessing.inner['outer'] = accessing;
  expect(of({ meta: accessing })).toEqual({ meta: { inner: { outer: '…' }, seen: NOT_CALLED } });
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => i);
  for (const key of ['context', 'meta', 'input', 'output', 'params']) {
    expect(of({ [key]: numbers(1_999) })[key]).toHaveLength(1_999);
    expect(of({ [key]: numbers(2_000) })[key]).toBe('…');
  }
  expect(of({ states: numbers(2_000) }).states).toHaveLength(2_000);
  expect(of({ context: { bytes: new Uint8Array(3_000) } }).context).toBe('…');
  expect(Object.keys(of({ context: { bytes: new Uint8Array(100) } }).context)).toEqual(['bytes']);
  const shared = numbers(900);
  expect(of({ context: [shared, shared] }).context).toHaveLength(2);
  expect(of({ context: [shared, shared, shared] }).context).toBe('…');
});

test('a whole chart', () => {
  const chart = setup({ actions: { inc: () => {} }, guards: { isFree: () => true } }).createMachine({
    id: 'm',
    initial: 'a',
    context: () => ({}),
    states: { a: { entry: 'inc', on: { go: { guard: 'isFree', target: 'b' } } }, b: {} },
  });
  expect(chartDefinition(chart)).toEqual({
    id: 'm',
    initial: 'a',
    context: 'context',
    states: { a: { entry: 'inc', on: { go: { guard: 'isFree', target: 'b' } } }, b: {} },
  });
});

test('an invoked actor is named by its id, else its source, with its place if needed', () => {
  const all = [{ src: 'fetch' }, { src: 'fetch' }, { id: 'mine', src: 'fetch' }, { src: {} }, { src: () => {} }];
  expect(all.map((_, i) => invokeName(all, i))).toEqual(['fetch', 'fetch#2', 'mine', 'invoked', 'invoked#5']);
});
