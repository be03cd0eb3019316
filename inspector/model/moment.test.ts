/** The life of a node of a live program: alive, suspected, gone or ended; or crashed by a gesture. */
import { expect, test } from 'vitest';
import { Moment } from './moment.js';
import { ReadTrace } from './recording.js';

const header = {
  quiver: 1,
  protocol: 'programs',
  scenario: null,
  seed: 0,
  nodes: ['a', 'b', 'c'],
  links: [['a', 'b', 1]],
  charts: {},
};
const step = (node: string, kind: string, type = kind) => ({
  kind,
  node,
  event: { type },
  sent: [],
  emitted: [],
  roles: {},
});
const channel = (from: string, to: string, up: boolean) => ({ kind: 'channel', between: [from, to], up });

function livesAfter(isLive: boolean, ...lines: readonly object[]): readonly string[] {
  const notified = lines.map((line, index) => ({ index, at: index, clock: {}, ...line }));
  const recording = new ReadTrace();
  for (const line of [isLive ? { ...header, live: true } : header, ...notified]) recording.push(`${JSON.stringify(line)}\n`);
  recording.close();
  const moment = new Moment(recording, recording.end - 1);
  return ['a', 'b', 'c'].map((name) => moment.life(recording.nodes.find(name)));
}

const started = ['a', 'b', 'c'].map((node) => step(node, 'start'));

test('alive, until another report', () => {
  expect(livesAfter(true, ...started)).toEqual(['alive', 'alive', 'alive']);
});

test('suspected exactly while the detector of another node has lost it', () => {
  const lost = channel('a', 'b', false);
  expect(livesAfter(true, ...started, lost)).toEqual(['alive', 'suspected', 'alive']);
  expect(livesAfter(true, ...started, lost, channel('a', 'b', true))).toEqual(['alive', 'alive', 'alive']);
  // A node that is gone suspects no other node, and a cut link of a simulation does not mean suspicion.
  expect(livesAfter(true, ...started, lost, step('a', 'crash', 'gone'))).toEqual(['gone', 'alive', 'alive']);
  expect(livesAfter(false, ...started, lost)).toEqual(['alive', 'alive', 'alive']);
});

test('gone, ended and crashed are three, and a start ends each', () => {
  const stopped = [step('a', 'crash', 'gone'), step('b', 'crash', 'ended'), step('c', 'crash')];
  expect(livesAfter(true, ...started, ...stopped)).toEqual(['gone', 'ended', 'crashed']);
  expect(livesAfter(true, ...started, ...stopped, ...started)).toEqual(['alive', 'alive', 'alive']);
});
