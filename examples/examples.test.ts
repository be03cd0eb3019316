/** Every example runs as a user would run it: built, in a process of its own. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

/** Two at a time, one after the other in each line. */
const LINES = [
  ['shared-counter', 'nearest-leader', 'cron', 'lock-in-a-machine', 'chat'],
  ['rate-limit', 'names-and-bank', 'shared-quota', 'ordered-multicast', 'room', 'philosophers'],
];

const outputs = new Map<string, Promise<string>>();
for (const line of LINES) {
  let last: Promise<unknown> = Promise.resolve();
  for (const example of line) {
    const output = last.then(() => start(example));
    outputs.set(example, output);
    last = output.catch(() => {});
  }
}

async function start(example: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [`dist/examples/${example}.js`], { timeout: 150_000 });
  return stdout;
}

const run = (example: string): Promise<string> => outputs.get(example)!;

test('shared-counter: four threads lose none of 4,000 steps', async () => {
  expect(await run('shared-counter')).toMatch(/^counted 4000 of 4000, last fence \d+\n$/);
});

test('lock-in-a-machine: each prints once, fences in order', async () => {
  const lines = (await run('lock-in-a-machine')).trim().split('\n');
  const fences = lines.map((line) => Number(/prints, fence (\d+)$/.exec(line)![1]));
  expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
  expect(new Set(lines.map((line) => line.split(' ')[0]))).toEqual(new Set(['ann', 'bob', 'cy']));
});

test('ordered-multicast: one order at every node, before and after everything was corrupt', async () => {
  const lines = (await run('ordered-multicast')).trim().split('\n');
  expect(lines[0]).toBe('before: 1 order at 7 nodes, 30 of 30 messages');
  expect(lines[1]).toMatch(/^repairing: \d+ of 12 messages got a place, no order promised$/);
  expect(lines[2]).toBe('after: 1 order at 7 nodes, 30 of 30 messages');
});

test('philosophers: everybody eats, one at a time, and who leaves keeps nobody waiting', async () => {
  expect(await run('philosophers')).toMatch(/^10 meals, at most 1 at a time, with .* neighbours held\n$/);
});

test('nearest-leader: everybody knows one, however people walk', async () => {
  expect(await run('nearest-leader')).toMatch(/^20 of 20 people know a leader within 2 hops, \d+ leaders in all\n$/);
});

test('shared-quota: eight threads are given exactly 100,000', async () => {
  expect(await run('shared-quota')).toMatch(/^given out 100000 of 100000\n/);
});

test('chat: all read the same twelve lines, each speaker in order', async () => {
  const lines = (await run('chat')).trim().split('\n');
  expect(lines).toHaveLength(12);
  for (const who of ['ann', 'bob', 'cy', 'dan']) {
    const said = lines.filter((line) => line.startsWith(who)).map((line) => line.split(': ')[1]);
    expect(said).toEqual(['good morning', 'who is there?', 'see you']);
  }
});

test('room: all see the same game of twelve moves, each player in order', async () => {
  const games = (await run('room')).trim().split('\n');
  expect(games).toHaveLength(1);
  const moves = games[0]!.split(', ');
  expect(moves).toHaveLength(12);
  expect(moves.filter((move) => move.startsWith('cy'))).toEqual(['cy runs', 'cy passes', 'cy shoots']);
});

test('names-and-bank: four threads get 2,000 different numbers below four times as many, and what they paid in', async () => {
  const [, different, of, largest] = /^(\d+) different numbers of (\d+), the largest (\d+); every withdrawal was paid\n$/
    .exec(await run('names-and-bank'))!
    .map(Number);
  expect([different, of]).toEqual([2_000, 2_000]);
  expect(largest).toBeLessThan(4 * 2_004);
});

test('rate-limit: eight HTTP workers let in exactly the budget', async () => {
  expect(await run('rate-limit')).toMatch(/^250 let in, 150 refused, by [2-8] workers\n$/);
});

test('cron: every tick is run once, also when the process that runs it is killed', async () => {
  expect(await run('cron')).toBe('10 runs by 2 processes, at 10 different ticks\n');
});
