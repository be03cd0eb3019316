import { describe, expect, test } from 'vitest';
import { Random } from '../../network/random.js';
import { Zone } from './zone.js';

/** The timers that can fire next. Each number in a separate list is armed in a separate step. */
function next(steps: readonly (readonly number[])[]): number[] {
  const zone = new Zone();
  for (const delays of steps) {
    for (const delay of delays) zone.arm(delay);
    zone.elapse();
  }
  return steps.flat().flatMap((_, i) => (zone.canFire(i) ? [i] : []));
}

describe('which timer is next', () => {
  test('of two that were armed together the shorter one', () => {
    expect(next([[500, 300]])).toEqual([1]);
  });

  test('of two equal ones that were armed together the first', () => {
    expect(next([[300, 300]])).toEqual([0]);
  });

  test('either, where time may have passed between', () => {
    expect(next([[500], [300]])).toEqual([0, 1]);
  });

  test('the earlier one, where it is as short: no time between makes it later', () => {
    expect(next([[300], [300]])).toEqual([0]);
    expect(next([[300], [500]])).toEqual([0]);
  });

  test('a fired timer shows how much time has passed', () => {
    const zone = new Zone();
    zone.arm(1000);
    zone.arm(400);
    zone.elapse();
    zone.fire(1);
    // 600 are left of the first; a new one of 700 is later, one of 500 sooner.
    zone.arm(700);
    zone.arm(500);
    zone.elapse();
    expect([0, 1, 2].filter((i) => zone.canFire(i))).toEqual([2]);
  });

  test('a canceled timer does not delay others', () => {
    const zone = new Zone();
    zone.arm(100);
    zone.arm(300);
    zone.elapse();
    zone.remove(0);
    zone.elapse();
    expect(zone.canFire(0)).toBe(true);
  });
});

/** A dumb oracle: times between steps drawn at random show which orders there are. */
test('every order that some timing shows can happen, and no other is ever shown', () => {
  const random = new Random(1, 'zone');
  for (let round = 0; round < 30; round++) {
    const steps = Array.from({ length: 1 + random.below(3) }, () =>
      Array.from({ length: 1 + random.below(2) }, () => 1 + random.below(4)),
    );
    const shown = new Set<number>();
    for (let trial = 0; trial < 4000; trial++) {
      const armed: number[] = [];
      let now = 0;
      for (const [i, delays] of steps.entries()) {
        // Quarters: fine enough for every order of whole delays.
        if (i > 0) now += random.below(18) / 4;
        for (const delay of delays) armed.push(now + delay);
      }
      // A timing that lets a timer go off before the last step is another path.
      const first = Math.min(...armed);
      if (first >= now) shown.add(armed.indexOf(first));
    }
    expect({ steps, next: [...shown].sort((a, b) => a - b) }).toEqual({ steps, next: next(steps) });
  }
});
