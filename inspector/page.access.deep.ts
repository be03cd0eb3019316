/** Accessibility of the page: axe reports nothing on any view, in light and in dark. */
import { expect, test } from 'vitest';
import { storyShelf } from '../papers/stories/shelf.js';
import { inspect } from './live/inspect.js';
import { livePair } from './live/pair.fixtures.js';
import { axeComplaints } from './page/testing/axe.js';
import { pageUrl, read, visit } from './page/testing/browser.js';
import { keepPicture } from './page/testing/pictures.js';
import { directoryScenario, gestures, traceOf } from './page/testing/traces.js';
import { serveTrace } from './server.js';

test('on a phone: the network above, and a scrubber that a finger can use', async () => {
  const served = await serveTrace(traceOf(directoryScenario()), { page: pageUrl });
  const { page, leave } = await visit(served.url);
  await page.setViewportSize({ width: 390, height: 844 });
  await read(page);
  await page.locator('.state').first().waitFor();
  const scrubber = (await page.getByRole('slider').boundingBox())!;
  expect(scrubber.width).toBeGreaterThan(300);
  const tops = await page.locator('[data-view]').evaluateAll((views) => views.map((view) => view.getBoundingClientRect().top));
  expect(tops).toEqual([...tops].sort((a, b) => a - b));
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.mouse.click(scrubber.x + scrubber.width - 2, scrubber.y + 10);
  expect(Number(await page.getByRole('slider').getAttribute('aria-valuenow'))).toBeGreaterThan(25);
  await page.evaluate(() => scrollTo(0, 0));
  await keepPicture(page, 'inspector-phone');
  await leave();
  await served.close();
});

test('axe reports nothing on any view', async () => {
  const served = await serveTrace(traceOf(directoryScenario()), { page: pageUrl, gestures, shelf: storyShelf() });
  const { page, leave } = await visit(served.url);
  await read(page);
  await page.locator('.state').first().waitFor();
  for (let i = 0; i < 8; i++) await page.keyboard.press('ArrowRight');
  await page.keyboard.press('g');
  expect(await axeComplaints(page)).toEqual([]);
  await page.keyboard.press('t');
  expect(await axeComplaints(page, 'html', ['color-contrast'])).toEqual([]);
  await page.keyboard.press('t');
  for (const name of ['events', 'why', 'properties', 'by hand', 'compare']) {
    await page.getByRole('tab', { name }).click();
    expect(await axeComplaints(page, '[data-view="plots"]')).toEqual([]);
  }
  await page.getByRole('button', { name: 'visits' }).click();
  await page.getByLabel('search states').fill('token');
  expect(await axeComplaints(page, '[data-view="chart"]')).toEqual([]);
  await page.getByRole('button', { name: 'all nodes' }).click();
  expect(await axeComplaints(page, '[data-view="chart"]')).toEqual([]);
  for (const text of await page.getByRole('button', { name: 'show as text' }).all()) await text.click();
  for (const view of ['network', 'chart', 'space-time']) expect(await axeComplaints(page, `[data-view="${view}"]`)).toEqual([]);
  await page.keyboard.press('/');
  expect(await axeComplaints(page, '.transport')).toEqual([]);
  await page.keyboard.press('Escape');
  await page.keyboard.press('?');
  expect(await axeComplaints(page, 'dialog')).toEqual([]);
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Stories' }).click();
  await page.locator('.stories a').first().waitFor();
  expect(await axeComplaints(page, 'main')).toEqual([]);
  await page.locator('.stories a').first().click();
  await page.locator('.story[data-found="true"]').waitFor();
  expect(await axeComplaints(page, '.story')).toEqual([]);
  await leave();
  await served.close();
});

test('nor with a live system: its program, gestures, a watch, every tab and text', async () => {
  const [a, b] = livePair();
  const watched = await inspect([a, b], { page: pageUrl, program: 'shop', reach: true });
  const { page, leave } = await visit(watched.url);
  await page.getByText('live', { exact: true }).waitFor();
  b!.command('request');
  await page.waitForSelector('[role=slider][aria-valuemax="5"]');
  await page.locator('.state').first().waitFor();
  await page.keyboard.press('g');
  await page.getByRole('complementary', { name: 'intervene' }).getByRole('button').first().waitFor();
  await page.keyboard.press('/');
  await page.getByRole('searchbox').fill('-state:idle');
  await page.locator('.intervals li').first().waitFor();
  expect(await axeComplaints(page)).toEqual([]);
  await page.getByRole('searchbox').blur();
  await page.keyboard.press('t');
  expect(await axeComplaints(page, 'html', ['color-contrast'])).toEqual([]);
  for (const name of ['events', 'why', 'properties', 'compare']) {
    await page.getByRole('tab', { name }).click();
    expect(await axeComplaints(page, '[data-view="plots"]')).toEqual([]);
  }
  await page.locator('.context tr').first().getByRole('button').last().click();
  await page.locator('.history').waitFor();
  expect(await axeComplaints(page, '[data-view="plots"]')).toEqual([]);
  for (const text of await page.getByRole('button', { name: 'show as text' }).all()) await text.click();
  expect(await axeComplaints(page)).toEqual([]);
  await watched.close();
  await page.getByText('ended', { exact: true }).waitFor();
  expect(await axeComplaints(page)).toEqual([]);
  await leave();
});
