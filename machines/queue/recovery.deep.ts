/** More seeds of the runs from arbitrary states: a run of queue.test.ts each. */
import { test } from 'vitest';
import { recovers, TAUS, treeForms } from './recovery.fixtures.js';

test.each([2, 3, 4, 5].flatMap((seed) => TAUS.map((tau) => [seed, tau] as const)))(
  'seed %i, tau = %fR: fully legal within 3R + tau, requests correctly queued',
  recovers,
);

test.each([2, 3, 4, 5, 6])('seed %i: invented roots die, the breadth-first tree forms, the queue follows', treeForms);
