/** A thousand scenarios of every protocol. What the swarm has broken is in machines/regressions/ and is tried in every run. */
import { expect, test } from 'vitest';
import { protocols } from '../../machines/index.js';
import { swarm } from './swarm.js';

const RUNS = 1000;

test.each(Object.values(protocols))('$name', (protocol) => {
  expect(swarm(protocol, { runs: RUNS })).toEqual({ runs: RUNS, failure: null });
});
