/**
 * The middle-sized systems of the specification's section 13, every interleaving, each count as an independent implementation has it.
 * The largest are in checked-largest.deep.ts.
 */
import { describe, expect, test } from 'vitest';
import { everyInstance } from './instances.js';
import { lossesAfterOneChange } from './theorem2.js';

describe('perfect clocks, without hello', () => {
  test.each([
    { n: 4, changes: 1, instances: 912, states: 13_428, terminal: 1680 },
    { n: 3, changes: 3, instances: 120, states: 590_970, terminal: 807 },
  ])('$n nodes, $changes changes: $states states', ({ n, changes, ...counts }) => {
    expect(everyInstance(n, changes, { hello: false })).toEqual({ ...counts, refuted: [] });
  });
});

describe('logical clocks, without hello', () => {
  test.each([
    { n: 3, changes: 2, instances: 72, states: 38_469, terminal: 2061 },
    { n: 4, changes: 1, instances: 912, states: 21_192, terminal: 1860 },
  ])('$n nodes, $changes changes: $states states', ({ n, changes, ...counts }) => {
    expect(everyInstance(n, changes, { hello: false, clock: 'logical' })).toEqual({ ...counts, refuted: [] });
  });
});

describe('presence tables, perfect clocks, with hello', () => {
  test.each([
    { n: 3, changes: 2, radii: [1], instances: 72, states: 57_752, terminal: 190 },
    { n: 3, changes: 2, radii: [1, 2], instances: 72, states: 79_820, terminal: 192 },
    { n: 4, changes: 1, radii: [1], instances: 912, states: 186_527, terminal: 1008 },
  ])('$n nodes, $changes changes, radii $radii: $states states', ({ n, changes, radii, ...counts }) => {
    expect(everyInstance(n, changes, { radii })).toEqual({ ...counts, refuted: [] });
  });
});

describe('Theorem 2: in four nodes at rest after one change, one link is lost', () => {
  test('without hello, 528 of 3,060 losses can cause a needless election (erratum 19)', () => {
    expect(lossesAfterOneChange(4, { hello: false })).toEqual({ losses: 3060, needless: 528 });
  });

  test('with hello none of them can', () => {
    expect(lossesAfterOneChange(4, { hello: true })).toEqual({ losses: 3060, needless: 0 });
  });
});
