/** A thousand failed attempts, and checks for leaks. */
import { test } from 'vitest';
import { futile, leavesNothing } from './tries.fixture.js';

test.each(futile)('%s %s: a thousand failed attempts leave no timer, socket or listener', (_, __, create, place) =>
  leavesNothing(1_000, create, place),
);
