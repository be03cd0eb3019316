/** Spin's model of the directory has the states and transitions that the checker finds. */
import { expect, test } from 'vitest';
import { checkerSearch, missingTools, SpinSearch } from './spin.js';

const missing = missingTools();
if (missing !== null) console.warn(`skipped: the test of Spin's model. There is ${missing}`);

test.skipIf(missing !== null)('four nodes: the same counts, with its assertions', () => {
  const spin = new SpinSearch(4, true);
  const { states, transitions } = spin.run();
  spin.remove();
  expect({ states, transitions }).toEqual({ states: 7752, transitions: 23_976 });
  for (const watched of ['nothing', 'asserted', 'all'] as const)
    expect(checkerSearch(4, watched)).toMatchObject({ states: 7752, transitions: 23_976 });
});
