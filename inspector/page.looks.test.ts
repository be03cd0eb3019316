/** Text and targets of the main views, measured on screens of three sizes: four type sizes, nothing cut, nothing over something else. */
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { counterexampleTrace } from './counterexample.fixtures.js';
import { startApplication } from './page/testing/application.js';
import { openPage, pageUrl, visit } from './page/testing/browser.js';
import { directoryTrace } from './page/testing/traces.js';
import { storyShelf } from '../papers/stories/shelf.js';
import { serveTrace } from './server.js';
import { receiveInspection } from './stately/receive.js';

const SCREENS = [
  { width: 1280, height: 800 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
] as const;

/** The text that can be seen now, outside of charts, whose size the viewer chooses; and every target of a pointer. */
const measure = (page: Page) =>
  page.evaluate(() => {
    const isInChart = (one: Element) => one.closest('svg.chart') !== null;
    const shown = (one: Element, box: DOMRect): DOMRect | null => {
      let { left, top, right, bottom } = box;
      for (let at: Element | null = one; at; at = at.parentElement) {
        const style = getComputedStyle(at);
        if (style.visibility === 'hidden' || Number(style.opacity) === 0) return null;
        if (style.overflow === 'visible' || style.display === 'inline') continue;
        const clip = at.getBoundingClientRect();
        [left, top] = [Math.max(left, clip.left), Math.max(top, clip.top)];
        [right, bottom] = [Math.min(right, clip.right), Math.min(bottom, clip.bottom)];
      }
      return right - left > 1 && bottom - top > 1 ? new DOMRect(left, top, right - left, bottom - top) : null;
    };
    const texts: { text: string; one: Element; box: DOMRect; seen: DOMRect; size: string }[] = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      const one = node.parentElement!;
      if (
        node.textContent!.trim() === '' ||
        !one.checkVisibility() ||
        isInChart(one) ||
        ['SCRIPT', 'STYLE', 'OPTION'].includes(one.tagName)
      )
        continue;
      const range = document.createRange();
      range.selectNodeContents(node);
      for (const box of range.getClientRects()) {
        const seen = shown(one, box);
        if (seen) texts.push({ text: node.textContent!.trim(), one, box, seen, size: getComputedStyle(one).fontSize });
      }
    }
    const scrolls = (one: Element) => {
      for (let at: Element | null = one; at; at = at.parentElement)
        if (/auto|scroll/.test(getComputedStyle(at).overflowX + getComputedStyle(at).overflowY)) return true;
      return false;
    };
    const isCut = ({ one, box, seen }: (typeof texts)[number]) =>
      box.width - seen.width > 2 && !one.closest('[title]') && !scrolls(one);
    /** True if `top`, which is null out of sight, belongs to something with a background that covers `one`: a head that stays in place, a card, a dialog. */
    const isHidden = (one: Element, by: Element, top: Element | null) => {
      for (let at: Element | null = by; at && !at.contains(one); at = at.parentElement)
        if (!/rgba\(.*, 0(\.\d+)?\)|transparent/.test(getComputedStyle(at).backgroundColor))
          return top === null || at.contains(top);
      return false;
    };
    const overlaps = texts.flatMap((a, i) =>
      texts.slice(i + 1).flatMap((b) => {
        if (a.one === b.one) return [];
        const width = Math.min(a.seen.right, b.seen.right) - Math.max(a.seen.left, b.seen.left);
        const height = Math.min(a.seen.bottom, b.seen.bottom) - Math.max(a.seen.top, b.seen.top);
        if (width <= 2 || height <= 4) return [];
        const [x, y] = [Math.max(a.seen.left, b.seen.left) + width / 2, Math.max(a.seen.top, b.seen.top) + height / 2];
        const top = document.elementFromPoint(x, y);
        return isHidden(a.one, b.one, top) || isHidden(b.one, a.one, top) ? [] : [`"${a.text}" and "${b.text}"`];
      }),
    );
    const small = [...document.querySelectorAll('button, a[href], input, select, summary, [role=tab]')].flatMap((one) => {
      const box = one.getBoundingClientRect();
      const seen = isInChart(one) ? null : shown(one, box);
      // A link in a sentence is as high as its line, and a file input is the label around it.
      const isInText = getComputedStyle(one).display === 'inline' || one.closest('td, p, li, dd, [role=cell]') !== null;
      const own = one.closest('label')?.getBoundingClientRect() ?? box;
      if (!seen || isInText || (own.width >= 24 && own.height >= 24)) return [];
      return [`${one.getAttribute('aria-label') ?? one.textContent} ${Math.round(own.width)} × ${Math.round(own.height)}`];
    });
    return {
      sizes: [...new Set(texts.map(({ size }) => size))].sort(),
      cut: [...new Set(texts.filter(isCut).map(({ text }) => text))],
      overlaps: [...new Set(overlaps)],
      small: [...new Set(small)],
      isWide: document.documentElement.scrollWidth > innerWidth,
    };
  });

/** Expects this of what the page shows now, on each screen. */
async function expectGoodLooks(page: Page): Promise<void> {
  for (const screen of SCREENS) {
    await page.setViewportSize(screen);
    // A page needs some frames for a new size.
    await expect
      .poll(async () => {
        const { sizes, ...faults } = await measure(page);
        return { screen, ...faults, sizes: sizes.filter((size) => !['12px', '13px', '15px', '20px'].includes(size)) };
      })
      .toEqual({ screen, cut: [], overlaps: [], small: [], isWide: false, sizes: [] });
  }
  await page.setViewportSize({ width: 1440, height: 900 });
}

test('a run, with each tab, the help and the commands', async () => {
  const { page, close } = await openPage(directoryTrace());
  await page.locator('.state').first().waitFor();
  expect(await page.getByRole('button', { name: 'one line forward' }).getAttribute('title')).toBe('one line forward (→)');
  for (const name of ['events', 'why', 'properties', 'compare', 'plots']) {
    await page.getByRole('tab', { name }).click();
    await expectGoodLooks(page);
  }
  await page.keyboard.press('/');
  await page.getByRole('searchbox').fill('state:waiting');
  await page.locator('.intervals li').first().waitFor();
  await expectGoodLooks(page);
  await page.getByRole('searchbox').press('Escape');
  await page.keyboard.press('?');
  await expectGoodLooks(page);
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  await expectGoodLooks(page);
  await close();
});

test('a counterexample with its causes', async () => {
  const { page, close } = await openPage(counterexampleTrace());
  await expect.poll(() => page.getByRole('tab', { name: 'why' }).getAttribute('aria-selected')).toBe('true');
  await expectGoodLooks(page);
  await close();
});

test('the start page: your own application, then stories with pictures and minutes', async () => {
  const served = await serveTrace('', { page: pageUrl, shelf: storyShelf() });
  onTestFinished(() => served.close());
  const { page, leave } = await visit(`${served.url}#stories`);
  onTestFinished(() => leave());
  const stories = page.locator('.stories li');
  await expect.poll(() => stories.count()).toBe(6);
  expect(await page.getByRole('heading').allInnerTexts()).toEqual([
    'Quiver',
    'Watch your XState app',
    'Actors of any program, live',
    'Or watch coordination happen',
  ]);
  for (const story of await stories.all()) {
    expect(await story.locator('svg circle').count()).toBeGreaterThan(1);
    expect(await story.innerText()).toMatch(/\d steps, about [2-5] minutes$/);
  }
  await expectGoodLooks(page);
});

test('the live page before a program reports, and with an application', async () => {
  const receiving = await receiveInspection({ page: pageUrl });
  onTestFinished(() => receiving.close());
  const { page, leave } = await visit(receiving.url);
  onTestFinished(() => leave());
  await page.getByText('QUIVER_INSPECT').first().waitFor();
  await expectGoodLooks(page);
  const application = await startApplication(receiving.url);
  await application.load(3);
  await expect.poll(() => page.getByRole('treeitem').count()).toBe(4);
  await page.locator('.is-placing').waitFor({ state: 'detached' });
  await expectGoodLooks(page);
});
