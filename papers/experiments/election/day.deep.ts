/** The real day of contacts from start to end. */
import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { dayOf, type Day } from './day.js';

const file = new URL('../../../../shared/data/contacts/ws16-day2.tij', import.meta.url);

test.skipIf(!existsSync(file))('113 people, 53,155 contacts (skipped without ../shared/data)', () => {
  const whole = dayOf({ topology: { contacts: 'day' } }, () => readFileSync(file, 'utf8'));
  console.table(byHour(whole));
  const { moments, elections, ...day } = whole;
  expect({ ...day, elections: elections.length, moments: moments.length }).toEqual({
    changes: 66_916,
    updates: 257_684,
    elections: 11_187,
    moments: 1750,
    observations: 65_937,
    twoInOffice: 0,
    followingSeveral: 1194,
    longestInOffice: 0.75,
    longestFollowing: 5.5,
    beyondDiameter: -1,
  });
});

const HOUR = 3600;

/** Means of each hour over the moments at which links changed; elections as they are. */
function byHour({ moments, elections }: Day) {
  const hours = [...new Set(moments.map(({ at }) => Math.floor(at / HOUR)))];
  return hours.map((hour) => {
    const within = moments.filter(({ at }) => Math.floor(at / HOUR) === hour);
    const mean = (of: 'components' | 'largest' | 'leaders') =>
      Math.round((10 * within.reduce((sum, moment) => sum + moment[of], 0)) / within.length) / 10;
    return {
      hour: hour + 1,
      components: mean('components'),
      largest: mean('largest'),
      leaders: mean('leaders'),
      elections: elections.filter((at) => Math.floor(at / HOUR) === hour).length,
    };
  });
}
