/** Growing trees: every promise is kept while nodes join, and the constants of the bounds do not grow. */
import { expect, test } from 'vitest';
import { grow } from './growing.js';

test.each(['main', 'names', 'bank'] as const)('%s, a tree that grows to 32 nodes: no promise is violated', (kind) => {
  const { violated, largestName } = grow(kind, 32, true);
  expect(violated).toEqual([]);
  // Lemma 6.2.1: names are from 1 to 4n.
  if (kind === 'names') expect([largestName >= 31, largestName <= 128]).toEqual([true, true]);
});

test.each(['main', 'names', 'bank'] as const)('%s: messages over the order of growth, for 16 and 64 nodes', (kind) => {
  const [small, large] = [16, 64].map((n) => grow(kind, n));
  expect(large!.messages).toBeGreaterThan(4 * small!.messages);
  expect(large!.constant).toBeLessThan(1.1 * small!.constant);
});
