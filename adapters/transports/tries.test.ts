/** Tries in vain, and what they leave behind; a thousand of them: tries.deep.ts. */
import { test } from 'vitest';
import { futile, leavesNothing } from './tries.fixture.js';

test.each(futile)(
  '%s where %s: a hundred and fifty tries leave no timer, no socket and no listener behind, and close ends the last',
  (_, __, create, place) => leavesNothing(150, create, place),
);
