/** The real day of contacts from start to end. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dayOf } from './day.js';

const file = new URL('../../../shared/data/contacts/ws16-day2.tij', import.meta.url);

test.skipIf(!existsSync(file))('113 people, 53,155 contacts (skipped without ../shared/data)', () => {
  const { moments, elections, ...day } = dayOf({ topology: { contacts: 'day' } }, () => readFileSync(file, 'utf8'));
  expect({ ...day, elections: elections.length, moments: moments.length }).toEqual({
    changes: 66_916,
    updates: 257_684,
    elections: 11_187,
    moments: 1751,
    looks: 11_707,
    several: 14,
    longestDispute: 5,
  });
});
