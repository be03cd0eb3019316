/** Text and targets of the main views, measured on screens of three sizes: four type sizes, nothing cut, nothing over something else. */
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { createLocks } from '../adapters/locks/locks.js';
import { InProcessBus } from '../adapters/transports/in-process.js';
import { counterexampleTrace } from './counterexample.fixtures.js';
import { startApplication } from './page/testing/application.js';
import { openPage, pageUrl, visit } from './page/testing/browser.js';
import { badWords, measureRoom, measureText, watchPictures } from './page/testing/looks.js';
import { startShop } from './page/testing/shop.js';
import { directoryTrace } from './page/testing/traces.js';
import { storyShelf } from '../papers/stories/shelf.js';
import { inspect } from './live/inspect.js';
import { serveTrace } from './server.js';
import { receiveInspection } from './stately/receive.js';

const SCREENS = [
  { width: 1280, height: 800 },
  { width: 1024, height: 768 },
  { width: 390, height: 844 },
] as const;

const TEXT = { cut: [], overlaps: [], badWords: [], sizes: [] };
const GOOD = { ...TEXT, cutNames: [], uncounted: [], lowChart: null, wrapped: [], small: [], isWide: false };

/** Expects this of what the page shows now, on each screen. */
async function expectGoodLooks(page: Page): Promise<void> {
  await watchPictures(page);
  for (const screen of SCREENS) {
    await page.setViewportSize(screen);
    // A page needs some frames for a new size.
    await expect
      .poll(async () => {
        const { sizes, ...text } = await measureText(page);
        const others = sizes.filter((size) => !['12px', '13px', '15px', '20px'].includes(size));
        return { screen, ...text, ...(await measureRoom(page)), badWords: await badWords(page), sizes: others };
      })
      .toEqual({ screen, ...GOOD });
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

test('two actors of one name, a cluster with locks, and promises that ended', async () => {
  const receiving = await receiveInspection({ page: pageUrl });
  onTestFinished(() => receiving.close());
  const bus = new InProcessBus();
  const ids = ['a', 'b', 'c'];
  const peers = ids.map((id) => createLocks({ transport: bus.transport(id), peers: ids }));
  for (const { node } of peers)
    onTestFinished((await inspect(node, { report: receiving.url, program: `worker ${node.id}` })).close);
  onTestFinished(async () => void (await Promise.all(peers.map((peer) => peer.close()))));
  const application = await startApplication(receiving.url, { reach: true });
  const shop = startShop();
  onTestFinished(shop.stop);
  await peers[0]!.acquire('checkout');
  // They wait until they are closed.
  for (const peer of peers.slice(1)) peer.acquire('checkout').catch(() => {});
  for (let i = 0; i < 4; i++) {
    await shop.buy();
    await application.load(1);
  }
  const { page, leave } = await visit(receiving.url);
  onTestFinished(() => leave());
  await page.getByRole('treeitem').filter({ hasText: 'waits for checkout' }).nth(1).waitFor();
  await page.locator('.is-placing').waitFor({ state: 'detached' });
  await page.getByRole('treeitem').filter({ hasText: 'checkout' }).first().click();
  await expectGoodLooks(page);
});

test('after a minute, times keep their fractions', async () => {
  const chart = { id: 'boss', initial: 'open', states: { open: {} } };
  const header = { quiver: 1, protocol: 'programs', scenario: null, seed: 0, nodes: [], links: [], charts: {}, properties: [] };
  const roles = { boss: { chart: 'boss', value: 'open', context: {} } };
  const step = { sent: [], emitted: [], roles, clock: {}, node: 'shop/boss', kind: 'command', event: { type: 'TICK' } };
  const steps = Array.from({ length: 40 }, (_, index) => ({ ...step, index, at: 70_000 + 1_230 * index }));
  const first = { ...header, live: true, began: 0, charts: { boss: chart } };
  const { page, close } = await openPage([first, ...steps].map((line) => `${JSON.stringify(line)}\n`).join(''));
  await page.keyboard.press('End');
  expect(await page.locator('[aria-current="step"] .at').innerText()).toBe('1 min 57.97 s');
  await expectGoodLooks(page);
  // No program takes its gestures.
  await close(/404/);
});
