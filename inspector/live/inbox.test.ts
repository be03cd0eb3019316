/** The times at which reports are shown, with any clocks, and the end of silent programs. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { Inbox } from './inbox.js';
import { now, type StepReport } from './report.js';

const HOUR_MS = 3_600_000;
const report = (at: number, node = 'n', type = 'go'): StepReport => ({
  at,
  node,
  kind: 'command',
  event: { type },
  sent: [],
  emitted: [],
  roles: {},
});

let inbox: Inbox;
const notified: string[] = [];
beforeEach(() => {
  vi.useFakeTimers();
  notified.length = 0;
  inbox = new Inbox({
    isReadyFor: () => true,
    take: (one, program) => void notified.push(`${program}: ${one.node} ${'event' in one ? one.event.type : ''}`),
    gone: (node) => void notified.push(`${node} is gone`),
    lookAround: () => {},
  });
});
afterEach(() => {
  inbox.close();
  vi.useRealTimers();
});

test('a silent program is gone after three seconds, whatever its last report', () => {
  inbox.putAll({ program: { name: 'p', run: '1' }, reports: [report(now())], isLast: true });
  vi.advanceTimersByTime(2900);
  expect(notified).toEqual(['p: n go']);
  vi.advanceTimersByTime(300);
  expect(notified).toEqual(['p: n go', 'n is gone']);
});

test('a program that was gone reports its state before it continues', () => {
  const batch = (type: string, number: number) => ({
    program: { name: 'p', run: '1' },
    sender: 's',
    reports: [report(now(), 'n', type)],
    number,
  });
  expect(inbox.putAll(batch('go', 1))).toBe(true);
  vi.advanceTimersByTime(4000);
  // A repeated batch is known.
  expect(inbox.putAll(batch('go', 1))).toBe(true);
  expect(inbox.putAll(batch('again', 2))).toBe(false);
  expect(inbox.putAll(batch('stands', 1))).toBe(true);
  expect(inbox.putAll(batch('again', 2))).toBe(true);
  vi.advanceTimersByTime(500);
  expect(notified).toEqual(['p: n go', 'n is gone', 'p: n stands', 'p: n again']);
});

test('time in which the inspector was busy does not count as silence of programs', () => {
  inbox.putAll({ program: { name: 'p', run: '1' }, reports: [report(now())] });
  vi.advanceTimersByTime(500);
  // Time passes and no timer runs.
  vi.setSystemTime(Date.now() + 10_000);
  const { now: clock } = performance;
  const jump = vi.spyOn(performance, 'now').mockImplementation(() => clock.call(performance) + 10_000);
  vi.advanceTimersByTime(1000);
  expect(notified).toEqual(['p: n go']);
  vi.advanceTimersByTime(3000);
  expect(notified).toEqual(['p: n go', 'n is gone']);
  jump.mockRestore();
});

test('a connected program may be silent, is gone after leaving, and may return if lost', () => {
  const program = { name: 'p', run: '1' };
  inbox.putAll({ program, reports: [report(now())] }, Infinity);
  vi.advanceTimersByTime(60_000);
  expect(notified).toEqual(['p: n go']);
  inbox.leave(program, true);
  vi.advanceTimersByTime(2000);
  inbox.putAll({ program, reports: [report(now(), 'n', 'again')] }, Infinity);
  inbox.leave(program, false);
  expect(notified).toEqual(['p: n go', 'p: n again', 'n is gone']);
});

test('a clock an hour ahead: steps are shown on arrival, in order, with one note', () => {
  const program = { name: 'ahead', run: '1' };
  const ahead = now() + HOUR_MS;
  inbox.putAll({ program, reports: [report(ahead, 'n', 'one'), report(ahead + 1, 'n', 'two')] });
  inbox.putAll({ program: { name: 'p', run: '1' }, reports: [report(now(), 'm')] });
  vi.advanceTimersByTime(500);
  inbox.putAll({ program, reports: [report(now() + HOUR_MS, 'n', 'three')] });
  vi.advanceTimersByTime(500);
  const note = 'ahead: n has a clock that is ahead of this one: its steps are shown at the time of their arrival';
  expect(notified).toEqual(['ahead: n one', 'ahead: n two', note, 'p: m go', 'ahead: n three']);
});

test('an impossible time does not delay later reports', () => {
  const program = { name: 'p', run: '1' };
  inbox.putAll({ program, reports: [report(1e300, 'n', 'one')] });
  vi.advanceTimersByTime(500);
  inbox.putAll({ program, reports: [report(now(), 'n', 'two')] });
  vi.advanceTimersByTime(500);
  expect(notified.filter((line) => !line.includes('clock'))).toEqual(['p: n one', 'p: n two']);
});
