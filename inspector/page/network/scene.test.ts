import { expect, test } from 'vitest';
import { PROGRAMS } from '../../live/protocol.js';
import { Moment } from '../../model/moment.js';
import { ReadTrace } from '../../model/recording.js';
import { SceneReader } from './scene.js';

/** Two programs that are linked, and a line with which the second one ends. */
function linksAfter(end: object) {
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
  const lines = [...starts, ...channels, crash].map((line, index) => ({ ...line, index }));
  for (const line of [PROGRAMS, ...lines]) recording.push(`${JSON.stringify(line)}\n`);
  recording.close();
  const reader = new SceneReader(recording);
  return [3, 4].map((line) => reader.links(new Moment(recording, line)));
}

const linked = [{ a: 0, b: 1, there: true, back: true }];

test('the link to a program that is gone is cut in its direction, before a failure detector reports it', () => {
  expect(linksAfter({ type: 'gone' })).toEqual([linked, [{ a: 0, b: 1, there: true, back: false }]]);
});

test('the link to a node that has ended is not drawn', () => {
  expect(linksAfter({ type: 'ended' })).toEqual([linked, []]);
});
