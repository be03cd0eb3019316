/** The examples that are quick, as a user would run them: built, in their own process. The others: examples.deep.ts. */
import { expect, test } from 'vitest';
import { printedBy } from './built.fixture.js';

test('lock-in-a-machine: each prints once, fences in order', async () => {
  const lines = (await printedBy('lock-in-a-machine')).trim().split('\n');
  const fences = lines.map((line) => Number(/prints, fence (\d+)$/.exec(line)![1]));
  expect(fences).toEqual([...new Set(fences)].sort((a, b) => a - b));
  expect(new Set(lines.map((line) => line.split(' ')[0]))).toEqual(new Set(['ann', 'bob', 'cy']));
});

test('philosophers: everybody eats, one at a time, and who leaves keeps nobody waiting', async () => {
  expect(await printedBy('philosophers')).toMatch(/^10 meals, at most 1 at a time, with .* neighbors held\n$/);
});

test('chat: all read the same twelve lines, each speaker in order', async () => {
  const lines = (await printedBy('chat')).trim().split('\n');
  expect(lines).toHaveLength(12);
  for (const who of ['ann', 'bob', 'cy', 'dan']) {
    const said = lines.filter((line) => line.startsWith(who)).map((line) => line.split(': ')[1]);
    expect(said).toEqual(['good morning', 'who is there?', 'see you']);
  }
});
