/**
 * All runs of small systems: all connected graphs, leaders and link changes, with separate notifications of each end, and all
 * interleavings.
 *
 * The counts agree with an independent implementation of the specification (its section 13). Larger systems: checked.deep.ts.
 */
import { describe, expect, test } from 'vitest';
import { everyInstance } from './instances.js';

describe('perfect clocks, without hello', () => {
  test.each([
    { n: 2, changes: 1, instances: 2, states: 10, terminal: 4 },
    { n: 2, changes: 2, instances: 2, states: 90, terminal: 4 },
    { n: 2, changes: 3, instances: 2, states: 162, terminal: 4 },
    { n: 3, changes: 1, instances: 36, states: 297, terminal: 60 },
    { n: 3, changes: 2, instances: 72, states: 12_198, terminal: 195 },
  ])('$n nodes, $changes changes: $states states', ({ n, changes, ...counts }) => {
    expect(everyInstance(n, changes, { hello: false })).toEqual({ ...counts, refuted: [] });
  });
});

describe('logical clocks, without hello', () => {
  test.each([
    { n: 2, changes: 2, instances: 2, states: 80, terminal: 10 },
    { n: 2, changes: 3, instances: 2, states: 324, terminal: 74 },
    { n: 3, changes: 1, instances: 36, states: 279, terminal: 54 },
  ])('$n nodes, $changes changes: $states states', ({ n, changes, ...counts }) => {
    expect(everyInstance(n, changes, { hello: false, clock: 'logical' })).toEqual({ ...counts, refuted: [] });
  });
});
