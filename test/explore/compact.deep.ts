/**
 * The directory under hash compaction: all rooted trees, every NewParent choice, unlimited requests, all invariants in every state.
 *
 * Six nodes are searched up to twelve events, which is 72 million states; the full number is unknown. Each test prints its duration and the
 * maximum memory of the process.
 */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { directory } from '../../machines/directory/index.js';
import { everyStart } from './directory.fixtures.js';
import { explore } from './explore.js';

let begin = process.cpuUsage();
beforeEach(() => {
  begin = process.cpuUsage();
});
afterEach(({ task }) => {
  const { user, system } = process.cpuUsage(begin);
  const megabytes = Math.round(process.resourceUsage().maxRSS / 1024);
  console.log(`${task.name}: ${Math.round((user + system) / 1e6)} s of one core, process at most ${megabytes} MB`);
});

const search = (nodes: number, depth = Infinity) => {
  const start = everyStart(nodes, 0);
  const properties = start.properties.filter(({ kind }) => kind === 'always');
  return explore(directory, { ...start, properties, compact: true, bounds: { megabytes: 8000, depth } });
};

test('five nodes: all 886,000 states', () => {
  expect(search(5)).toMatchObject({ verdict: 'valid', states: 886_000, transitions: 4_616_160, depth: 17 });
});

test('six nodes, twelve events from any start: 360 million transitions', () => {
  expect(search(6, 12)).toMatchObject({
    verdict: 'unknown',
    stopped: 'states deeper than 12 transitions',
    states: 72_362_424,
    transitions: 359_985_624,
  });
});
