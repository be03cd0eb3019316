/** The table of docs/from-xstate-test.md matches the counts of compare.ts. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { counted } from './compare.js';
import { examples } from './samples.js';

const page = readFileSync(new URL('../../docs/from-xstate-test.md', import.meta.url), 'utf8');

test.each(Object.entries(examples))('%s', async (name, example) => {
  const row = page.split('\n').find((line) => line.startsWith(`| ${name} |`));
  expect(
    row
      ?.split(' | ')
      .slice(1, 3)
      .map((cell) => cell.trim()),
  ).toEqual(await counted(example));
});
