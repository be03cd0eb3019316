/** Sources of time and randomness, and uniform draws. */
import { asyncScheduler } from 'rxjs';
import { expect, test } from 'vitest';
import { VirtualClock } from '../network/clock.js';
import { drawBelow, environmentOf, fraction, type Randomness } from './environment.js';
import { limitsHere } from './limits.js';
import { lockLimitsHere } from './locks/limits.js';
import { withSmallLimits } from './small-limits.fixture.js';

/** Chance that draws these words. */
const drawing = (...words: number[]): Randomness & { readonly left: number[] } =>
  ({
    left: words,
    getRandomValues: (array: Uint32Array) => {
      expect(array).toHaveLength(1);
      array[0] = words.shift()!;
      return array;
    },
  }) as never;

test("the given sources are used, and the platform's for the others", () => {
  const clock = new VirtualClock();
  const crypto = drawing();
  expect(environmentOf({})).toEqual({ clock: asyncScheduler, crypto: globalThis.crypto });
  expect(environmentOf({ clock, crypto })).toEqual({ clock, crypto });
});

test('a draw is the remainder of a word, and biased words are drawn again', () => {
  expect(drawBelow(drawing(0), 6)).toBe(0);
  expect(drawBelow(drawing(10), 6)).toBe(4);
  const fair = 2 ** 32 - (2 ** 32 % 6);
  expect(drawBelow(drawing(fair - 1), 6)).toBe(5);
  const again = drawing(fair, 2 ** 32 - 1, 8);
  expect([drawBelow(again, 6), again.left]).toEqual([2, []]);
  expect(drawBelow(drawing(2 ** 32 - 1), 2 ** 32)).toBe(2 ** 32 - 1);
  expect(drawBelow(drawing(2 ** 32 - 1), 1)).toBe(0);
});

test('a fraction is at least 0 and below 1', () => {
  expect([0, 2 ** 31, 2 ** 32 - 1].map((word) => fraction(drawing(word)))).toEqual([0, 0.5, 1 - 2 ** -32]);
});

test('the release has the documented limits, and a rehearsal small ones', () => {
  const shipped = limitsHere();
  expect(shipped).toMatchObject({ window: 256, room: 10_000, roomSize: 2 ** 25, linkFrameBytes: 2 ** 20, names: 8 });
  expect(shipped.mail).toEqual({
    sender: { messages: 1_000, chars: 2 ** 22 },
    receiver: { messages: 10_000, chars: 2 ** 23 },
    all: { messages: 10_000, chars: 2 ** 26 },
  });
  const released: Readonly<Record<string, unknown>> = { ...shipped, ...lockLimitsHere() };
  withSmallLimits();
  expect(lockLimitsHere()).toBe(limitsHere());
  const small = Object.entries(limitsHere());
  expect(small.map(([name]) => name)).toEqual(Object.keys(released));
  for (const [name, value] of small)
    if (typeof value === 'number' && name !== 'counted') expect(value).toBeLessThan(released[name] as number);
  expect(limitsHere().mail.sender).toEqual({ messages: 20, chars: 2 ** 13 });
});
