/** The board as it is deployed, in two tabs of real Chromium. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { build } from 'vite';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launch, missing } from '../../../testing/chromium.js';
import { freePort } from '../../../testing/servers.js';
import type { Card } from './cards.js';

const root = import.meta.dirname;
const folder = mkdtempSync(join(tmpdir(), 'quiver-board-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function start(port: number): Promise<ChildProcess> {
  const env = { ...process.env, TEAM: 'ann,bob', PORT: String(port), DATA: join(folder, 'data'), PAGE: join(folder, 'page') };
  const server = spawn(process.execPath, ['server.js'], { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
  await once(server.stdout, 'data');
  return server;
}

const soon = { timeout: 120_000, interval: 50 };

beforeAll(async () => {
  if (missing) return;
  await build({ root, configFile: false, logLevel: 'error', build: { outDir: join(folder, 'page'), target: 'es2022' } });
}, 600_000);

test.skipIf(missing)(
  'one writer per card, whose tab may close, and whose server may be killed',
  async () => {
    const port = await freePort();
    const url = `http://127.0.0.1:${port}`;
    let server = await start(port);
    const browser = await launch();
    onTestFinished(async () => {
      await browser.close();
      server.kill('SIGKILL');
    });
    const open = async (name: string) => {
      const tab = await browser.newPage();
      await tab.goto(`${url}/?${name}`);
      return tab;
    };
    const people = (tab: Page) => tab.getByLabel('people').getByRole('listitem').allInnerTexts();
    const lockOf = (tab: Page) => tab.locator('article').getAttribute('data-lock');
    const text = (tab: Page) => tab.getByLabel('text');

    const [ann, bob] = (await Promise.all(['ann', 'bob'].map(open))) as [Page, Page];
    await expect.poll(() => people(bob), soon).toEqual(['ann: here', 'bob (you): here']);
    await ann.getByText('add a card').click();
    await expect.poll(() => bob.locator('article').count(), soon).toBe(1);

    // Ann writes, Bob reads along and waits for his turn.
    await text(ann).focus();
    await expect.poll(() => lockOf(ann), soon).toBe('granted');
    await text(ann).fill('milk');
    await expect.poll(() => text(bob).inputValue(), soon).toBe('milk');
    await text(bob).focus();
    await expect.poll(() => lockOf(bob), soon).toBe('waiting');
    expect(await text(bob).isEditable()).toBe(false);

    // Her tab is closed while it holds.
    await ann.close({ runBeforeUnload: true });
    await expect.poll(() => lockOf(bob), soon).toBe('granted');
    await expect.poll(() => people(bob), soon).toEqual(['ann: away', 'bob (you): here']);
    await text(bob).fill('milk and bread');
    await bob.getByText('move on').click();
    await expect
      .poll(() => bob.getByRole('region', { name: 'doing' }).getByLabel('text').inputValue(), soon)
      .toBe('milk and bread');

    // Changes that she had not sent yet are rejected.
    const patch = (body: object) =>
      fetch(`${url}/cards`, { method: 'PATCH', body: JSON.stringify(body) }).then(({ status }) => status);
    const [, notified] = /data: (.*)\n/.exec(await firstOf(`${url}/cards`))!;
    const { id, text: latest, by, fence } = JSON.parse(notified!) as Card;
    expect([latest, by]).toEqual(['milk and bread', 'bob']);
    expect(await patch({ id, by: 'ann', text: 'milk?', fence: fence - 1 })).toBe(409);
    expect(await patch({ id, by: 'ann', fence: 'x' })).toBe(400);

    // The server is killed and restarted: the card still exists, and its lock is granted again, with a larger fence.
    server.kill('SIGKILL');
    await expect.poll(() => bob.getByRole('alert').count(), soon).toBe(1);
    server = await start(port);
    await text(bob).focus();
    await expect.poll(() => lockOf(bob), soon).toBe('granted');
    await text(bob).fill('milk, bread, tea');
    await expect.poll(async () => await firstOf(`${url}/cards`), soon).toContain('milk, bread, tea');

    // A second tab of Bob shows the error that has ended its locks, and the cards.
    const twin = await open('bob');
    await expect.poll(() => twin.getByRole('alert').innerText(), soon).toContain('"bob"');
    expect(await text(twin).inputValue()).toBe('milk, bread, tea');
    expect(await twin.locator('article').innerText()).toContain('read only');
  },
  600_000,
);

/** The first of a stream of events. */
async function firstOf(url: string): Promise<string> {
  const over = new AbortController();
  const { body } = await fetch(url, { signal: over.signal });
  const { value } = await body!.pipeThrough(new TextDecoderStream()).getReader().read();
  over.abort();
  return value!;
}
