/** An application's rehearsal that fails on purpose. `reporter.test.ts` runs it and checks the report. */
import { expect, test } from 'vitest';
import { invariant } from '../../../test/rehearsal/judges.js';
import { rehearsalMatchers } from '../../../test/rehearsal/matchers.js';
import type { Main } from '../../../test/rehearsal/peer.js';
import { rehearse } from '../../../test/rehearsal/rehearse.js';

expect.extend(rehearsalMatchers);

const charge: Main = async ({ store }) => {
  const charges = ((await store.read('charges')) as number | undefined) ?? 0;
  await store.write('charges', charges + 1);
};
const rehearsed = (most: number) => {
  const judge = invariant('charged once', ({ store }) => ((store.get('charges') as number | undefined) ?? 0) <= most);
  return rehearse({ seconds: 20, runs: 20, faults: [], judges: [judge], shrinkSeconds: 0 }, charge);
};

test('no card is charged "twice"', async () => expect(await rehearsed(1)).toHold());
test('what is to break breaks', async () => expect(await rehearsed(1)).not.toHold());
test('no card is charged four times', async () => expect(await rehearsed(3)).toHold());
test('another thing is wrong', () => expect(1).toBe(2));
