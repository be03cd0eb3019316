/** Values of an observed program are limited before they are read, and a wrong address has no effect on the program. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { assign, createActor, createMachine } from 'xstate';
import { chartDefinition } from '../../network/chart-definition.js';
import { reportActors } from './actors.js';
import { reportEverything } from './everything.js';
import { plain } from './plain.js';
import type { StepReport } from './report.js';

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

test('a config with a context that repeats one value does not become 2^40 values', () => {
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

test('a program with a wrong address continues unobserved, with a warning', async () => {
  const notified = vi.spyOn(console, 'error').mockImplementation(() => {});
  for (const url of ['notaurl', 'http://', ' ']) await reportEverything({ url, name: 'program', reach: true });
  expect(notified.mock.calls.flat()).toEqual(
    ['notaurl', 'http://', ' '].map(
      (url) =>
        `quiver: QUIVER_INSPECT=${url}: inspect: "${url}" is not the address of an inspector. Pass the whole address that quiver explore --live printed, token included.`,
    ),
  );
  notified.mockRestore();
});

/** An object that counts how often one of its keys is looked at, and how often all are listed. */
function counted(keys: number) {
  const reads = { values: 0, lists: 0 };
  const target = Object.fromEntries(Array.from({ length: keys }, (_, i) => [`key${i}`, i]));
  // A trap of `getOwnPropertyDescriptor` would be asked for every key of a list.
  const object = new Proxy(target, {
    get(of, key) {
      if (typeof key === 'string' && key.startsWith('key')) reads.values++;
      return Reflect.get(of, key) as unknown;
    },
    ownKeys(of) {
      reads.lists++;
      return Reflect.ownKeys(of);
    },
  });
  return { object, reads };
}

/** The cost of ten events for an actor with this value next to a number, and the last report. */
function watched(held: object) {
  const reports: StepReport[] = [];
  const stop = reportActors((report) => reports.push(report));
  const machine = createMachine({
    context: { held, n: 0 },
    on: { go: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
  });
  const actor = createActor(machine).start();
  for (let i = 0; i < 10; i++) actor.send({ type: 'go' });
  stop();
  return Object.values(reports.at(-1)!.roles)[0]!.context as { held: Record<string, unknown>; n: number };
}

test('a huge context has a small constant cost; the cut is marked, small values stay', () => {
  const [large, huge] = [counted(5_000), counted(50_000)];
  const notified = [large, huge].map(({ object }) => watched(object));
  expect(huge.reads.values).toBe(large.reads.values);
  expect(huge.reads.values / 11).toBeLessThan(5_000);
  // Once for the chart, and once for all events.
  expect(huge.reads.lists).toBeLessThanOrEqual(2);
  for (const [i, { held, n }] of notified.entries()) {
    const shown = Object.keys(held).length - 1;
    expect(n).toBe(10);
    expect(shown).toBeGreaterThan(100);
    expect(held['…']).toBe(`${[5_000, 50_000][i]! - shown} more`);
  }
});

test('only a limited number of items of a long list, and of their parts, is read', () => {
  let reads = 0;
  const item = (id: number) => new Proxy({ id, at: { x: id } }, { get: (of, key) => (reads++, Reflect.get(of, key) as unknown) });
  const read = plain({ list: Array.from({ length: 50_000 }, (_, id) => item(id)), n: 7 }) as { list: unknown[]; n: number };
  expect(reads).toBeLessThan(20_000);
  expect(read.list[0]).toEqual({ id: 0, at: { x: 0 } });
  expect(read.list.at(-1)).toBe(`… ${50_000 - read.list.length + 1} more`);
  expect(read.n).toBe(7);
});

test('a large object is listed again after some visits; values are read at each visit', () => {
  const object: Record<string, number> = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`key${i}`, i]));
  const rest = () => (plain(object) as Record<string, unknown>)['…'];
  expect(rest()).toBe('2600 more');
  object['later'] = 1;
  object['key1'] = -1;
  expect(plain(object)).toMatchObject({ key1: -1, '…': '2600 more' });
  expect(Array.from({ length: 30 }, rest)).toContain('2601 more');
  for (const key of Object.keys(object)) if (key !== 'later') delete object[key];
  expect(plain(object)).toEqual({ later: 1 });
});

test('a chart has larger limits', () => {
  const reports: StepReport[] = [];
  onTestFinished(reportActors((report) => reports.push(report)));
  const states = Object.fromEntries(Array.from({ length: 3_000 }, (_, i) => [`s${i}`, { on: { go: `s${i}` } }]));
  createActor(createMachine({ id: 'wide', initial: 's0', states })).start();
  expect(reports[0]!.charts!['wide']).toMatchObject({ states });
});
