/** Which states count as waiting forever. */
import { createMachine } from 'xstate';
import { expect, test } from 'vitest';
import { defineCore } from './define.js';
import type { Configuration } from './protocol.js';
import { noNodeIsStuck } from './stuck.js';

const to = (target: string) => ({ target: `#${target}` });

const chart = createMachine({
  id: 'c',
  initial: 'first',
  states: {
    first: { id: 'first', on: { ping: to('waiting') } },
    waiting: { id: 'waiting', on: { ping: to('end'), 'link.up': to('first') } },
    asked: { on: { ping: to('end'), go: to('first') } },
    armed: { on: { ping: to('end'), timer: to('first') } },
    nested: { initial: 'inner', on: { ping: to('end') }, states: { inner: {}, free: { on: { go: to('first') } } } },
    both: {
      type: 'parallel',
      states: { a: { initial: 'x', states: { x: { on: { ping: to('end') } } } }, b: { initial: 'y', states: { y: {} } } },
    },
    end: { id: 'end' },
  },
});

const core = defineCore({
  name: 'p',
  charts: { c: chart },
  network: { reach: 'links' },
  messages: { ping: {} },
  commands: { go: {} },
});

const property = noNodeIsStuck(core) as Extract<ReturnType<typeof noNodeIsStuck>, { readonly kind: 'eventually' }>;

const inState = (value: object | string, crashed: readonly string[] = []) =>
  ({ nodes: new Map([['n', { r: { chart: 'c', value, context: {} } }]]), crashed }) as unknown as Configuration;

test.each([
  ['takes messages and word of links alone', 'waiting', true],
  ['takes them at an outer state', { nested: 'inner' }, true],
  ['takes them in one region, and nothing in the other', { both: { a: 'x', b: 'y' } }, true],
  ['is the first', 'first', false],
  ['is the last', 'end', false],
  [
    'No node waits forever for a message: each node returns to one of its initial states, to a state that accepts a command or a timer, or to a final state.',
    'asked',
    false,
  ],
  ['takes a command within', { nested: 'free' }, false],
  ['takes a timer', 'armed', false],
])('a state that %s', (_, value, waits) => {
  expect([property.when(inState(value), 'n'), property.holds(inState(value), 'n')]).toEqual([waits, !waits]);
});

test('a node that has crashed, or does not exist yet, waits for nothing', () => {
  expect(property.when(inState('waiting', ['n']), 'n')).toBe(false);
  expect(property.when(inState('waiting'), 'stranger')).toBe(false);
});
