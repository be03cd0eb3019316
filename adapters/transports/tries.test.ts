/** Failed attempts, and checks for leaks; tries.deep.ts makes a thousand of them. */
import { test } from 'vitest';
import { futile, leavesNothing } from './tries.fixture.js';

test.each(futile)('%s %s: a hundred and fifty failed attempts leave no timer, socket or listener', (_, __, create, place) =>
  leavesNothing(150, create, place),
);
