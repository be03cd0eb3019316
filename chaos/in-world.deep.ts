/** All that real processes do in chaos but to change members, done in the world of rehearsals from some seeds, and judged by the same rules. */
import { expect, test } from 'vitest';
import { formatFailure } from '../test/rehearsal/failure.js';
import { rehearse } from '../test/rehearsal/rehearse.js';
import { chaosInWorld, type WorldSubject } from './in-world.fixture.js';

test.each<[WorldSubject]>([['locks'], ['clients'], ['leaders'], ['quota'], ['names']])('%s', async (subject) => {
  const { options, main } = chaosInWorld(subject);
  const { failure, counts } = await rehearse({ ...options, runs: 8, seed: 5 }, main);
  expect(failure && formatFailure(failure)).toBeNull();
  expect(counts['fault']).toBeGreaterThan(4);
});
