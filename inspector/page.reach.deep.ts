/** Gestures on programs that are alive, from the page: processes over NATS that know nothing of an inspector. */
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { natsServer } from '../adapters/transports/servers.fixture.js';
import { hasCommand } from '../testing/servers.js';
import { axeComplaints } from './page/testing/axe.js';
import { eventsOf, pageUrl, visit } from './page/testing/browser.js';
import { startPeer, type Peer } from './page/testing/peers.js';
import { keepPicture } from './page/testing/pictures.js';
import { receiveInspection, type Receiving } from './stately/receive.js';

interface Scene {
  readonly receiving: Receiving;
  readonly page: Page;
  readonly a: Peer;
  readonly b: Peer;
  /** Starts a program that lets itself be reached with `1`. */
  begin(id: string, reach: string): Promise<Peer>;
  leave(allowed?: RegExp): Promise<void>;
}

/** Two programs on a page: `a` has the token and lets itself be reached, `b` does so if asked. */
async function scene({ isOneClosed = false } = {}): Promise<Scene> {
  const server = await natsServer();
  onTestFinished(() => server.kill());
  const receiving = await receiveInspection({ page: pageUrl });
  onTestFinished(() => receiving.close());
  const { page, leave } = await visit(receiving.url);
  const begin = async (id: string, reach: string) => {
    const peer = startPeer(id, server.port, { QUIVER_INSPECT: receiving.url, QUIVER_REACH: reach });
    await peer.waitFor('ready');
    return peer;
  };
  const [a, b] = [await begin('a', '1'), await begin('b', isOneClosed ? '' : '1')];
  for (const peer of [a, b, a]) await useLock(peer);
  await expect.poll(() => network(page)).toMatch(/0 messages on their way/);
  await page.keyboard.press('g');
  return { receiving, page, a, b, begin, leave };
}

const network = (page: Page) => page.locator('[data-view="network"] [role="img"]').getAttribute('aria-label');
const card = (page: Page) => page.getByRole('complementary', { name: 'intervene' });

/** Selects a node by its name, or a message by its content. */
async function select(page: Page, name: string | RegExp): Promise<void> {
  const view = page.locator('[data-view="network"]');
  await view.getByRole('button', { name: 'show as text' }).click();
  await view.locator('.as-text').getByRole('button', { name, exact: true }).first().click();
  await view.getByRole('button', { name: 'show as text' }).click();
}

async function does(page: Page, name: string, inside = card(page)): Promise<void> {
  await inside.getByRole('button', { name, exact: true }).click();
  await card(page)
    .getByText(/^Done:/)
    .waitFor();
}

const wantLock = (peer: Peer): void => void peer.process.stdin!.write('\n');

async function useLock(peer: Peer): Promise<void> {
  wantLock(peer);
  await peer.waitFor('released');
}

const log = async (page: Page): Promise<string> => {
  await page.getByRole('tab', { name: 'events' }).click();
  return eventsOf(page);
};

const isHere = hasCommand('nats-server');

test.skipIf(!isHere)('a node is paused and goes on; a message is doubled and dropped; an event is sent', async () => {
  const { page, b, leave } = await scene();
  await select(page, 'a directory');
  await does(page, 'pause');
  await card(page).getByText('Now: paused').waitFor();
  wantLock(b);
  await expect.poll(() => network(page)).toMatch(/1 messages on their way/);
  await select(page, /^find/);
  await keepPicture(page, 'inspector-reach');
  expect(await axeComplaints(page)).toEqual([]);
  const message = page.getByRole('region', { name: /^message find/ });
  await does(page, 'duplicate', message);
  await does(page, 'drop', message);
  await expect.poll(() => log(page)).toMatch(/find b directory → a directory was lost: dropped by hand/);
  expect(await log(page)).toMatch(/find b directory → a directory was doubled/);
  await does(page, 'resume');
  await b.waitFor('released');
  await expect.poll(() => network(page)).toMatch(/0 messages on their way/);
  expect(await log(page)).toMatch(/a directory was paused by hand[\s\S]*a directory was resumed by hand/);

  await page.getByRole('button', { name: 'let go of this message' }).click();
  await select(page, 'peer b/user');
  const send = page.getByRole('region', { name: /^Send to/ });
  await send.getByRole('textbox', { name: 'another event' }).fill('want');
  await send.getByRole('button', { name: 'Send', exact: true }).click();
  await expect.poll(() => log(page)).toMatch(/peer b\/user was asked to want by inspector/);
  await leave();
});

test.skipIf(!isHere)('clog and slow a channel, issue a command, reject nonsense', async () => {
  const { page, a, b, leave } = await scene();
  await select(page, 'a directory');
  await page.getByLabel('link to').selectOption('b directory');
  const link = page.getByRole('region', { name: 'link a directory b directory' });
  const toA = link.locator('.row').filter({ hasText: 'b directory → a directory' });
  await does(page, 'clog', toA);
  await card(page).getByText('Now: clogged from b').waitFor();
  wantLock(b);
  await expect.poll(() => network(page)).toMatch(/1 message/);
  await does(page, 'slow', toA);
  await does(page, 'not slow', toA);
  await does(page, 'unclog', toA);
  await b.waitFor('released');
  await page.getByRole('region', { name: 'Send to a directory' }).getByRole('button', { name: 'release' }).click();
  await card(page).getByRole('alert').getByText('cannot accept the command "release" in its current state').waitFor();
  await useLock(a);
  await leave(/422/);
});

test.skipIf(!isHere)('a program without gestures shows how to allow them, and takes them after that', async () => {
  const { page, b, begin, leave } = await scene({ isOneClosed: true });
  await select(page, 'b directory');
  await card(page).getByText('does not let itself be reached. Start it with QUIVER_REACH=1').waitFor();
  expect(await card(page).getByRole('button').count()).toBe(0);
  b.process.kill('SIGKILL');
  await expect.poll(() => log(page)).toMatch(/b directory is gone/);
  await begin('b', '1');
  await card(page).getByRole('button', { name: 'pause' }).waitFor();
  await leave();
});

test.skipIf(!isHere)('the program goes on when the page goes away, and when the inspector does', async () => {
  const { receiving, page, a, b, leave } = await scene();
  const address = receiving.url;
  await select(page, 'a directory');
  await does(page, 'pause');
  wantLock(b);
  await expect.poll(() => network(page)).toMatch(/1 message/);
  await leave();
  await b.waitFor('released');

  const again = await visit(address);
  await expect.poll(() => network(again.page)).toMatch(/Network of 5 nodes/);
  await again.page.keyboard.press('g');
  await select(again.page, 'b directory');
  await does(again.page, 'pause');
  wantLock(a);
  await expect.poll(() => network(again.page)).toMatch(/1 message/);
  await receiving.close();
  await a.waitFor('released');
  for (const peer of [b, a]) await useLock(peer);
  await again.leave(/ERR_|Failed to load/);
});
