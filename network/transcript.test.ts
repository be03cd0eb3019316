/** A trace in words. */
import { expect, test } from 'vitest';
import type { TraceLine } from './trace.js';
import { describe as inWords, describeEvent, describeState } from './transcript.js';

const view = (value: unknown) => ({ chart: 'directory', value, context: {} });
const step = (more: object) => ({
  at: 12,
  node: 'n3',
  kind: 'deliver',
  event: { type: 'find' },
  roles: {},
  sent: [],
  emitted: [],
  clock: {},
  index: 0,
  ...more,
});

test.each<[line: object, words: string]>([
  [step({ kind: 'timer' }), '12  n3  timer find'],
  [step({ message: 7, event: { type: 'find', producer: 'n1', from: 'n2', at: 3 } }), '12  n3  #7 find{producer: n1} from n2'],
  [
    step({
      roles: { directory: view('idle'), other: null },
      sent: [{ id: 4, to: 'n4', message: { type: 'token', fence: 3 } }],
      emitted: [{ type: 'granted' }],
    }),
    '12  n3  deliver find  directory: idle  other: closed  → n4 token{fence: 3} #4  ! granted',
  ],
  [{ at: 3, kind: 'lost', between: ['a', 'b'], message: 0, why: 'loss', clock: {}, index: 1 }, '3  lost  a → b  #0  loss'],
  [{ at: 3, kind: 'channel', between: ['a', 'b'], up: true, clock: {}, index: 1 }, '3  channel  a → b  up'],
  [{ at: 3, kind: 'channel', between: ['a', 'b'], up: false, clock: {}, index: 1 }, '3  channel  a → b  down'],
  [{ at: 9, kind: 'verdict', verdict: 'valid', clock: {}, index: 1 }, '9  verdict  valid'],
])('case %#: %j', (line, words) => {
  expect(inWords(line as TraceLine)).toBe(words);
});

test('a state is its path, and regions are next to each other', () => {
  expect(
    ['idle', { holding: { using: 'last' } }, { a: 'win', b: { c: 'idle' } }, { a: undefined, b: 'x' }].map((v) =>
      describeState(v as never),
    ),
  ).toEqual(['idle', 'holding.using.last', 'a.win + b.c.idle', 'a + b.x']);
});

test('shows the fields of an event, lists in brackets, then its sender, name or port', () => {
  const events = [
    { type: 'x' },
    { type: 'x', from: 0 },
    { type: 'x', a: 1, b: ['n1', [2]], c: 'text', d: { e: 'f' }, g: null, from: 'n1' },
  ];
  expect(events.map(describeEvent)).toEqual(['x', 'x from 0', 'x{a: 1, b: [n1 [2]], c: text, d: {"e":"f"}, g: null} from n1']);
});
