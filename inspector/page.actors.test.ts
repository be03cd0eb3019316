/** A live application on the page: the tree of its actors, and the table of its events. */
import type { Locator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { startApplication, type Application } from './page/testing/application.js';
import { axeComplaints } from './page/testing/axe.js';
import { pageUrl, visit } from './page/testing/browser.js';
import { watchPictures } from './page/testing/looks.js';
import { receiveInspection } from './stately/receive.js';

async function opened(options?: { reach: boolean }): Promise<{ page: Page; application: Application }> {
  const receiving = await receiveInspection({ page: pageUrl });
  onTestFinished(() => receiving.close());
  const application = await startApplication(receiving.url, options);
  const { page, leave } = await visit(receiving.url);
  onTestFinished(() => leave());
  await page.getByRole('treeitem').first().waitFor();
  return { page, application };
}

/** The rows of the tree, without their last events. */
const tree = async (page: Page): Promise<string[]> =>
  (await page.getByRole('treeitem').allInnerTexts()).map((text) =>
    text.replaceAll(/[▾▸]/g, '').trim().split('\n').slice(0, 2).join(' '),
  );
const selected = (page: Page) => page.getByRole('treeitem', { selected: true });

test('300 promises that ended are one row of the tree, whatever is selected', async () => {
  const { page, application } = await opened();
  await application.load(300);
  await expect
    .poll(() => tree(page), { timeout: 60_000 })
    .toEqual([expect.stringMatching(/shop.*2 running/), 'app idle', 'cart empty', '300 stopped']);
  // One of them is selected, and stays in the fold.
  await page.getByRole('treeitem', { name: '300 stopped' }).click();
  await page.getByRole('treeitem', { name: /^load/ }).first().click();
  await page.getByRole('treeitem', { name: '300 stopped' }).click();
  await expect.poll(() => tree(page)).toEqual([expect.stringMatching(/shop/), 'app idle', 'cart empty', '300 stopped']);
  expect(await selected(page).innerText()).toContain('300 stopped');
  expect(await page.locator('#title-chart').innerText()).toBe('Statechart of shop/app/load');
  expect(await axeComplaints(page)).toEqual([]);
});

test('the keys of the tree move, open and close; the keys of the page work in it, too', async () => {
  const { page, application } = await opened();
  await application.load(3);
  await expect.poll(() => tree(page)).toHaveLength(4);
  await page.getByRole('tree').focus();
  const press = async (...keys: string[]) => {
    for (const key of keys) await page.keyboard.press(key);
  };
  await press('Home', 'ArrowDown');
  await expect.poll(() => page.locator('#title-chart').innerText()).toBe('Statechart of shop/app');
  await press('ArrowLeft');
  await expect.poll(() => tree(page)).toHaveLength(2);
  await press('ArrowRight', 'ArrowRight');
  await expect.poll(() => page.locator('#title-chart').innerText()).toBe('Statechart of shop/app/cart');
  await press('End', 'ArrowRight');
  await expect.poll(() => tree(page)).toHaveLength(7);
  await press('0');
  expect(await page.getByRole('button', { name: 'fit the whole chart' }).getAttribute('aria-pressed')).toBe('true');
  await press('c', '1');
  expect(await page.locator('.page.has-wide-chart').count()).toBe(1);
  expect(await page.getByRole('button', { name: 'follow the active states' }).getAttribute('aria-pressed')).toBe('true');
  const filter = page.getByRole('textbox', { name: 'filter the actors' });
  await press('c', 'Shift+Tab', 'c', 'a', 'r');
  expect(await filter.inputValue()).toBe('car');
  await expect.poll(() => tree(page)).toEqual([expect.stringMatching(/shop/), 'app idle', 'cart empty']);
});

test('event rows: from, to, type, payload, state and context; a filter hides others', async () => {
  const { page, application } = await opened();
  await application.load(2);
  application.actor.getSnapshot().children['cart']!.send({ type: 'ADD', count: 3 });
  const table = page.getByRole('table', { name: 'events' });
  const row = table.getByRole('row').filter({ hasText: 'ADD' });
  await row.waitFor();
  expect((await row.getByRole('cell').allInnerTexts()).slice(2).map((text) => text.replaceAll('\n', ' '))).toEqual([
    '→ app › cart',
    'ADD',
    '{"count":3}',
    'empty → filled',
    'items: 0 → 3',
  ]);
  expect(await row.getByRole('cell').nth(0).innerText()).toMatch(/^[\d.]+ (ms|s)$/);
  expect(await row.getByRole('cell').nth(1).innerText()).toMatch(/^\d\d:\d\d:\d\d\.\d\d\d$/);
  await expect.poll(() => table.getByRole('cell', { name: 'load done', exact: true }).count()).toBe(2);
  expect(await table.innerText()).not.toMatch(/xstate\.|was sent/);
  await page.getByRole('textbox', { name: 'filter the events' }).fill('type:ADD');
  await expect.poll(() => table.getByRole('row').count()).toBe(2);
  await page.getByRole('textbox', { name: 'filter the events' }).fill('node:crat');
  await page.getByText('No event answers the filter. No node is called "crat". Did you mean "cart"?').waitFor();
  await page.getByRole('textbox', { name: 'filter the events' }).fill('');
  await table.getByRole('cell', { name: 'load done', exact: true }).first().click();
  await expect.poll(() => page.locator('#title-chart').innerText()).toBe('Statechart of shop/app');
});

test('enabled events are buttons; a payload has a form with the last values', async () => {
  const { page, application } = await opened({ reach: true });
  const cart = application.actor.getSnapshot().children['cart']!;
  cart.send({ type: 'ADD', count: 3 });
  await page.getByRole('treeitem', { name: 'cart' }).click();
  const send = page.getByRole('region', { name: /^Send to/ });
  await expect.poll(() => send.getByRole('button').allInnerTexts()).toEqual(['REFUND', 'ADD', 'CLEAR', 'Send']);
  await send.getByRole('button', { name: 'ADD' }).click();
  const count = send.getByLabel('count');
  expect(await count.inputValue()).toBe('3');
  await count.fill('4');
  await send.getByRole('button', { name: 'Send ADD' }).click();
  await expect.poll(() => cart.getSnapshot().context).toEqual({ items: 7 });
  await send.getByRole('button', { name: 'CLEAR' }).click();
  await expect.poll(() => send.getByRole('button').allInnerTexts()).toEqual(['REFUND', 'ADD', 'Send', 'Send ADD']);
  const other = send.getByRole('textbox', { name: 'another event' });
  await other.fill('ADD {count');
  await expect.poll(() => send.locator('.problem').innerText()).toMatch(/^The text from \{ on is not JSON: /);
  expect(await send.getByRole('button', { name: 'Send', exact: true }).isDisabled()).toBe(true);
  await other.fill('ADD {"count":1}');
  await send.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.poll(() => cart.getSnapshot().context).toEqual({ items: 1 });
  await send.getByRole('status').getByText('ADD was accepted.').waitFor();
  await send.getByRole('textbox', { name: 'another event' }).fill('PAY');
  await send.getByRole('button', { name: 'Send', exact: true }).click();
  await send.getByRole('status').getByText('PAY was ignored.').waitFor();
  const table = page.getByRole('table', { name: 'events' });
  const cells = async (row: Locator) => (await row.getByRole('cell').allInnerTexts()).slice(2);
  await expect
    .poll(() => cells(table.getByRole('row').filter({ hasText: 'PAY' })))
    .toEqual(['inspector → app › cart', 'PAY', '', 'ignored', '']);
  await send.getByRole('button', { name: 'REFUND' }).click();
  await send.getByRole('status').getByText('REFUND was refused by isPaid.').waitFor();
  const refund = table.getByRole('row').filter({ hasText: 'REFUND' });
  await expect.poll(() => cells(refund)).toEqual(['inspector → app › cart', 'REFUND', '', 'refused by isPaid', '']);
  await page.getByRole('textbox', { name: 'filter the events' }).fill('from:inspector type:PAY');
  await expect.poll(() => table.getByRole('row').count()).toBe(2);
  expect(await axeComplaints(page)).toEqual([]);
});

test('actors of one name in two programs have their program in lanes and rows', async () => {
  const receiving = await receiveInspection({ page: pageUrl });
  onTestFinished(() => receiving.close());
  // Both programs report the actors of this process.
  const [application] = [await startApplication(receiving.url), await startApplication(receiving.url)];
  const { page, leave } = await visit(receiving.url);
  onTestFinished(() => leave());
  const table = page.getByRole('table', { name: 'events' });
  await table.getByText('shop (2)').first().waitFor();
  await watchPictures(page);
  await application.load(1);
  const lanes = () => page.evaluate(() => [...window.painted!.values()].flatMap(({ words }) => words.map(({ text }) => text)));
  await expect.poll(lanes).toEqual(expect.arrayContaining(['shop › app', 'shop (2) › app']));
  expect(await table.getByText('→ shop › app', { exact: true }).count()).toBeGreaterThan(0);
});
