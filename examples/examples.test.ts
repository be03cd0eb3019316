/** Every example runs as a user would run it: built, in a process of its own. */
import { execFileSync, spawnSync } from 'node:child_process';
import { rmSync } from 'node:fs';
import { beforeAll, expect, test } from 'vitest';

/** Under node_modules, so that the built files find the same packages. */
const BUILT = 'node_modules/.cache/quiver-examples';

beforeAll(() => {
  rmSync(BUILT, { recursive: true, force: true });
  spawnSync('node_modules/.bin/tsc', ['-p', 'tsconfig.build.json', '--outDir', BUILT]);
}, 60_000);

const run = (example: string, ...args: string[]): string =>
  execFileSync(process.execPath, [`${BUILT}/examples/${example}.js`, ...args], { encoding: 'utf8', timeout: 60_000 });

test('shared-counter: four threads lose none of 10,000 steps', () => {
  expect(run('shared-counter')).toMatch(/^counted 10000 of 10000, last fence \d+\n$/);
});

test('lock-in-a-machine: each prints once, fences in order', () => {
  const lines = run('lock-in-a-machine').trim().split('\n');
  const fences = lines.map((line) => Number(/prints, fence (\d+)$/.exec(line)![1]));
  expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
  expect(new Set(lines.map((line) => line.split(' ')[0]))).toEqual(new Set(['ann', 'bob', 'cy']));
});

test('ordered-multicast: one order at every node, before and after everything was corrupt', () => {
  const lines = run('ordered-multicast').trim().split('\n');
  expect(lines[0]).toBe('before: 1 order at 7 nodes, 30 of 30 messages');
  expect(lines[1]).toMatch(/^repairing: \d+ of 12 messages got a place, no order promised$/);
  expect(lines[2]).toBe('after: 1 order at 7 nodes, 30 of 30 messages');
});

test('philosophers: everybody eats, one at a time, and who leaves keeps nobody waiting', () => {
  expect(run('philosophers')).toMatch(/^10 meals, at most 1 at a time, with .* neighbours held\n$/);
});

test('nearest-leader: everybody knows one, however people walk', () => {
  expect(run('nearest-leader')).toMatch(/^20 of 20 people know a leader within 2 hops, \d+ leaders in all\n$/);
});

test('shared-quota: eight threads are given exactly 100,000', () => {
  expect(run('shared-quota')).toMatch(/^given out 100000 of 100000\n/);
});

test('chat: all read the same twelve lines, each speaker in order', () => {
  const lines = run('chat').trim().split('\n');
  expect(lines).toHaveLength(12);
  for (const who of ['ann', 'bob', 'cy', 'dan']) {
    const said = lines.filter((line) => line.startsWith(who)).map((line) => line.split(': ')[1]);
    expect(said).toEqual(['good morning', 'who is there?', 'see you']);
  }
});

test('room: all see the same game of twelve moves, each player in order', () => {
  const games = run('room').trim().split('\n');
  expect(games).toHaveLength(1);
  const moves = games[0]!.split(', ');
  expect(moves).toHaveLength(12);
  expect(moves.filter((move) => move.startsWith('cy'))).toEqual(['cy runs', 'cy passes', 'cy shoots']);
});

test('names-and-bank: four threads get 2,000 different numbers below four times as many, and what they paid in', () => {
  const [, different, of, largest] = /^(\d+) different numbers of (\d+), the largest (\d+); every withdrawal was paid\n$/
    .exec(run('names-and-bank'))!
    .map(Number);
  expect([different, of]).toEqual([2_000, 2_000]);
  expect(largest).toBeLessThan(4 * 2_004);
});

test('rate-limit: eight HTTP workers let in exactly the budget', () => {
  expect(run('rate-limit')).toMatch(/^250 let in, 150 refused, by [2-8] workers\n$/);
});

test('cron: every tick is run once, also when the process that runs it is killed', () => {
  expect(run('cron')).toBe('10 runs by 2 processes, at 10 different ticks\n');
});
