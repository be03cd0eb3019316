/** The charts of a node with several roles, whose layouts arrive one after the other. */
import { expect, onTestFinished, test } from 'vitest';
import { openPage } from './page/testing/browser.js';
import { locksScenario, traceOf } from './page/testing/traces.js';

test('the role that acted last stays in sight with its name, at every step', async () => {
  const { page, close } = await openPage(traceOf(locksScenario));
  onTestFinished(() => close());
  await page.keyboard.press('Home');
  /** The names and active states of the role that acted last that are out of sight. */
  const hidden = () =>
    page.evaluate(() => {
      const around = document.querySelector('.chart-scroll')!.getBoundingClientRect();
      const latest = document.querySelector('.role:has(.chart.is-now)');
      if (!latest) return ['no role has acted'];
      return [...latest.querySelectorAll('figcaption, .leaf.is-active > rect')].flatMap((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        const isSeen = left < around.right && right > around.left && top < around.bottom && bottom > around.top;
        return isSeen ? [] : [one.outerHTML];
      });
    });
  let steps = 0;
  for (let i = 0; i < 12; i++) {
    await page.keyboard.press('Shift+ArrowRight');
    const roles = page.locator('.role');
    // Each layout takes a moment.
    await expect.poll(async () => (await page.locator('.role svg.chart').count()) === (await roles.count())).toBe(true);
    if ((await page.locator('.chart.is-now').count()) === 0) continue;
    await expect.poll(hidden).toEqual([]);
    steps++;
  }
  expect(steps).toBeGreaterThan(0);
});
