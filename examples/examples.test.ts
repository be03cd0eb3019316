/** The examples that are quick, as a user would run them: built, in their own process. The others: examples.deep.ts. */
import { expect, test } from 'vitest';
import { printedBy } from './built.fixture.js';

test('lock-in-a-machine: each prints once, fences in order', async () => {
  const lines = (await printedBy('lock-in-a-machine')).trim().split('\n');
  const fences = lines.map((line) => Number(/prints, fence (\d+)$/.exec(line)![1]));
  expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
  expect(new Set(lines.map((line) => line.split(' ')[0]))).toEqual(new Set(['ann', 'bob', 'cy']));
});

test('philosophers: all eat, one at a time, and one that leaves blocks no other', async () => {
  expect(await printedBy('philosophers')).toMatch(/^10 meals, at most 1 at a time, with .* neighbors held\n$/);
});

test('chat: all read the same twelve lines, each speaker in order', async () => {
  const lines = (await printedBy('chat')).trim().split('\n');
  expect(lines).toHaveLength(12);
  for (const who of ['ann', 'bob', 'cy', 'dan']) {
    const reported = lines.filter((line) => line.startsWith(who)).map((line) => line.split(': ')[1]);
    expect(reported).toEqual(['good morning', 'who is there?', 'see you']);
  }
});

test('ordered-multicast: four boards end with one picture', async () => {
  expect(await printedBy('ordered-multicast')).toMatch(/^4 boards, 80 strokes, 1 picture: [abcd]{8}\n$/);
});

test('compose/scheduler: one leader works at a time, and the next one after it', async () => {
  const lines = (await printedBy('compose/scheduler')).trim().split('\n');
  expect(lines).toHaveLength(2);
  expect(new Set(lines).size).toBe(2);
});

test('compose/tickets: no ticket is sold twice, and all are sold', async () => {
  expect(await printedBy('compose/tickets')).toBe('10 tickets sold, 10 different numbers\n');
});

test('compose/loading: a composition is run, checked and shipped', async () => {
  const lines = (await printedBy('compose/loading')).trim().split('\n');
  expect(lines[0]).toMatch(/^run: valid, truck at (n\d, n\d), dock at \1$/);
  expect(lines[1]).toMatch(/^check: valid, \d+ states$/);
  expect(lines[2]).toBe('ship: bob has the truck and the dock');
});
