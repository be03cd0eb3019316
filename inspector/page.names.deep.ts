/** Long names and long lists: the title of a shortened text contains all of it, and no list scrolls sideways. */
import { expect, test } from 'vitest';
import { openPage } from './page/testing/browser.js';
import { directoryTrace } from './page/testing/traces.js';

test('a name without spaces wraps in every list, and pictures have it as their title', async () => {
  const long = 'aName'.repeat(60);
  const { page, close } = await openPage(directoryTrace().replaceAll('"n2"', JSON.stringify(long)));
  for (let i = 0; i < 8; i++) await page.keyboard.press('ArrowRight');
  const sideways = () =>
    page.evaluate(() =>
      [document.documentElement, ...document.querySelectorAll('.panel-body :not(input), .panel-head *, .transport :not(input)')]
        .filter(({ scrollWidth, clientWidth }) => clientWidth > 0 && scrollWidth > clientWidth + 1)
        .filter((one) => one.closest('svg, .plots, .event-row, .chart-scroll') === null)
        .map((one) => `${one.tagName}.${one.className}`),
    );
  await page.keyboard.press('/');
  await page.getByRole('searchbox').fill('state:waiting');
  await page.locator('.intervals li').first().waitFor();
  for (const name of ['events', 'why', 'properties', 'compare']) {
    await page.getByRole('tab', { name }).click();
    expect([name, await sideways()]).toEqual([name, []]);
  }
  const lane = page.locator('[data-view="space-time"] canvas');
  const reported = new Set<string | null>();
  for (let part = 0.2; part < 0.9; part += 0.05) {
    await lane.hover({ position: { x: 20, y: part * (await lane.boundingBox())!.height } });
    reported.add(await lane.getAttribute('title'));
  }
  expect([...reported]).toContain(long);
  await page.getByRole('button', { name: 'all nodes' }).click();
  for (const text of await page.getByRole('button', { name: 'show as text' }).all()) await text.click();
  expect(await sideways()).toEqual([]);
  await close();
});

test('the omitted items of a list are counted, with their names as the title', async () => {
  const { page, close } = await openPage(directoryTrace(1040, []));
  await page.getByRole('button', { name: 'all nodes' }).click();
  const more = page.locator('.all-nodes .more');
  expect(await more.first().innerText()).toBe('and 987 more');
  expect(await more.first().getAttribute('title')).toMatch(/^n13, n14, .*, …$/);
  expect(await page.locator('.facts').innerText()).toMatch(/1,040 nodes\s+1,040 links/);
  await close();
});

test('a program without links has none to count', async () => {
  const [header = '', ...lines] = directoryTrace().trimEnd().split('\n');
  const { page, close } = await openPage([JSON.stringify({ ...JSON.parse(header), links: [] }), ...lines].join('\n'));
  expect(await page.locator('.facts').innerText()).toMatch(/5 nodes\s+seed 1/);
  await close();
});
