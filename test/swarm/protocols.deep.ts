/** Runs a thousand scenarios of every protocol. Failures found by the swarm are in machines/regressions/ and part of every test run. */
import { expect, test } from 'vitest';
import { protocols } from '../../machines/index.js';
import { swarm } from './swarm.js';

const RUNS = 1000;

test.each(Object.values(protocols))('$name', (protocol) => {
  expect(swarm(protocol, { runs: RUNS })).toEqual({ runs: RUNS, failure: null });
});
