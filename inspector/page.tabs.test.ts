/** The tabs of the lower panel: all six in sight, with what is counted beside them, at the widths of ordinary screens. */
import { expect, test } from 'vitest';
import { openPage, read } from './page/testing/browser.js';
import { directoryScenario, hands, traceOf } from './page/testing/traces.js';

test('all six are in sight, in one row from 1280 on, and nothing has to be scrolled', async () => {
  const { page, close } = await openPage(traceOf({ ...directoryScenario(), network: { latency: 10 } }), { hands });
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('g');
  const answer = page.waitForResponse((response) => response.url().endsWith('/run'));
  await page.getByRole('complementary', { name: 'reach in' }).getByRole('button', { name: 'crash' }).click();
  await answer;
  await read(page);
  const tabs = page.getByRole('tab');
  expect(await tabs.allInnerTexts()).toEqual(['plots', 'log', 'why', 'properties4', 'by hand1', 'compare']);
  // What is chosen is bold.
  await page.getByRole('tab', { name: /^properties/ }).click();
  const measured: Record<number, { readonly hidden: number; readonly rows: number }> = {};
  for (const width of [1100, 1280, 1366, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const hidden = await page.getByRole('tablist').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    const tops = await tabs.evaluateAll((all) => all.map((tab) => Math.round(tab.getBoundingClientRect().top)));
    measured[width] = { hidden, rows: new Set(tops).size };
  }
  const oneRow = { hidden: 0, rows: 1 };
  expect(measured).toEqual({ 1100: { hidden: 0, rows: 2 }, 1280: oneRow, 1366: oneRow, 1440: oneRow, 1920: oneRow });
  await close();
});
