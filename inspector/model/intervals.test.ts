import { expect, test } from 'vitest';
import { corruptedScenario, directoryTrace, readTrace, traceOf } from '../page/testing/traces.js';
import { aroundLine, holdingAt, Intervals, stretchesOf } from './intervals.js';
import { lastAtMost } from './columns.js';
import { queryOf } from './query.js';
import { ReadTrace } from './recording.js';

function intervalsOf(recording: ReadTrace, text: string): Intervals {
  const intervals = new Intervals();
  const query = queryOf(text);
  for (let line = 0; line < recording.end; line++)
    if (recording.nodeOf(line) >= 0) intervals.step(line, recording.nodeOf(line), query.answers(recording, line));
  return intervals;
}

const recordings = {
  plain: readTrace(directoryTrace()),
  faulty: readTrace(traceOf(corruptedScenario({ at: 3, node: 'n0', do: 'crash' }))),
};

test.each([
  ['plain', 'state:waiting'],
  ['plain', 'node:n1 -state:idle'],
  ['plain', 'ctx.parent=n1'],
  ['faulty', 'state:waiting'],
  ['faulty', '-state:idle'],
] as const)('in the %s run %s holds exactly in the intervals of the steps of each node', (name, text) => {
  const recording = recordings[name];
  const query = queryOf(text);
  const { all } = intervalsOf(recording, text);
  expect(all.length).toBeGreaterThan(0);
  for (let line = 0; line < recording.end; line++) {
    const standing = recording.steps.flatMap((steps, node) => {
      const last = steps[lastAtMost(steps, line)];
      return last !== undefined && query.answers(recording, last) ? [node] : [];
    });
    const held = holdingAt(all, line).map(({ node }) => node);
    expect(held.sort()).toEqual(standing);
    const stretches = stretchesOf(all).filter(({ from, to }) => from <= line && (to === null || line < to));
    expect(stretches).toHaveLength(Math.min(standing.length, 1));
  }
});

test('of many those about the line are shown', () => {
  const many = Array.from({ length: 100 }, (_, i) => ({ node: 0, from: 2 * i, to: 2 * i + 1 }));
  expect(aroundLine(many, 100, 10).map(({ from }) => from)).toEqual([90, 92, 94, 96, 98, 100, 102, 104, 106, 108]);
  expect(aroundLine(many, 0, 10)[0]!.from).toBe(0);
  expect(aroundLine(many, 1000, 10).at(-1)!.from).toBe(198);
  expect(aroundLine(many.slice(0, 3), 1000, 10)).toHaveLength(3);
});
