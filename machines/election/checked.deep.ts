/**
 * The larger systems of the specification's section 13, every interleaving, each count as an independent implementation has it.
 *
 * One count differs: four nodes with two changes have 7,888,748 states here and 8,803,712 in the specification, with the same 10,716
 * ends; all smaller systems agree, and why this one does not is not known.
 *
 * Every test says how long it took and the most memory that the process has held since it began.
 */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { everyInstance } from '../../experiments/election/instances.js';

let startedAt = 0;
beforeEach(() => {
  startedAt = performance.now();
});
afterEach(({ task }) => {
  const seconds = Math.round((performance.now() - startedAt) / 1000);
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(`${task.name}: ${seconds} s, process at most ${megabytes} MB`);
});

describe('perfect clocks, without hello', () => {
  test.each([
    { n: 4, changes: 1, instances: 912, states: 13_428, terminal: 1680 },
    { n: 3, changes: 3, instances: 120, states: 590_970, terminal: 807 },
    { n: 4, changes: 2, instances: 3192, states: 7_888_748, terminal: 10_716 },
  ])('$n nodes, $changes changes: $states states', ({ n, changes, ...counts }) => {
    expect(everyInstance(n, changes, { hello: false })).toEqual({ ...counts, refuted: [] });
  });
});

describe('logical clocks, without hello', () => {
  test('4 nodes, 1 change: 21,192 states', () => {
    const counts = { instances: 912, states: 21_192, terminal: 1860, refuted: [] };
    expect(everyInstance(4, 1, { hello: false, clock: 'logical' })).toEqual(counts);
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
