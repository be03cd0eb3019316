import { existsSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storyShelf } from '../bin/stories.js';
import { buildPage, launch, read, visit } from './page/testing/browser.js';
import { serveTrace } from './server.js';

/** The pictures of docs/stories.md are taken here. They are written when they are missing, and anew with UPDATE_SCREENSHOTS=1. */
const folder = fileURLToPath(new URL('../docs/images/', import.meta.url));
/** The step that each picture shows, counted from 1. */
const PICTURED: Readonly<Record<string, number>> = { arvy: 8, repair: 3, merge: 4, deadlock: 5, bins: 3, districts: 4 };

let browser: Browser;
let built: URL;
beforeAll(async () => {
  [browser, built] = await Promise.all([launch(), buildPage()]);
});
afterAll(() => browser?.close());

test('every story is told to its end, from the list', async () => {
  const shelf = storyShelf();
  const served = await serveTrace('', { page: built, shelf });
  const { page, complaints } = await visit(browser, `${served.url}#stories`, { reducedMotion: true });
  for (const { name, title, steps } of shelf.stories) {
    await page.getByRole('link', { name: title }).click();
    for (const number of steps.keys()) {
      const strip = page.locator(`.story[data-step="${number + 1}"][data-found="true"]`);
      await strip.waitFor();
      await read(page);
      expect(await strip.getByRole('status').innerText()).not.toMatch(/[{}]/);
      if (PICTURED[name] === number + 1) await picture(await page.screenshot(), `story-${name}.png`);
      if (number + 1 < steps.length) await strip.getByRole('button', { name: 'Next' }).click();
    }
    await page.getByRole('link', { name: 'All stories' }).click();
  }
  await page.close();
  await served.close();
  expect(complaints).toEqual([]);
});

async function picture(image: Buffer, name: string): Promise<void> {
  const file = `${folder}${name}`;
  if (process.env['UPDATE_SCREENSHOTS'] || !existsSync(file)) writeFileSync(file, image);
  expect(image.length).toBeGreaterThan(50_000);
}
