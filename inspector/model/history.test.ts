import { expect, test } from 'vitest';
import { syntheticTrace } from '../../testing/synthetic-trace.js';
import { directoryTrace, readTrace } from '../page/testing/traces.js';
import { changeAt, historyOf } from './history.js';
import { Moment } from './moment.js';

const recording = readTrace(directoryTrace());

test.each(['parent', 'policy', 'next'])('the history of %s agrees with the moment at every line, each change is one', (key) => {
  for (let node = 0; node < recording.nodes.size; node++) {
    const history = historyOf(recording, node, 'directory', key, 0);
    expect(history).toMatchObject({ before: false, after: false });
    const { changes } = history;
    for (const [i, { value }] of changes.entries()) expect(value).not.toBe(changes[i - 1]?.value);
    for (let line = changes[0]!.line; line < recording.end; line++) {
      const context = new Moment(recording, line).roles(node)[0]!.view.context as Record<string, unknown>;
      expect(changes[changeAt(history, line)]!.value).toBe(JSON.stringify(context[key]));
    }
    expect(changes).toHaveLength(key === 'policy' ? 1 : changes.length);
  }
  expect(historyOf(recording, 1, 'directory', 'parent', 0).changes.length).toBeGreaterThan(2);
});

test('an inherited property has no value, and a missing role has no history', () => {
  for (const key of ['toString', '__proto__'])
    expect(historyOf(recording, 0, 'directory', key, 0).changes.map(({ value }) => value)).toEqual([null]);
  expect(historyOf(recording, 0, 'nobody', 'parent', 0).changes).toEqual([]);
});

test('of many steps those around the line are searched, which the result shows', () => {
  const long = readTrace([...syntheticTrace({ rows: 1, columns: 2, lines: 12_000, flights: 2 })].join(''));
  const node = long.nodeOf(6000);
  const history = historyOf(long, node, 'ball', 'count', 6000);
  expect(history).toMatchObject({ before: true, after: true });
  expect(history.changes).toHaveLength(4001);
  expect(history.changes[changeAt(history, 6000)]!.line).toBe(6000);
});
