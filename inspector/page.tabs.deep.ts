/** The tabs of the lower panel: all six are visible, with their counts, at the widths of ordinary screens. */
import { expect, test } from 'vitest';
import { openPage, read } from './page/testing/browser.js';
import { keepPicture } from './page/testing/pictures.js';
import { directoryScenario, gestures, traceOf } from './page/testing/traces.js';

test('all six are in sight, in one row from 1366 on, and nothing has to be scrolled', async () => {
  const { page, close } = await openPage(traceOf({ ...directoryScenario(), network: { latency: 10 } }), { gestures });
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('g');
  const answer = page.waitForResponse((response) => response.url().endsWith('/run'));
  await page.getByRole('complementary', { name: 'intervene' }).getByRole('button', { name: 'crash' }).click();
  await answer;
  await read(page);
  const tabs = page.getByRole('tab');
  expect(await tabs.allInnerTexts()).toEqual(['events', 'why', 'properties4', 'by hand1', 'compare', 'plots']);
  // The selected tab is bold.
  await page.getByRole('tab', { name: /^properties/ }).click();
  const measured: Record<number, { readonly hidden: number; readonly rows: number }> = {};
  for (const width of [1100, 1280, 1366, 1440, 1920]) {
    await page.setViewportSize({ width, height: 900 });
    const hidden = await page.getByRole('tablist').evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
    const tops = await tabs.evaluateAll((all) => all.map((tab) => Math.round(tab.getBoundingClientRect().top)));
    measured[width] = { hidden, rows: new Set(tops).size };
  }
  const oneRow = { hidden: 0, rows: 1 };
  expect(measured).toEqual({
    1100: { hidden: 0, rows: 2 },
    1280: { hidden: 0, rows: 2 },
    1366: oneRow,
    1440: oneRow,
    1920: oneRow,
  });
  await close();
});

test('by hand: nothing is cut or scrolls sideways, with any number of gestures', async () => {
  const { page, close } = await openPage(traceOf({ ...directoryScenario(), network: { latency: 10 } }), { gestures });
  await page.keyboard.press('g');
  for (const name of ['crash', 'restart', 'crash', 'restart']) {
    const answer = page.waitForResponse((response) => response.url().endsWith('/run'));
    await page.getByRole('complementary', { name: 'intervene' }).getByRole('button', { name, exact: true }).click();
    await answer;
    await read(page);
  }
  await page.getByRole('tab', { name: /^by hand/ }).click();
  await page.getByText('a story of it').click();
  const add = async (text: string) => {
    await page.getByLabel('what is to be seen at the playhead').fill(text);
    await page.getByRole('button', { name: 'add this moment' }).click();
  };
  await add('This caption is a sentence of usual length, with a comma and some more words.');
  await page.getByLabel('what is to be seen at the playhead').scrollIntoViewIfNeeded();
  await keepPicture(page, 'inspector-by-hand');
  await page.getByLabel('name of this branch').fill(`a name that is long ${'and longer '.repeat(20)}`);
  await add('Then.');
  const panel = page.locator('.gestures');
  const sideways = () => panel.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth);
  for (const width of [1100, 1280, 1440]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await sideways()).toBe(0);
    const narrow = await panel.locator('button, input, .at').evaluateAll((all) => {
      const { left, right } = document.querySelector('.gestures')!.getBoundingClientRect();
      return all
        .filter((one) => {
          const box = one.getBoundingClientRect();
          const isCut =
            one.tagName !== 'INPUT' && one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== 'inline';
          return box.left < left || box.right > right || (one.matches('input:not([type])') && box.width < 120) || isCut;
        })
        .map((one) => one.outerHTML);
    });
    expect(narrow).toEqual([]);
  }
  // Each comes whole into sight.
  for (const button of await panel.getByRole('button').all()) {
    await button.scrollIntoViewIfNeeded();
    const [inside, outside] = [(await button.boundingBox())!, (await panel.boundingBox())!];
    expect(inside.y).toBeGreaterThanOrEqual(outside.y - 1);
    expect(inside.y + inside.height).toBeLessThanOrEqual(outside.y + outside.height + 1);
  }
  await close();
});
