/** A thousand scenarios of every protocol. What it breaks is named here until it is settled, so that the day shows when it is. */
import { expect, test } from 'vitest';
import { protocols } from '../../machines/index.js';
import { swarm } from './swarm.js';

const RUNS = 1000;

const OPEN: Readonly<Record<string, string>> = {
  /** An end that has left and starts again has no heartbeat. */
  link: 'comes to rest',
  /** A request is made between a cut and a join of its link, in one round trip. */
  queue: 'each request is queued once, behind its own predecessor',
};

test.each(Object.values(protocols))('$name', (protocol) => {
  expect(swarm(protocol, { runs: RUNS }).failure?.property).toBe(OPEN[protocol.name]);
});
