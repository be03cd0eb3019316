/** Three real processes over a mesh, with storages in folders. All are killed with kill -9 and started again. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { livesOf } from './processes.fixture.js';

test('with storage fences grow, names stay unique, and quotas and registers stay exact', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-processes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const taken = await livesOf(2, (id) => [join(folder, id)]);
  const fences = taken.map(({ fence }) => fence);
  expect(fences).toEqual([...new Set(fences)].sort((p, q) => p - q));
  expect(new Set(taken.map(({ name }) => name)).size).toBe(6);
  expect(taken.filter(({ ok }) => ok)).toHaveLength(5);
  expect(taken.map(({ turns }) => turns)).toEqual([1, 2, 3, 4, 5, 6]);
}, 120_000);

test('without storage names, quotas and registers start over', async () => {
  const taken = await livesOf(2, () => []);
  expect(taken.map(({ turns }) => turns)).toEqual([1, 2, 3, 1, 2, 3]);
  expect(new Set(taken.map(({ name }) => name)).size).toBe(3);
});
