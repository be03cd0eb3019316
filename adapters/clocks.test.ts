/** What is remembered of the clocks of peers that are heard and not linked. */
import { expect, test } from 'vitest';
import { Clocks, firstSession } from './clocks.js';

const DAY = 86_400_000;
const noon = Date.parse('2026-03-01T12:00:00Z');

function heardIn(options: { readonly relay?: boolean; readonly missed?: readonly string[] } = {}) {
  const { relay = true, missed = ['c'] } = options;
  const clock = { ms: noon, now: () => clock.ms };
  const clocks = new Clocks({ clock, silenceMs: 1_000, relay, isMissed: (peer) => missed.includes(peer) });
  const frame = { type: 'frame', session: firstSession(noon + 2 * DAY) };
  return { clock, clocks, frame };
}
const passedOn = (message: object) => ({ v: 1, name: 'link/3', message: { type: 'relayed', origin: 'c', message } }) as never;
const direct = (message: object) => ({ v: 1, name: 'link/3', message }) as never;

test('what another one passes on is told as its word, and the peer’s own as that', () => {
  const { clocks, frame } = heardIn();
  clocks.hear('b', passedOn(frame));
  expect(clocks.reasonOf('c')).toMatch(/^heard by way of b and refused/);
  expect(clocks.reasonOf('b')).toBeNull();
  clocks.hear('c', direct(frame));
  expect(clocks.reasonOf('c')).toMatch(/^heard and refused/);
});

test('where nobody passes on, nothing that is passed on counts', () => {
  const { clocks, frame } = heardIn({ relay: false });
  clocks.hear('b', passedOn(frame));
  expect(clocks.reasonOf('c')).toBeNull();
});

test('of whom this peer does not wait for nothing is kept', () => {
  const { clocks, frame } = heardIn({ missed: ['d'] });
  clocks.hear('b', passedOn(frame));
  clocks.hear('c', direct(frame));
  expect(clocks.reasonOf('c')).toBeNull();
});

test('who is heard no more is not called refused', () => {
  const { clock, clocks, frame } = heardIn();
  clocks.hear('b', passedOn(frame));
  clock.ms += 1_000;
  expect(clocks.reasonOf('c')).not.toBeNull();
  clock.ms += 1;
  expect(clocks.reasonOf('c')).toBeNull();
});

test.each([
  ['no text', 5],
  ['a text', 'c'],
  ['a word that says no session', { v: 1, message: { type: 'relayed', origin: 7 } }],
])('what is no frame is passed over: %s', (_, said) => {
  const { clocks } = heardIn();
  clocks.hear('b', said as never);
  expect([clocks.reasonOf('b'), clocks.reasonOf('c')]).toEqual([null, null]);
});
