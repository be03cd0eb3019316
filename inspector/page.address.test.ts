/** Ways through the page: its address and Back, the palette, full page, panels that keep their size, and the first minute. */
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeComplaints } from './page/testing/axe.js';
import { openPage, read } from './page/testing/browser.js';
import { directoryTrace } from './page/testing/traces.js';

const chartOf = (page: Page): Promise<string> => page.locator('#title-chart').innerText();
const lineNow = (page: Page) => page.getByRole('slider').getAttribute('aria-valuenow').then(Number);
const hashOf = (page: Page): Promise<string> => page.evaluate(() => location.hash);

/** The view that is shown for longer than 250 ms gets into the address. Timers of a page fire in their order, however slow it is. */
const settled = (page: Page): Promise<void> => page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 300)));

test('Back returns to the previous view, and a link opens the same view', async () => {
  const { page, served, close } = await openPage(directoryTrace());
  await settled(page);
  const line = await lineNow(page);
  await page.getByRole('tab', { name: 'why' }).click();
  await expect.poll(() => hashOf(page)).toContain('panel=why');
  await page.getByRole('tab', { name: 'events' }).click();
  await expect.poll(() => hashOf(page)).not.toContain('panel=why');
  await page.keyboard.press('End');
  const end = await lineNow(page);
  await expect.poll(() => hashOf(page)).toMatch(new RegExp(`line=${end}&node=n2$`));
  // A write after Back would cancel a second Back that is under way.
  await page.evaluate(() => {
    history.replaceState = (_, __, url) => {
      document.title = `written: ${url}`;
    };
  });
  await page.goBack();
  await expect.poll(() => lineNow(page)).toBe(line);
  await settled(page);
  expect(await page.title()).not.toContain('written');
  await page.goBack();
  await expect.poll(() => page.getByRole('tab', { name: 'why' }).getAttribute('aria-selected')).toBe('true');
  expect(await lineNow(page)).toBe(line);
  await page.goto('about:blank');
  await page.goto(`${served.url}#line=${end - 1}&node=n3&ask=type%3Afind&panel=properties`);
  await read(page);
  await expect.poll(() => lineNow(page)).toBe(end - 1);
  expect(await chartOf(page)).toBe('Statechart of n3');
  expect(await page.getByRole('tab', { name: 'properties' }).getAttribute('aria-selected')).toBe('true');
  await page.getByRole('tab', { name: 'events' }).click();
  expect(await page.getByRole('textbox', { name: 'filter the events' }).inputValue()).toBe('type:find');
  await close();
});

test('Ctrl-K finds a command or a node, and Esc leaves the full page', async () => {
  const { page, close } = await openPage(directoryTrace());
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'commands' });
  expect(await axeComplaints(page, 'dialog')).toEqual([]);
  await page.keyboard.type('n4');
  await page.keyboard.press('Enter');
  expect(await palette.count()).toBe(0);
  expect(await chartOf(page)).toBe('Statechart of n4');
  await page.keyboard.press('Control+k');
  await page.keyboard.type('fill chart');
  await page.keyboard.press('Enter');
  await expect.poll(() => page.locator('[data-view="network"]').isVisible()).toBe(false);
  await page.keyboard.press('Escape');
  await expect.poll(() => page.locator('[data-view="network"]').isVisible()).toBe(true);
  await close();
});

test('panels keep the size that they are given, on every port', async () => {
  const widthOf = async (page: Page) => (await page.locator('[data-view="chart"]').boundingBox())!.width;
  const one = await openPage(directoryTrace());
  const before = await widthOf(one.page);
  await one.page.getByRole('separator', { name: 'width of the chart' }).focus();
  for (let i = 0; i < 3; i++) await one.page.keyboard.press('ArrowLeft');
  await expect.poll(() => widthOf(one.page)).toBeGreaterThan(before + 50);
  const wide = await widthOf(one.page);
  await one.close();
  const two = await openPage(directoryTrace());
  expect(await widthOf(two.page)).toBe(wide);
  await two.page.getByRole('separator', { name: 'width of the chart' }).dblclick();
  await expect.poll(() => widthOf(two.page)).toBe(before);
  await two.close();
});
