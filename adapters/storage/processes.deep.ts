/** Three real processes over a mesh that end without storage; in one process: storage.test.ts. */
import { expect, test } from 'vitest';
import { livesOf } from './processes.fixture.js';

test('without storage names, quotas and registers begin anew', async () => {
  const taken = await livesOf(2, () => []);
  expect(taken.map(({ turns }) => turns)).toEqual([1, 2, 3, 1, 2, 3]);
  expect(new Set(taken.map(({ name }) => name)).size).toBe(3);
});
