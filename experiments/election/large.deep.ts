/** Ten thousand nodes on one core, and the cost of an Update from small to large. */
import { expect, test } from 'vitest';
import { largeElection, type Large } from './large.js';

function timed(n: number, watch: boolean): Large & { seconds: number } {
  const run = largeElection(n, watch);
  const startedAt = performance.now();
  return { ...run(), seconds: (performance.now() - startedAt) / 1000 };
}

const perUpdate = ({ seconds, updates }: { seconds: number; updates: number }) => (1e6 * seconds) / updates;

test('10,000 nodes, every step watched: a new leader for all in under a minute', () => {
  const run = timed(10_000, true);
  console.log(run, `${perUpdate(run).toFixed(1)} µs an Update`);
  expect(run.oriented).toBe(true);
  expect(run.seconds).toBeLessThan(60);
});

test('the cost of an Update is flat from 100 to 10,000 nodes', () => {
  timed(1000, false);
  const small = Array.from({ length: 20 }, () => timed(100, false));
  const large = timed(10_000, false);
  const before = perUpdate({
    seconds: small.reduce((sum, { seconds }) => sum + seconds, 0),
    updates: small.reduce((sum, { updates }) => sum + updates, 0),
  });
  console.log(`100 nodes: ${before.toFixed(1)} µs an Update; 10,000 nodes: ${perUpdate(large).toFixed(1)}`, large);
  expect(perUpdate(large) / before).toBeLessThan(1.5);
});
