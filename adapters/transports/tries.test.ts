/** Failed attempts, and checks for leaks; tries.deep.ts makes a thousand of them. */
import { test } from 'vitest';
import { futile, leavesNothing } from './tries.fixture.js';

test.each(futile)(
  '%s where %s: a hundred and fifty tries leave no timer, no socket and no listener behind, and close ends the last',
  (_, __, create, place) => leavesNothing(150, create, place),
);
