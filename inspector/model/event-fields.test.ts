import { expect, test } from 'vitest';
import { readTrace } from '../page/testing/traces.js';
import { eventFields, sampleOf, valueOfField, writtenEvent } from './event-fields.js';

const step = (at: number, node: string, event: object, chart = 'cart') => ({
  index: at,
  at,
  kind: 'command',
  node,
  event,
  sent: [],
  emitted: [],
  roles: { [chart]: { chart, value: 'open', context: {} } },
  clock: {},
});
const header = { quiver: 1, protocol: 'programs', scenario: null, seed: 0, nodes: [], links: [], charts: {}, properties: [] };
const recording = readTrace(
  [
    header,
    step(0, 'a', { type: 'ADD', count: 1, name: 'tea', gift: true, tags: ['x'] }),
    step(1, 'b', { type: 'ADD', count: 2 }),
    step(2, 'c', { type: 'ADD', weight: 3 }, 'crate'),
  ]
    .map((line) => JSON.stringify(line))
    .join('\n'),
);
const sample = (node: string, line: number) => sampleOf(recording, recording.nodes.find(node), 'ADD', line);

test('a sample is the last payload of the node, or of another one of its chart', () => {
  expect(sample('a', 2)).toEqual({ count: 1, name: 'tea', gift: true, tags: ['x'] });
  expect(sample('b', 2)).toEqual({ count: 2 });
  expect(sample('b', 0)).toMatchObject({ count: 1 });
  expect(sample('c', 1)).toBeNull();
});

test('fields read what they have written; an unreadable value is undefined', () => {
  const fields = eventFields(sample('a', 2));
  expect(fields.map(({ kind }) => kind)).toEqual(['number', 'text', 'boolean', 'json']);
  expect(fields.map(valueOfField)).toEqual([1, 'tea', true, ['x']]);
  expect(valueOfField({ name: 'count', kind: 'number', value: 'many' })).toBeUndefined();
  expect(valueOfField({ name: 'tags', kind: 'json', value: '[' })).toBeUndefined();
});

test.each([
  ['', null],
  [' GO ', { event: { type: 'GO' } }],
  ['sign in', { event: { type: 'sign in' } }],
  ['ADD {"item":"x"}', { event: { type: 'ADD', item: 'x' } }],
  ['{"type":"ADD","item":"x"}', { event: { type: 'ADD', item: 'x' } }],
  ['{"item":"x"}', { problem: expect.stringMatching(/^The event has no type\. Write \{"type":"GO"\}/) }],
  ['{"type":1}', { problem: expect.stringMatching(/^The event has no type/) }],
  ['ADD {item: 1}', { problem: expect.stringMatching(/^The text from \{ on is not JSON: ./) }],
])('the event in %j', (text, expected) => {
  expect(writtenEvent(text)).toEqual(expected);
});
