/** The moving pictures in docs/images/concepts are drawn from concepts.ts: `npx vitest run scripts/diagrams -u` draws them again. */
import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { concepts } from './concepts.js';
import { drawDiagram, WIDTH } from './draw.js';

const folder = new URL('../../docs/images/concepts/', import.meta.url);

test.each(Object.entries(concepts))('%s', async (name, diagram) => {
  await expect(drawDiagram(diagram)).toMatchFileSnapshot(new URL(`${name}.svg`, folder).pathname);
});

test('no picture of a removed concept remains', () => {
  expect(readdirSync(folder).sort()).toEqual(
    Object.keys(concepts)
      .map((name) => `${name}.svg`)
      .sort(),
  );
});

test('every caption fits into its picture', () => {
  for (const { scenes } of Object.values(concepts))
    for (const { caption } of scenes) expect(caption.length * 7.6).toBeLessThan(WIDTH);
});
