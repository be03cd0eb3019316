/** An inspector that is stopped and started again at its address: its page and the programs that report to it continue. */
import { expect, onTestFinished, test } from 'vitest';
import { startApplication } from './page/testing/application.js';
import { pageUrl, visit } from './page/testing/browser.js';
import { receiveInspection } from './stately/receive.js';

/** The browser logs each request without an answer. */
const UNANSWERED = /ERR_CONNECTION_REFUSED|ERR_INCOMPLETE_CHUNKED_ENCODING|ERR_CONNECTION_RESET|ERR_EMPTY_RESPONSE/;

async function restarted() {
  const first = await receiveInspection({ page: pageUrl });
  const application = await startApplication(first.url);
  const { page, leave } = await visit(first.url);
  const tree = page.getByRole('treeitem', { name: /cart/ });
  await tree.click();
  application.actor.getSnapshot().children['cart']!.send({ type: 'ADD', count: 2 });
  await page.getByRole('heading', { name: 'Statechart of shop/app/cart' }).waitFor();
  const start = async () => {
    const next = await receiveInspection({ page: pageUrl, address: first.url });
    onTestFinished(() => next.close());
    expect(next.url).toBe(first.url);
  };
  const states = () => page.$$eval('.state[data-active="true"]', (all) => all.map((state) => state.getAttribute('data-state')));
  return { first, application, page, leave, start, states };
}

test('a page that follows continues with all actors and with the events that waited', async () => {
  const { first, application, page, leave, start, states } = await restarted();
  await expect.poll(states).toEqual(['filled']);
  await first.close();
  const notice = page.getByText('The inspector has stopped.');
  await notice.waitFor();
  expect(await notice.evaluate((shown) => shown.getBoundingClientRect().left)).toBeGreaterThanOrEqual(10);
  application.actor.getSnapshot().children['cart']!.send({ type: 'CLEAR' });
  await start();
  await page.getByText('live', { exact: true }).waitFor();
  await expect.poll(states).toEqual(['empty']);
  expect(await page.getByRole('heading', { name: 'Statechart of shop/app/cart' }).count()).toBe(1);
  expect(await page.getByRole('row', { name: /CLEAR/ }).count()).toBe(1);
  application.actor.getSnapshot().children['cart']!.send({ type: 'ADD' });
  await expect.poll(states).toEqual(['filled']);
  await leave(UNANSWERED);
});

test('a page that shows an earlier moment stays there, and offers to follow', async () => {
  const { first, page, leave, start } = await restarted();
  // In the tree, the key has another meaning.
  await page.getByRole('heading', { level: 1 }).click();
  await page.keyboard.press('Home');
  await first.close();
  await start();
  await page.getByRole('button', { name: 'Follow it' }).click();
  await page.getByText('live', { exact: true }).waitFor();
  await leave(UNANSWERED);
});
