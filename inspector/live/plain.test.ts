/** What is read of a watched program is bounded before it is read, and a wrong address leaves the program alone. */
import { expect, test, vi } from 'vitest';
import { createMachine } from 'xstate';
import { chartDefinition } from '../../network/chart-definition.js';
import { reportEverything } from './everything.js';
import { plain } from './plain.js';

test('of binary data a hundred numbers are shown, however long it is', () => {
  expect(plain({ pcm: new Uint8Array([1, 2, 3]) })).toEqual({ pcm: [1, 2, 3] });
  const kept = Array.from({ length: 100 }, () => 0);
  for (const data of [new Uint8Array(1_000_000), Buffer.alloc(1_000_000), new Float64Array(1_000_000)]) {
    const keys = vi.spyOn(Object, 'keys');
    expect(plain(data)).toEqual([...kept, '… 999900 more']);
    expect(keys.mock.calls.some(([of]) => of === data)).toBe(false);
    keys.mockRestore();
  }
  expect(plain(new DataView(new ArrayBuffer(8)))).toEqual({});
});

test('a config whose context holds the same again and again is no chart of 2^40 values', () => {
  let shared: object = {};
  for (let i = 0; i < 40; i++) shared = { a: shared, b: shared };
  const machine = createMachine({
    id: 'd',
    context: { shared },
    meta: { shared },
    initial: 'on',
    states: { on: { on: { GO: 'off' } }, off: {} },
  });
  expect(chartDefinition(machine)).toEqual({
    id: 'd',
    context: '…',
    meta: '…',
    initial: 'on',
    states: { on: { on: { GO: 'off' } }, off: {} },
  });
});

test('a program with a wrong address goes on, unwatched, and is told', () => {
  const told = vi.spyOn(console, 'error').mockImplementation(() => {});
  for (const url of ['notaurl', 'http://', ' ']) reportEverything({ url, name: 'program', reach: true });
  expect(told.mock.calls.flat()).toEqual(
    ['notaurl', 'http://', ' '].map(
      (url) =>
        `quiver: QUIVER_INSPECT=${url}: inspect: "${url}" is no address of an inspector; give the url that inspect() returned`,
    ),
  );
  told.mockRestore();
});
