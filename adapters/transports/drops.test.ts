/** Drops are always counted, and reported on the console at most every ten seconds. */
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { Backlog, BACKLOG_BYTES_MAX } from './backlog.js';
import { Drops } from './drops.js';

let warnings: string[];
const clock = { time: 0, now: () => clock.time };

beforeEach(() => {
  warnings = [];
  clock.time = 0;
  const warn = vi.spyOn(console, 'warn').mockImplementation((text: string) => void warnings.push(text));
  onTestFinished(() => warn.mockRestore());
});

test('the first is reported at once, those of the next ten seconds with the one after', () => {
  const drops = new Drops('node "a"', clock);
  drops.drop('late');
  for (clock.time = 1; clock.time < 10_000; clock.time += 3_333) drops.drop('later');
  expect([drops.count, warnings.splice(0)]).toEqual([4, ['node "a" dropped a message: late']]);
  clock.time = 10_000;
  drops.drop('last');
  expect(warnings.splice(0)).toEqual(['node "a" dropped a message: last (and 3 more since the last warning)']);
  clock.time = 20_000;
  drops.drop('again');
  expect([drops.count, warnings]).toEqual([6, ['node "a" dropped a message: again']]);
});

test('names a different action if given, and escapes control characters', () => {
  new Drops('hub', clock, 'refused a connection').drop('\u001B[2J');
  expect(warnings).toEqual(['hub refused a connection: \\u{1b}[2J']);
});

test('a backlog accepts data within its limit, and more after confirmation', () => {
  const backlog = new Backlog('a', clock);
  const half = 'x'.repeat(BACKLOG_BYTES_MAX / 2);
  expect([backlog.takes(half), backlog.takes(half), backlog.takes('x')]).toEqual([true, true, false]);
  expect(warnings).toEqual([
    'transport "a" dropped a message: the broker has not confirmed 16777216 characters that it was sent',
  ]);
  backlog.confirmed(2);
  expect([backlog.takes('xxx'), backlog.takes('xx'), backlog.takes('x')]).toEqual([false, true, false]);
});
