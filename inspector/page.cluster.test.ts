/** A live cluster on the page: members, actors by kind, the chart of an actor, its events, and its move after the end of its host. */
import type { Page } from 'playwright-core';
import { setup } from 'xstate';
import { expect, onTestFinished, test } from 'vitest';
import { testCluster } from '../adapters/cluster/cluster.fixture.js';
import { inspect } from './live/inspect.js';
import { axeComplaints } from './page/testing/axe.js';
import { pageUrl, visit } from './page/testing/browser.js';

const order = setup({}).createMachine({
  id: 'order',
  initial: 'open',
  states: { open: { on: { PAY: 'paid' } }, paid: { on: { SHIP: 'shipped' } }, shipped: {} },
});
const room = setup({}).createMachine({ id: 'room', initial: 'empty', states: { empty: { on: { ENTER: 'used' } }, used: {} } });

async function opened() {
  const cluster = await testCluster({ order, room });
  const watched = await inspect(
    cluster.peers.map((peer) => peer.cluster),
    { page: pageUrl, program: 'shop' },
  );
  onTestFinished(() => watched.close());
  const { page, leave } = await visit(watched.url);
  onTestFinished(() => leave());
  return { cluster, page };
}

/** The rows of the tree, without their last events. */
const tree = async (page: Page): Promise<string[]> =>
  (await page.getByRole('treeitem').allInnerTexts()).map((text) =>
    text.replaceAll(/[▾▸]/g, '').trim().split('\n').slice(0, 2).join(' '),
  );

/** The cells of the rows with this event: route, event, payload and state. */
const rowsOf = async (page: Page, event: RegExp): Promise<string[][]> => {
  const rows = page.getByRole('table', { name: 'events' }).getByRole('row').filter({ hasText: event });
  const cells = await Promise.all((await rows.all()).map((row) => row.getByRole('cell').allInnerTexts()));
  return cells.map((texts) => texts.slice(2, 6).map((text) => text.replaceAll('\n', ' ')));
};

test('shows hosts, charts and events; a killed host loses its actor to a member', async () => {
  const { cluster, page } = await opened();
  await cluster.of('a').cluster.actor('order', '42').send({ type: 'PAY' });
  await cluster.of('b').cluster.actor('room', 'lobby').send({ type: 'ENTER' });
  await expect
    .poll(() => tree(page))
    .toEqual([
      'shop 3 running',
      'a member',
      'b member',
      'c member',
      'order 1 in the cluster',
      '42 paid',
      'room 1 in the cluster',
      'lobby used',
    ]);
  const actor = page.getByRole('treeitem').filter({ hasText: /^42/ });
  expect(await actor.innerText()).toContain('on a');
  expect(await rowsOf(page, /hosted by a/)).toEqual([
    ['→ order › 42', 'hosted by a', expect.stringMatching(/^{"fence":\d+}$/), 'open'],
  ]);
  expect(await rowsOf(page, /PAY/)).toEqual([['a → order › 42', 'PAY', '', 'open → paid']]);

  await actor.click();
  expect(await page.locator('#title-chart').innerText()).toBe('Statechart of order/42');
  await page.getByLabel('order: paid').waitFor();

  cluster.of('a').kill();
  await cluster.of('b').cluster.actor('order', '42').send({ type: 'SHIP' });
  await expect.poll(() => actor.innerText()).toMatch(/shipped[^]*on [bc]/);
  const [moved] = await rowsOf(page, /moved to/);
  expect(moved!.slice(1, 3)).toEqual([
    expect.stringMatching(/^moved to [bc]$/),
    expect.stringMatching(/^{"before":"a","fence":\d+}$/),
  ]);
  expect(await rowsOf(page, /SHIP/)).toEqual([['b → order › 42', 'SHIP', '', 'paid → shipped']]);
  expect(await axeComplaints(page)).toEqual([]);
});

test('hundreds of actors are one row', async () => {
  const { cluster, page } = await opened();
  const { cluster: a } = cluster.of('a');
  await Promise.all(Array.from({ length: 300 }, (_, i) => a.actor('order', String(i)).send({ type: 'PAY' })));
  await expect.poll(() => tree(page)).toEqual(['shop 3 running', 'a member', 'b member', 'c member', 'order 300 in the cluster']);
  await page.getByRole('textbox', { name: 'filter the actors' }).fill('order/77');
  await expect.poll(() => tree(page)).toEqual(['order 1 in the cluster', '77 paid']);
});
