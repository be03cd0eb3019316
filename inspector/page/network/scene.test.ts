import { expect, test } from 'vitest';
import { PROGRAMS } from '../../live/protocol.js';
import { Moment } from '../../model/moment.js';
import { ReadTrace } from '../../model/recording.js';
import { SceneReader } from './scene.js';

/** Two linked programs, and a line with which the second one ends. The header has the link, or lines report it. */
function linksAfter(end: object, isInHeader = false) {
  const recording = new ReadTrace();
  const common = { at: 0, sent: [], emitted: [], clock: {} };
  const starts = ['a', 'b'].map((node) => ({
    ...common,
    kind: 'start',
    node,
    event: { type: 'start' },
    roles: {},
    program: node,
  }));
  const channels = [
    ['a', 'b'],
    ['b', 'a'],
  ].map((between) => ({ at: 0, kind: 'channel', between, up: true, clock: {} }));
  const crash = { ...common, kind: 'crash', node: 'b', event: end, roles: {} };
  const header = isInHeader ? { ...PROGRAMS, nodes: ['a', 'b'], links: [['a', 'b', 1]] } : PROGRAMS;
  const lines = [...starts, ...(isInHeader ? [] : channels), crash].map((line, index) => ({ ...line, index }));
  for (const line of [header, ...lines]) recording.push(`${JSON.stringify(line)}\n`);
  recording.close();
  const reader = new SceneReader(recording);
  return [lines.length - 2, lines.length - 1].map((line) => reader.links(new Moment(recording, line)));
}

const linked = [{ a: 0, b: 1, there: true, back: true }];

test.each([false, true])('the link to a program that is gone is cut at its end, link in the header: %s', (isInHeader) => {
  expect(linksAfter({ type: 'gone' }, isInHeader)).toEqual([linked, [{ a: 0, b: 1, there: true, back: false }]]);
});

test('the link to a node that has ended is not drawn', () => {
  expect(linksAfter({ type: 'ended' })).toEqual([linked, []]);
});
