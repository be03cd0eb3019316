import { describe, expect, test } from 'vitest';
import { directoryTrace, readTrace } from '../page/testing/traces.js';
import { syntheticTrace } from '../../testing/synthetic-trace.js';
import { advance, isTimed, nextStop, playheadAt, progress, timeOfGesture, xOf } from './playback.js';
import { lanesIn, layOut, linesIn } from './spacetime.js';

const recording = readTrace(directoryTrace());

describe('the playhead', () => {
  test('passes every line once, whatever the size of the steps', () => {
    for (const by of [0.3, 1, 2.7, 100]) {
      const seen: number[] = [];
      for (let head = playheadAt(recording, 'time', -1), guard = 0; head.line < recording.end - 1 && guard < 1000; guard++) {
        const next = advance(recording, 'time', head, by);
        for (let line = head.line + 1; line <= next.line; line++) seen.push(line);
        expect(next.x).toBeGreaterThanOrEqual(head.x);
        head = next;
      }
      expect(seen).toEqual(Array.from({ length: recording.end }, (_, i) => i));
    }
  });

  test('stays at the ends', () => {
    expect(playheadAt(recording, 'time', 10_000).line).toBe(recording.end - 1);
    expect(playheadAt(recording, 'lines', -50)).toEqual({ line: -1, x: -1 });
    expect(advance(recording, 'lines', playheadAt(recording, 'lines', 10_000), 5).line).toBe(recording.end - 1);
  });

  test('steps by line and by delivery, both ways', () => {
    const delivery = nextStop(recording, 4, 'delivery', 1);
    expect(recording.kindOf(delivery)).toBe('deliver');
    expect(nextStop(recording, nextStop(recording, delivery, 'delivery', 1), 'delivery', -1)).toBe(delivery);
    expect(nextStop(recording, 0, 'line', -1)).toBe(-1);
    expect(nextStop(recording, 7, 'violation', 1)).toBe(7);
  });
});

describe('a message', () => {
  test('leaves at 0, arrives at 1 and is half way in between', () => {
    const message = recording.messages.get(2);
    const [from, to] = [xOf(recording, 'time', message.sent), xOf(recording, 'time', message.ended)];
    expect(to).toBeGreaterThan(from);
    expect([from, (from + to) / 2, to].map((x) => progress(recording, 'time', message, x))).toEqual([0, 0.5, 1]);
  });
});

describe('gestures', () => {
  /** Lines at these times. */
  const at = (...times: number[]) => {
    const [header] = directoryTrace().split('\n');
    const lines = times.map((time, index) => JSON.stringify({ index, at: time, kind: 'refused', clock: {} }));
    return readTrace(`${[header, ...lines].join('\n')}\n`);
  };
  const times = at(0, 0, 5, 5, 5, 100, 100.003, 200.123);
  const done = (line: number, x = times.at(Math.max(line, 0))) => timeOfGesture(times, 'time', { line, x });

  test('comes right after the last shown line, at the shown time', () => {
    expect(done(4)).toEqual({ at: 5.01, unseen: 0 });
    expect(done(1)).toEqual({ at: 0.01, unseen: 0 });
    expect(done(7)).toEqual({ at: 200.13, unseen: 0 });
    expect(timeOfGesture(times, 'lines', { line: 4, x: 4.5 })).toEqual({ at: 5.01, unseen: 0 });
  });

  test('between two lines comes at the time that is shown', () => {
    expect(done(4, 42.424242)).toEqual({ at: 42.42, unseen: 0 });
    expect(done(4, 5.0001)).toEqual({ at: 5.01, unseen: 0 });
  });

  test('keeps its place between lines with closer times', () => {
    expect(done(5).at).toBeGreaterThan(100);
    expect(done(5).at).toBeLessThan(100.003);
    for (let line = -1; line < times.end; line++)
      for (const x of [times.at(Math.max(line, 0)), times.at(Math.max(line, 0)) + 0.0015]) {
        const last = times.lastLineAt(line < 0 ? 0 : times.at(line));
        expect(times.lastLineAt(done(line, x).at)).toBe(last);
      }
  });

  test('comes after all lines of one time, with the number of hidden ones', () => {
    expect([2, 3, 4].map((line) => done(line))).toEqual([2, 1, 0].map((unseen) => ({ at: 5.01, unseen })));
    expect(done(-1)).toEqual({ at: 0.01, unseen: 2 });
  });
});

describe('jumps to violations', () => {
  const violated = '{"index":9,"at":9,"kind":"violated","why":"p: says","clock":{}}\n';
  const [head = '', ...lines] = directoryTrace().trimEnd().split('\n');
  const withTwo = readTrace(
    `${[head, ...lines.slice(0, 9)].join('\n')}\n${violated}${lines.slice(9, 12).join('\n')}\n${violated}`,
  );

  test('forward and back', () => {
    expect(withTwo.violations).toEqual([9, 13]);
    expect(nextStop(withTwo, -1, 'violation', 1)).toBe(9);
    expect(nextStop(withTwo, 9, 'violation', 1)).toBe(13);
    expect(nextStop(withTwo, 13, 'violation', -1)).toBe(9);
  });
});

describe('a trace without time', () => {
  const still = readTrace(directoryTrace().replaceAll(/"at":\d+,"kind"/g, '"at":0,"kind"'));

  test('is played by lines', () => {
    expect(isTimed(recording)).toBe(true);
    expect(isTimed(still)).toBe(false);
  });
});

describe('the space-time diagram', () => {
  const lane = (node: number) => node;

  test('shows every step of the window and every message that is on its way in it', () => {
    const window = { from: 3, to: 6 };
    const { dots, arrows } = layOut(recording, 'time', window, lane);
    const inside = Array.from({ length: recording.end }, (_, line) => line).filter(
      (line) => recording.at(line) >= 3 && recording.at(line) <= 6,
    );
    expect(dots.map(({ line }) => line)).toEqual(inside);
    const crossing = Array.from({ length: recording.messages.end }, (_, i) => recording.messages.get(i)).filter(
      ({ sent, ended }) => sent <= inside.at(-1)! && ended >= inside[0]!,
    );
    expect(arrows.map(({ message }) => message.ordinal)).toEqual(crossing.map(({ ordinal }) => ordinal));
  });

  test('finds the lines of a window on both axes', () => {
    expect(linesIn(recording, 'lines', { from: 2.5, to: 4 })).toEqual([3, 5]);
    expect(linesIn(recording, 'time', { from: -5, to: -1 })).toEqual([0, 0]);
  });

  test('of a large network keeps to the nodes that act', () => {
    const large = readTrace([...syntheticTrace({ rows: 10, columns: 10, lines: 500, flights: 5 })].join(''));
    const window = { from: 100, to: 110 };
    const lanes = lanesIn(large, 'lines', window, [99], 24);
    expect(lanes.length).toBeLessThan(40);
    expect(lanes).toContain(99);
    for (let line = 100; line <= 110; line++) expect(lanes).toContain(large.nodeOf(line));
    expect(lanesIn(recording, 'lines', window, [], 24)).toEqual([0, 1, 2, 3, 4]);
  });

  test('has no lane for an actor that ended before, unless it is always shown', () => {
    const header = { quiver: 1, protocol: 'programs', scenario: null, seed: 0, nodes: [], links: [], charts: {}, properties: [] };
    const line = { at: 0, sent: [], emitted: [], roles: {}, clock: {}, program: 'shop' };
    const lines = [
      { ...line, kind: 'start', node: 'shop/load', event: { type: 'start' } },
      { ...line, kind: 'start', node: 'shop/app', event: { type: 'start' } },
      { ...line, kind: 'crash', node: 'shop/load', event: { type: 'ended' } },
      ...[3, 4, 5].map(() => ({ ...line, kind: 'command', node: 'shop/app', event: { type: 'GO' } })),
    ].map((each, index) => ({ ...each, index }));
    const ended = readTrace([header, ...lines].map((each) => JSON.stringify(each)).join('\n'));
    expect(lanesIn(ended, 'lines', { from: 0, to: 2 }, [], 24)).toEqual([0, 1]);
    expect(lanesIn(ended, 'lines', { from: 3, to: 5 }, [], 24)).toEqual([1]);
    expect(lanesIn(ended, 'lines', { from: 3, to: 5 }, [0], 24)).toEqual([0, 1]);
  });
});

describe('the plots', () => {
  test('count sent messages, and thin out without losing the end', () => {
    const long = readTrace([...syntheticTrace({ rows: 3, columns: 3, lines: 10_000, flights: 4 })].join(''));
    const rows = long.tally.rows();
    expect(rows.length).toBeLessThan(2049);
    expect(rows.at(-1)!.line).toBe(9999);
    expect(rows.at(-1)!.sent.reduce((a, b) => a + b, 0)).toBe(10_000);
    for (const { sent, line, inState } of rows) {
      expect(sent.reduce((a, b) => a + b, 0)).toBe(line + 1);
      expect(inState.reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(9);
    }
  });
});
