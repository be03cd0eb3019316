/** Clocks of peers whose frames arrive but that are not linked. */
import { expect, test } from 'vitest';
import { Clocks, firstSession, lastSession } from './clocks.js';

const DAY = 86_400_000;
const noon = Date.parse('2026-03-01T12:00:00Z');

function receivedIn(options: { readonly relay?: boolean; readonly missed?: readonly string[] } = {}) {
  const { relay = true, missed = ['c'] } = options;
  const clock = { ms: noon, now: () => clock.ms };
  const clocks = new Clocks({ clock, silenceMs: 1_000, relay, isMissed: (peer) => missed.includes(peer) });
  const frame = { type: 'frame', session: firstSession(noon + 2 * DAY) };
  return { clock, clocks, frame };
}
const passedOn = (message: object) => ({ v: 1, name: 'link/1', message: { type: 'relayed', origin: 'c', message } }) as never;
const direct = (message: object) => ({ v: 1, name: 'link/1', message }) as never;

test('relayed frames are reported with their relay, direct ones without', () => {
  const { clocks, frame } = receivedIn();
  clocks.take('b', passedOn(frame));
  expect(clocks.reasonOf('c')).toMatch(/^connected through b, but refused/);
  expect(clocks.reasonOf('b')).toBeNull();
  clocks.take('c', direct(frame));
  expect(clocks.reasonOf('c')).toMatch(/^connected, but refused/);
});

test('without relaying, relayed frames do not count', () => {
  const { clocks, frame } = receivedIn({ relay: false });
  clocks.take('b', passedOn(frame));
  expect(clocks.reasonOf('c')).toBeNull();
});

test('frames of peers that this one does not wait for are not recorded', () => {
  const { clocks, frame } = receivedIn({ missed: ['d'] });
  clocks.take('b', passedOn(frame));
  clocks.take('c', direct(frame));
  expect(clocks.reasonOf('c')).toBeNull();
});

test('the report ends when the frames of the peer stop', () => {
  const { clock, clocks, frame } = receivedIn();
  clocks.take('b', passedOn(frame));
  clock.ms += 1_000;
  expect(clocks.reasonOf('c')).not.toBeNull();
  clock.ms += 1;
  expect(clocks.reasonOf('c')).toBeNull();
});

test.each([
  ['a number', 5],
  ['a text', 'c'],
  ['a frame without a session', { v: 1, message: { type: 'relayed', origin: 7 } }],
])('an invalid frame is ignored: %s', (_, reported) => {
  const { clocks } = receivedIn();
  clocks.take('b', reported as never);
  expect([clocks.reasonOf('b'), clocks.reasonOf('c')]).toEqual([null, null]);
});

test('sessions are numbered by the clock, a thousand per ms, a day ahead at most', () => {
  expect([firstSession(1.7), lastSession(1)]).toEqual([1_000, 86_400_001_000]);
});

test('a clock more than a day ahead is reported with both times, a day ahead is not', () => {
  const { clocks, frame } = receivedIn();
  clocks.take('c', direct(frame));
  expect(clocks.reasonOf('c')).toBe(
    'connected, but refused because its clock is more than a day ahead: it started at 2026-03-03 12:00:00 UTC by its clock, and here it is 2026-03-01 12:00:00 UTC. Correct both clocks',
  );
  clocks.take('c', direct({ type: 'frame', session: firstSession(noon + DAY) }));
  expect(clocks.reasonOf('c')).toBeNull();
  clocks.take('c', direct({ type: 'frame', session: firstSession(noon + DAY + 1) }));
  expect(clocks.reasonOf('c')).not.toBeNull();
});

test('a start more than a day earlier is a long run or a clock that is behind', () => {
  const { clock, clocks } = receivedIn();
  clocks.take('b', passedOn({ type: 'frame', session: firstSession(noon - DAY - 1) }));
  expect(clocks.reasonOf('c')).toBe(
    'connected through b, but does not answer: it started at 2026-02-28 11:59:59 UTC by its clock, and this peer at 2026-03-01 12:00:00 UTC by its own. ' +
      'Correct both clocks, unless it ran that long',
  );
  clocks.take('b', passedOn({ type: 'frame', session: firstSession(noon - DAY) }));
  expect(clocks.reasonOf('c')).toBeNull();
  clock.ms += 500;
  clocks.take('c', direct({ type: 'frame', session: 0 }));
  expect(clocks.reasonOf('c')).toContain('it started at 1970-01-01 00:00:00 UTC');
});

test('a linked peer is forgotten, and an invalid session changes nothing', () => {
  const { clocks, frame } = receivedIn();
  clocks.take('c', direct(frame));
  for (const session of [-1, 0.5, 'x', undefined]) clocks.take('c', direct({ type: 'frame', session }));
  clocks.take('c', { v: 1, message: 'x' } as never);
  expect(clocks.reasonOf('c')).toMatch(/^connected, but refused/);
  clocks.forget('c');
  expect(clocks.reasonOf('c')).toBeNull();
});
