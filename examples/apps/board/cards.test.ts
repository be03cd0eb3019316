/** The cards as the server keeps them. The board in a browser: board.deep.ts. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Cards } from './cards.js';

test("a write with a smaller fence than the card's has no effect, also after a restart", () => {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-cards-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const cards = new Cards(join(folder, 'cards.json'));
  const notified: string[] = [];
  const end = cards.watch(({ text, column, fence }) => notified.push(`${fence} ${column}: ${text}`));
  const write = (fence: number, text: string) => cards.write({ id: 'c', by: 'ann', fence, text });
  expect(write(5, 'first')).toBe(true);
  expect(cards.write({ id: 'c', by: 'bob', fence: 9, column: 'done' })).toBe(true);
  expect(write(5, 'late')).toBe(false);
  expect(write(9, 'second')).toBe(true);
  end();
  const again = new Cards(join(folder, 'cards.json'));
  expect(again.write({ id: 'c', by: 'ann', fence: 8, text: 'late' })).toBe(false);
  again.watch(({ text, column, fence }) => notified.push(`${fence} ${column}: ${text}`))();
  expect(notified).toEqual(['5 to do: first', '9 done: first', '9 done: second', '9 done: second']);
});
