/** Content that a narrow screen must not hide. */
import { expect, test } from 'vitest';
import { openPage } from './page/testing/browser.js';
import { keepPicture } from './page/testing/pictures.js';
import { traceOf } from './page/testing/traces.js';

/** Eight kinds of messages, and nodes in the lower corners. */
const scenario = {
  protocol: 'exclusion',
  topology: { kind: 'grid', rows: 3, columns: 3 },
  options: { hold: 1 },
  workload: { concurrent: 3, requests: 8 },
};

test.each([390, 320])('%i px wide: the legend is below the nodes, and all of it can be reached', async (width) => {
  const { page, close } = await openPage(traceOf(scenario));
  await page.setViewportSize({ width, height: 844 });
  for (let i = 0; i < 40; i++) await page.keyboard.press('ArrowRight');
  const legend = page.getByRole('list', { name: 'legend' });
  expect(await legend.getByRole('listitem').count()).toBeGreaterThan(9);
  const picture = (await page.locator('[data-view="network"] canvas').boundingBox())!;
  const box = (await legend.boundingBox())!;
  expect(box.y).toBeGreaterThanOrEqual(picture.y + picture.height);
  expect(picture.height).toBeGreaterThan(300);
  await legend.getByRole('listitem').last().scrollIntoViewIfNeeded();
  const last = (await legend.getByRole('listitem').last().boundingBox())!;
  expect(last.y + last.height).toBeLessThanOrEqual(box.y + box.height + 1);
  await legend.evaluate((list) => (list.scrollTop = 0));
  const first = (await legend.getByRole('listitem').first().boundingBox())!;
  expect(first.y).toBeGreaterThanOrEqual(box.y - 1);
  await page.evaluate(() => scrollTo(0, 0));
  if (width === 390) await keepPicture(page, 'inspector-phone-kinds');
  await close();
});
