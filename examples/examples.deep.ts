/** The examples of many threads and processes, or of a long walk, as a user would run them: built, in their own process. */
import { expect, test } from 'vitest';
import { printedBy } from './built.fixture.js';

test('shared-counter: four threads lose none of 4,000 steps', async () => {
  expect(await printedBy('shared-counter')).toMatch(/^counted 4000 of 4000, last fence \d+\n$/);
});

test('nearest-leader: every node knows one, however people walk', async () => {
  expect(await printedBy('nearest-leader')).toMatch(/^20 of 20 people know a leader within 2 hops, \d+ leaders in all\n$/);
});

test('shared-quota: eight threads are given exactly 100,000', async () => {
  expect(await printedBy('shared-quota')).toMatch(/^given out 100000 of 100000\n/);
});

test('names-and-bank: four threads get 2,000 different numbers, and their deposits', async () => {
  const [, different, of, largest] = /^(\d+) different numbers of (\d+), the largest (\d+); every withdrawal was paid\n$/
    .exec(await printedBy('names-and-bank'))!
    .map(Number);
  expect([different, of]).toEqual([2_000, 2_000]);
  expect(largest).toBeLessThan(4 * 2_004);
});

test('rate-limit: eight HTTP workers let in exactly the budget', async () => {
  expect(await printedBy('rate-limit')).toMatch(/^250 let in, 150 refused, by [2-8] workers\n$/);
});

test('cron: every tick is run once, also when the process that runs it is killed', async () => {
  expect(await printedBy('cron')).toBe('10 runs by 2 processes, at 10 different ticks\n');
});

test('scaling: three voters become five and three again, and no fence is granted twice', async () => {
  expect(await printedBy('scaling')).toBe('3, 5 and 3 voters; each grant had its fence\n');
});

test('room: all see the same game of twelve moves, each player in order', async () => {
  const games = (await printedBy('room')).trim().split('\n');
  expect(games).toHaveLength(1);
  const moves = games[0]!.split(', ');
  expect(moves).toHaveLength(12);
  expect(moves.filter((move) => move.startsWith('cy'))).toEqual(['cy runs', 'cy passes', 'cy shoots']);
});
