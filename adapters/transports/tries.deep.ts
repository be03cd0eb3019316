/** A thousand failed attempts, and checks for leaks. */
import { test } from 'vitest';
import { futile, leavesNothing } from './tries.fixture.js';

test.each(futile)(
  '%s where %s: a thousand tries leave no timer, no socket and no listener behind, and close ends the last',
  (_, __, create, place) => leavesNothing(1_000, create, place),
);
