/**
 * Every step of every story, and the pictures of the docs that are taken on the way.
 */
import { expect, test } from 'vitest';
import { syntheticTrace } from '../testing/synthetic-trace.js';
import { storyShelf } from '../papers/stories/shelf.js';
import { backbone } from '../network/topology/backbones.js';
import { pageUrl, openPage, read, visit } from './page/testing/browser.js';
import { keepPicture } from './page/testing/pictures.js';
import { traceOf } from './page/testing/traces.js';
import { serveTrace } from './server.js';

/** The step that each picture shows, counted from 1. */
const PICTURED: Readonly<Record<string, number>> = { arvy: 8, repair: 3, merge: 4, deadlock: 5, bins: 3, districts: 4 };

test('every story runs to its end, from the list', async () => {
  const shelf = storyShelf();
  const served = await serveTrace('', { page: pageUrl, shelf });
  const { page, leave } = await visit(`${served.url}#stories`, { reducedMotion: true });
  for (const { name, title, steps } of shelf.stories) {
    await page.getByRole('link', { name: title }).click();
    for (const number of steps.keys()) {
      const strip = page.locator(`.story[data-step="${number + 1}"][data-found="true"]`);
      await strip.waitFor();
      await read(page);
      expect(await strip.getByRole('status').innerText()).not.toMatch(/[{}]/);
      if (PICTURED[name] === number + 1) await keepPicture(page, `story-${name}`);
      if (number + 1 < steps.length) await strip.getByRole('button', { name: 'Next' }).click();
    }
    await page.getByRole('link', { name: 'All stories' }).click();
  }
  await leave();
  await served.close();
});

test('ten thousand nodes: the page answers at once, while a worker finds their places', async () => {
  const { page, close } = await openPage([...syntheticTrace({ rows: 100, columns: 100, lines: 400, flights: 50 })].join(''));
  await expect.poll(() => page.workers().map((worker) => worker.url())).toEqual([expect.stringMatching(/layout\.worker/)]);
  await page.keyboard.press('Space');
  await page.waitForFunction(() => Number(document.querySelector('[role=slider]')?.getAttribute('aria-valuenow')) > 20);
  await page.keyboard.press('Space');
  expect(await page.locator('[data-view="network"] canvas').getAttribute('aria-label')).toMatch(
    /^Network of 10000 nodes and 20000 links/,
  );
  await page.locator('.is-placing').waitFor({ state: 'detached' });
  await keepPicture(page, 'inspector-crowd');
  await close();
});

const { nodes, links } = backbone('abilene');
const trace = traceOf({
  protocol: 'directory',
  options: { policy: 'ivy', hold: 300 },
  topology: { nodes, links },
  network: { latency: 'weight' },
  workload: { concurrent: 4, requests: 24 },
  seed: 7,
});

test.each(['light', 'dark'] as const)('a run on the Abilene backbone, %s', async (scheme) => {
  const { page, close } = await openPage(trace, { scheme });
  for (let i = 0; i < 34; i++) await page.keyboard.press('ArrowRight');
  await keepPicture(page, `inspector-${scheme}`);
  await close();
});
