/** The chart in its panel: nearer and farther, moved, folded, searched, its visits, and all nodes at once. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { axeComplaints } from './page/testing/axe.js';
import { openPage, type Opened } from './page/testing/browser.js';
import { keepPicture } from './page/testing/pictures.js';
import { directoryTrace } from './page/testing/traces.js';

let opened: Opened;
let page: Page;
beforeAll(async () => {
  opened = await openPage(directoryTrace(12, [2, 4, 1, 3, 0, 7, 2, 9, 5]));
  ({ page } = opened);
  await page.locator('.state').first().waitFor();
});
afterAll(() => opened.close());

const panel = () => page.locator('.chart-scroll');
const width = async () => (await page.locator('svg.chart').boundingBox())!.width;
const scrolled = () => panel().evaluate(({ scrollLeft, scrollTop }) => [scrollLeft, scrollTop]);
const drawn = () => page.$$eval('.state[data-state]', (states) => states.map((state) => state.getAttribute('data-state')!));
const lineNow = () => page.getByRole('slider').getAttribute('aria-valuenow');

const overflow = () =>
  panel().evaluate(({ scrollWidth, clientWidth, scrollHeight, clientHeight }) => [
    scrollWidth - clientWidth,
    scrollHeight - clientHeight,
  ]);
const button = (name: string) => page.getByRole('button', { name });

test.each([
  ['in its panel', null],
  ['on half of the page', 'half the page for the chart'],
  ['on the whole page', 'fill the page'],
])('the fitted chart does not overflow %s', async (_, name) => {
  const larger = name === null ? null : page.locator('[data-view="chart"]').getByRole('button', { name });
  await larger?.click();
  await button('fit the whole chart').click();
  await expect.poll(overflow).toEqual([0, 0]);
  const [own, around] = await Promise.all(['svg.chart', '.chart-scroll'].map((one) => page.locator(one).boundingBox()));
  expect(own!.width).toBeLessThanOrEqual(around!.width);
  expect(own!.height).toBeLessThanOrEqual(around!.height);
  if (name !== null)
    await page.locator('[data-view="chart"] [aria-pressed="true"]').and(page.locator('.panel-head button')).click();
  await button('follow the active states').click();
});

test('every step scrolls to the active states and the taken transition', async () => {
  await page.keyboard.press('c');
  await button('follow the active states').click();
  const words = await page.$eval('.chart .words', (text) => text.getBoundingClientRect().height);
  expect(words).toBeGreaterThanOrEqual(12);
  /** Active states that are out of sight, and the transition that was taken where the panel has room for both. */
  const hidden = () =>
    page.evaluate(() => {
      const around = document.querySelector('.chart-scroll')!.getBoundingClientRect();
      const boxOf = (one: Element) => one.querySelector('rect')!.getBoundingClientRect();
      const [leaves, labels] = ['.leaf.is-active', '.edge-label.is-taken'].map((which) => [...document.querySelectorAll(which)]);
      const boxes = [...leaves!, ...labels!].map(boxOf);
      const size = (low: 'left' | 'top', high: 'right' | 'bottom') =>
        Math.max(...boxes.map((box) => box[high])) - Math.min(...boxes.map((box) => box[low]));
      const hasRoom = size('left', 'right') < around.width - 40 && size('top', 'bottom') < around.height - 40;
      return [...leaves!, ...(hasRoom ? labels! : [])]
        .filter((one) => {
          const { left, right, top, bottom } = boxOf(one);
          return left < around.left || right > around.right || top < around.top || bottom > around.bottom;
        })
        .map((one) => one.textContent);
    });
  let scrolls = 0;
  for (let i = 0; i < 25; i++) {
    await panel().evaluate((scroller) => scroller.scrollTo(0, 0));
    await page.keyboard.press('ArrowRight');
    await expect.poll(hidden).toEqual([]);
    scrolls += Number((await scrolled()).some((distance) => distance > 0));
  }
  expect(scrolls).toBeGreaterThan(0);
  await page.keyboard.press('c');
});

test('zoom at the pointer, drag, arrow keys, and fit', async () => {
  await panel().focus();
  await page.keyboard.press('0');
  await expect.poll(overflow).toEqual([0, 0]);
  const fitting = await width();
  const before = await lineNow();
  const state = page.locator('[data-state="waiting"] > rect').first();
  const box = (await state.boundingBox())!;
  await page.mouse.move(box.x, box.y);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -600);
  await page.keyboard.up('Control');
  await expect.poll(width).toBeGreaterThan(2 * fitting);
  const after = (await state.boundingBox())!;
  expect(Math.hypot(after.x - box.x, after.y - box.y)).toBeLessThan(3);

  const [left, top] = await scrolled();
  await page.mouse.down();
  await page.mouse.move(box.x - 30, box.y - 50, { steps: 4 });
  await page.mouse.up();
  const [draggedX, draggedY] = await scrolled();
  expect([draggedX! - left! - 30, draggedY! - top! - 50].every((error) => Math.abs(error) < 1.5)).toBe(true);
  await panel().focus();
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('ArrowUp');
  expect(await scrolled()).toEqual([draggedX! - 60, draggedY! - 60]);
  await page.keyboard.press('0');
  await expect.poll(width).toBe(fitting);
  expect(await lineNow()).toBe(before);
  // A fitted chart leaves the arrow keys to the page.
  await page.keyboard.press('ArrowRight');
  await expect.poll(lineNow).toBe(String(Number(before) + 1));
});

test('collapsed by keys, expanded at a click, and all at once', async () => {
  const all = await drawn();
  const fold = page.getByRole('button', { name: 'states inside of holding', exact: true });
  await fold.focus();
  await page.keyboard.press('Enter');
  await expect.poll(drawn).toEqual(all.filter((path) => !path.startsWith('holding.')));
  expect(await fold.getAttribute('aria-expanded')).toBe('false');
  await fold.click();
  await expect.poll(drawn).toEqual(all);
  await button('follow the active states').click();
  expect((await fold.boundingBox())!.width).toBeGreaterThanOrEqual(24);
  await button('collapse or expand all states').click();
  await expect.poll(drawn).toEqual(all.filter((path) => !path.includes('.')));
  await button('collapse or expand all states').click();
  await expect.poll(drawn).toEqual(all);
});

test('saved as SVG, PNG and Mermaid', async () => {
  const saved = async (format: string): Promise<[name: string, bytes: Buffer]> => {
    await page.locator('.chart-export summary').click();
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.locator('.chart-export').getByRole('button', { name: format }).click(),
    ]);
    const chunks = await (await download.createReadStream()).toArray();
    return [download.suggestedFilename(), Buffer.concat(chunks)];
  };
  const [svgName, svg] = await saved('SVG');
  expect(svgName).toBe('directory.svg');
  expect(svg.toString()).toMatch(/^<svg xmlns="http:\/\/www.w3.org\/2000\/svg".*data-state="holding.using.last".*<\/svg>$/s);
  expect(svg.toString()).not.toMatch(/var\(|color-mix|color\(|class="fold"/);
  const [pngName, png] = await saved('PNG');
  expect(pngName).toBe('directory.png');
  expect(png.subarray(1, 4).toString()).toBe('PNG');
  const [mermaidName, mermaid] = await saved('Mermaid');
  expect(mermaidName).toBe('directory.mmd');
  expect(mermaid.toString()).toMatch(/^stateDiagram-v2\n/);
});

test('found parts are marked, counted, expanded and brought into sight', async () => {
  await page.getByRole('button', { name: 'states inside of holding', exact: true }).click();
  await page.getByLabel('search states').fill('followed');
  expect(await page.getByLabel('parts found').innerText()).toMatch(/^[1-9]\d* found$/);
  await page.getByRole('button', { name: 'larger' }).click({ clickCount: 4 });
  await page.getByLabel('search states').press('Enter');
  await expect.poll(() => page.$$eval('.state.is-found', (states) => states.length)).toBe(2);
  const isSeen = () =>
    page.$eval('[data-found]', (found) => {
      const [own, around] = [found, document.querySelector('.chart-scroll')!].map((one) => one.getBoundingClientRect());
      return own!.top >= around!.top - 1 && own!.bottom <= around!.bottom + 1;
    });
  await expect.poll(isSeen).toBe(true);
  await page.getByLabel('search states').fill('');
  await button('follow the active states').click();
  expect(await page.locator('.is-found').count()).toBe(0);
});

test('how often each part was visited, over all nodes', async () => {
  await page.getByRole('button', { name: 'visits' }).click();
  const visits = await page.locator('[data-state="holding.using"] > .visits').textContent();
  expect(visits).toBe('9×');
  expect(await page.locator('[data-state="holding.using"].heat-0').count()).toBe(0);
  const request = page.locator('.edge-label').filter({ hasText: 'request' }).first();
  expect(await request.textContent()).toMatch(/request \d+×/);
  await page.keyboard.press('c');
  await keepPicture(page, 'inspector-visits');
  await page.keyboard.press('c');
  await page.getByRole('button', { name: 'visits' }).click();
  expect(await page.locator('.visits').count()).toBe(0);
});

test('all nodes by their states, and a click leads to the chart of one', async () => {
  await page.getByRole('button', { name: 'all nodes' }).click();
  const groups = page.locator('.all-nodes figure');
  const count = () => groups.count();
  for (let i = 0; i < 60 && (await count()) < 3; i++) await page.keyboard.press('ArrowRight');
  expect(await count()).toBe(3);
  const names = await groups.locator('button').allInnerTexts();
  expect(names.sort()).toEqual(Array.from({ length: 12 }, (_, i) => `n${i}`).sort());
  expect(await page.locator('.all-nodes .thumbnail .leaf.is-active').count()).toBe(3);
  await keepPicture(page, 'inspector-all-nodes');
  await groups.getByRole('button', { name: 'n7' }).click();
  expect(await page.locator('#title-chart').innerText()).toBe('Statechart of n7');
});

test('a chart too large for the layout shows a message', async () => {
  const [header, ...lines] = directoryTrace(3, [1]).split('\n');
  const deep = (levels: number): object => (levels === 0 ? { type: 'final' } : { initial: 'a', states: { a: deep(levels - 1) } });
  const changed = { ...(JSON.parse(header!) as object), charts: { directory: deep(120) } };
  const large = await openPage([JSON.stringify(changed), ...lines].join('\n'));
  await large.page.getByText('121 states, nested 120 deep: too many to be drawn').waitFor();
  await large.close();
});

test('a context is a tree: long values unfold, changes show the previous value', async () => {
  const [header, ...lines] = directoryTrace()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const first = lines.find(({ node }) => node === 'n2');
  const [role] = Object.keys(first.roles);
  const items = Array.from({ length: 250 }, (_, id) => ({ id, name: `item ${id}`, at: { x: id } }));
  const holding = (context: object) => ({ [role!]: { ...first.roles[role!], context } });
  const [before, after] = [
    { shop: { items, gone: true }, text: 'x'.repeat(300) },
    { shop: { items: items.with(120, { id: 120, name: 'another', at: { x: 7 } }), come: 1 }, text: `${'x'.repeat(299)}y` },
  ];
  const line = { ...first, kind: 'note', event: { type: 'go' }, index: 1, at: 1, roles: holding(after) };
  const trace = [header, { ...first, index: 0, roles: holding(before) }, line].map((one) => JSON.stringify(one)).join('\n');
  const { page, close } = await openPage(`${trace}\n`);
  await page.keyboard.press('End');
  const context = page.getByRole('group', { name: 'context of the selected node' });
  // Both are the same for as many letters as are shown.
  await expect.poll(() => context.locator('tr.is-changed').count()).toBe(2);
  const unfold = (text: RegExp) => context.locator('summary').filter({ hasText: text }).first().press('Enter');
  await unfold(/^\{"items"/);
  await unfold(/^\[\{"id":0/);
  expect(await context.locator('tr li').filter({ hasText: /^gone/ }).locator('del').innerText()).toBe('true');
  const more = context.getByRole('button', { name: / more$/ });
  expect(await more.innerText()).toBe('149 more');
  const changed = context.locator('li.is-changed').filter({ hasText: /^120:/ });
  expect(await changed.innerText()).toContain(
    '{"id":120,"name":"item 120","at":{"x":120}} → {"id":120,"name":"another","at":{"x":7}}',
  );
  expect(await context.locator('li ul li.is-changed').count()).toBe(1);
  await unfold(/^xxx/);
  await expect.poll(() => context.locator('tr').last().innerText()).toContain(`${'x'.repeat(299)}y`);
  expect(await axeComplaints(page, '[data-view="chart"]')).toEqual([]);
  expect(await page.getByRole('slider').getAttribute('aria-valuenow')).toBe('2');
  await page.locator('[data-view="chart"]').getByRole('button', { name: 'fill the page' }).click();
  await changed.scrollIntoViewIfNeeded();
  await more.click();
  expect(await more.innerText()).toBe('50 more');
  await keepPicture(page, 'inspector-context');
  await close();
});
