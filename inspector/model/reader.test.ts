import { describe, expect, test } from 'vitest';
import { directoryTrace, readTrace } from '../page/testing/traces.js';
import { syntheticTrace } from '../../testing/synthetic-trace.js';
import { Moment } from './moment.js';
import { ReadTrace } from './recording.js';
import { sentence } from './words.js';

const whole = directoryTrace();
const [header = '', first = ''] = whole.split('\n');

describe('an invalid trace is rejected with the reason in one line', () => {
  test.each([
    ['', 'The trace is empty.'],
    ['\n\n', 'The trace is empty.'],
    ['\x89PNG\r\n\x1a\n', 'This is not a Quiver trace: the line is not JSON.'],
    ['[1, 2, 3]', 'This is not a Quiver trace: its first line is not the header {"quiver": …}.'],
    ['{"protocol":"directory"}', 'This is not a Quiver trace: its first line is not the header {"quiver": …}.'],
    [
      header.replace('"quiver":1', '"quiver":3'),
      'This is not a Quiver trace: it is of version 3 and this inspector reads version 1; open it with the xstate-quiver that wrote it.',
    ],
    [
      header.replace('"nodes":[', '"nodes":[7,'),
      'This is not a Quiver trace: the "nodes" of its header are not a list of names.',
    ],
    [
      header.replace('"links":[', '"links":["n0",'),
      'This is not a Quiver trace: the "links" of its header are not a list of [node, node, weight].',
    ],
    [header.replace('"charts":', '"charters":'), 'This is not a Quiver trace: its header has no "charts".'],
  ])('%#', (text, why) => {
    expect(readTrace(text).problem).toBe(why);
  });

  test('a header of more nodes than the page can show', () => {
    const nodes = JSON.stringify(Array.from({ length: 20_001 }, (_, i) => `n${i}`));
    const text = header.replace(/"nodes":\[[^\]]*\]/, `"nodes":${nodes}`);
    expect(readTrace(text).problem).toBe('This is not a Quiver trace: it has 20001 nodes and the page shows at most 20000.');
  });

  test('a line that never ends', () => {
    const recording = new ReadTrace();
    for (let i = 0; i < 20; i++) recording.push('x'.repeat(1_000_000));
    expect(recording.problem).toBe('This is not a Quiver trace: line 1 does not end within 16000000 characters.');
  });
});

describe('the part before an error is shown', () => {
  const stopped = (line: string): ReadTrace => readTrace(`${header}\n${first}\n${line}\n${first}\n`);

  test('a trace that was cut off in the middle of a line', () => {
    const recording = readTrace(whole.slice(0, -20));
    expect(recording.problem).toBe(
      `The trace ends in the middle of line ${whole.split('\n').length - 1}: it was cut off. Shown is everything before.`,
    );
    expect(recording.end).toBe(readTrace(whole).end - 1);
  });

  test('a whole last line needs no line break', () => {
    const recording = readTrace(whole.trimEnd());
    expect(recording.problem).toBeNull();
    expect(recording.end).toBe(readTrace(whole).end);
  });

  test.each([
    ['{"half', 'the line is not JSON'],
    ['{"at":"noon","kind":"deliver","clock":{}}', 'it has no "at" or no "kind"'],
    ['{"at":1,"kind":"lost"}', 'it has no vector "clock"'],
  ])('%s', (line, why) => {
    const recording = stopped(line);
    expect(recording.problem).toBe(`Reading stopped at line 3: ${why}. Shown is everything before.`);
    expect(recording.end).toBe(1);
  });
});

describe('a line that cannot be shown is marked, and the rest is shown', () => {
  const roles = (value: string) => first.replace(/"value":("[^"]*"|\{[^}]*\})/, `"value":${value}`);
  const NO_ROLES = '"roles" is not a record of roles with chart, value and context';
  const deep = (levels: number) => `{"r":{"chart":"c","value":"a","context":${'['.repeat(levels)}${']'.repeat(levels)}}}`;

  test.each([
    ['{"at":1,"kind":"channel","clock":{},"between":["n0"]}', '"between" is not a pair of nodes'],
    ['{"at":1,"kind":"violated","clock":{},"refutes":{"property":"p","nodes":"n0"}}', '"refutes" does not name a property'],
    ['{"at":1,"kind":"verdict","clock":{},"properties":7}', 'its "properties" have no names'],
    [first.replace('"node":"n0"', '"node":0'), '"node" is not a name'],
    [first.replace('"event":{"type":"start"}', '"event":{}'), 'its "event" has no type'],
    [first.replace('"sent":[]', '"sent":[{"id":1}]'), '"sent" is not a list of messages with id, to and message'],
    [first.replace('"emitted":[]', '"emitted":7'), '"emitted" is not a list of events'],
    [first.replace(/"roles":\{"directory":/, '"roles":{"x":7,"directory":'), NO_ROLES],
    [roles('{"a":null}'), NO_ROLES],
    [roles('3'), NO_ROLES],
    [first.replace('"refused":[]', '"refused":[["r"]]'), '"taken" and "refused" are not lists of transitions'],
    [first.replace('"clock"', '"overlay":{"edges":[null]},"clock"'), '"overlay" is not a record of marks'],
    [first.replace(/"roles":\{.*?\}\}\}/, `"roles":${deep(6000)}`), 'it is nested more than 1000 levels deep'],
  ])('%#', (line, why) => {
    expect(line).not.toBe(first);
    const recording = readTrace(`${header}\n${first}\n${line}\n${first}\n`);
    expect(recording.problem).toBeNull();
    expect(recording.end).toBe(3);
    expect(sentence(recording.line(1))).toBe(`left out: this line cannot be shown, for ${why}`);
    expect(readTrace(recording.text()).line(1)).toEqual(recording.line(1));
    expect(new Moment(recording, 2).roles(0)).toHaveLength(1);
  });

  test('a line with the same words is a gap; a line marked as not shown is accepted', () => {
    const skipped = (more: object) => JSON.stringify({ index: 1, at: 1, kind: 'skipped', clock: {}, ...more });
    const gap = readTrace(`${header}\n${first}\n${skipped({ why: 'this line cannot be shown, for fun' })}\n`);
    expect([gap.gaps, gap.unshown]).toEqual([[1], []]);
    const saved = readTrace(`${header}\n${first}\n${skipped({ unshown: 'it has no type' })}\n`);
    expect([saved.gaps, saved.unshown]).toEqual([[], [{ line: 1, why: 'it has no type' }]]);
    const wrong = readTrace(`${header}\n${first}\n${skipped({ unshown: 7 })}\n`);
    expect(wrong.unshown).toEqual([{ line: 1, why: '"unshown" is not a text' }]);
  });

  test('a deep value that can be shown is shown', () => {
    const recording = readTrace(`${header}\n${first.replace(/"roles":\{.*?\}\}\}/, `"roles":${deep(900)}`)}\n`);
    expect(recording.step(0)!.roles).toHaveProperty('r');
  });
});

describe('memory is bounded', () => {
  const size = { rows: 3, columns: 4, lines: 2000, flights: 6 };
  const text = [...syntheticTrace(size)].join('');
  const all = readTrace(text);
  const bounded = readTrace(text, { lines: 500, characters: 1e9 });

  test('the oldest lines are forgotten', () => {
    expect(bounded.end).toBe(2000);
    expect(bounded.end - bounded.first).toBeLessThanOrEqual(500);
    expect(bounded.first).toBeGreaterThan(1000);
    expect(() => bounded.line(bounded.first - 200)).toThrow(RangeError);
    expect(readTrace(text, { lines: 1e9, characters: 100_000 }).first).toBeGreaterThan(1000);
  });

  test('and how everything stood is still known', () => {
    for (const line of [bounded.first, bounded.first + 100, 1999]) {
      const [kept, full] = [new Moment(bounded, line), new Moment(all, line)];
      for (let node = 0; node < 12; node++) {
        const states = (moment: Moment) => moment.roles(node).map(({ role, view }) => ({ role, view }));
        expect(states(kept)).toEqual(states(full));
        expect(kept.overlay(node)).toEqual(full.overlay(node));
      }
      const sentAfter = (moment: Moment) =>
        moment
          .flights()
          .filter(({ sent }) => sent >= bounded.first)
          .map(({ id }) => id);
      expect(sentAfter(kept)).toEqual(sentAfter(full));
    }
    expect(new Moment(bounded, 1999).flights()).toHaveLength(size.flights);
  });
});
