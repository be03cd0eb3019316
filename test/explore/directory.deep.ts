/** The directory with five nodes: all rooted trees, every NewParent choice, unlimited requests, all invariants in every state. */
import { expect, test } from 'vitest';
import { directory } from '../../machines/directory/index.js';
import { everyStart } from './directory.fixtures.js';
import { longestDrain } from './drain.fixture.js';
import { explore } from './explore.js';

const megabytes = 8000;

test('n = 5 with release fused: 886,000 states', () => {
  const found = explore(directory, { ...everyStart(5, 0), bounds: { megabytes } });
  expect(found).toMatchObject({ verdict: 'valid', states: 886_000, transitions: 4_616_160, doomed: 0, vacuous: [] });
  expect(found.bytesPerState).toBeLessThan(64);
});

test('n = 5 with use and release apart: 1,498,600 states', () => {
  const found = explore(directory, { ...everyStart(5, 1), bounds: { megabytes } });
  expect(found).toMatchObject({ verdict: 'valid', states: 1_498_600, transitions: 7_635_640, doomed: 0, vacuous: [] });
  expect(found.bytesPerState).toBeLessThan(64);
});

test('n = 5 with release fused drains in 15 events', () => {
  expect(longestDrain(5, 0)).toBe(15);
});

test.each([
  [0, 7499, 886_000],
  [1, 12_678, 1_498_600],
] as const)('n = 5 up to renaming, hold %i: %i states for %i', (hold, states, _) => {
  const start = everyStart(5, hold);
  const properties = start.properties.filter(({ kind }) => kind === 'always');
  const found = explore(directory, { ...start, properties, reduce: 'symmetry' });
  expect(found).toMatchObject({ verdict: 'valid', states, symmetries: 120 });
});
