/** Version 4's interpreter as a second opinion: the same charts, the same 20,000 random events, the same states and effects. */
import { describe, expect, test } from 'vitest';
import { refused, rendered } from './charts.js';
import { compare } from './walk.js';

const EVENTS = 20_000;

test('what cannot be rendered is named with the reason', () => {
  expect(refused).toEqual({ epochs: 'enqueueActions decides while it runs what to do' });
});

describe('the same on either', () => {
  const share = Math.ceil(EVENTS / rendered.length);
  let total = 0;

  test.each(rendered)('$name', (one) => {
    total += compare(one, share);
  });

  test(`${EVENTS} in all`, () => {
    expect(total).toBeGreaterThanOrEqual(EVENTS);
  });
});
