/** The examples that live in a browser, built and served as an application would be, in real Chromium. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContext, Browser, Page } from 'playwright-core';
import { build, preview, type PreviewServer } from 'vite';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { launch, missing } from '../../testing/chromium.js';

const root = fileURLToPath(new URL('.', import.meta.url));
const outDir = mkdtempSync(join(tmpdir(), 'quiver-examples-'));
let server: PreviewServer;
let browser: Browser;

beforeAll(async () => {
  if (missing) return;
  const rolldownOptions = { input: ['react-lock.html', 'tab-leader.html'].map((page) => join(root, page)) };
  await build({ root, configFile: false, logLevel: 'error', build: { outDir, target: 'es2022', rolldownOptions } });
  server = await preview({ root, configFile: false, build: { outDir }, preview: { host: '127.0.0.1', port: 0, open: false } });
  browser = await launch();
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await server?.close();
  rmSync(outDir, { recursive: true });
});

async function open(context: BrowserContext, page: string): Promise<Page> {
  const tab = await context.newPage();
  await tab.goto(new URL(page, server.resolvedUrls!.local[0]).href);
  return tab;
}

test.skipIf(missing)('react-lock: the components show the state of their actors', async () => {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const tab = await open(context, 'react-lock.html');
  const shown = () => tab.locator('output').allInnerTexts();
  const click = (person: number) => tab.locator('button').nth(person).click();
  await expect.poll(shown).toEqual(['ann: free', 'bob: free']);
  await click(0);
  await expect.poll(shown).toEqual([expect.stringMatching(/^ann: granted \d+$/), 'bob: free']);
  const fence = Number(/\d+/.exec((await shown())[0]!));
  await click(1);
  await expect.poll(shown).toEqual([`ann: granted ${fence}`, 'bob: waiting']);
  await click(0);
  await expect.poll(shown).toEqual(['ann: free', `bob: granted ${fence + 1}`]);
});

test.skipIf(missing)('tab-leader: all tabs name one leader, and another one when its tab is closed', async () => {
  const context = await browser.newContext();
  onTestFinished(() => context.close());
  const names = ['ann', 'bob', 'cy'];
  const tabs = new Map<string, Page>();
  for (const name of names) tabs.set(name, await open(context, `tab-leader.html?${name}`));
  const leaders = async () => {
    const texts = await Promise.all([...tabs.values()].map((tab) => tab.locator('output').innerText()));
    return [...new Set(texts.map((text) => /: (\w+) leads/.exec(text)?.[1]))];
  };
  const secondsAt = async (name: string) => Number(/(\d+) seconds/.exec(await tabs.get(name)!.locator('output').innerText())![1]);
  await expect.poll(async () => (await leaders()).length === 1 && names.includes((await leaders())[0]!)).toBe(true);
  const [first] = await leaders();
  const other = names.find((name) => name !== first)!;
  await expect.poll(() => secondsAt(other)).toBeGreaterThan(0);
  await tabs.get(first!)!.close();
  tabs.delete(first!);
  await expect.poll(async () => [...tabs.keys()].includes((await leaders())[0]!) && (await leaders()).length).toBe(1);
  const before = await secondsAt(other);
  await expect.poll(() => secondsAt(other)).toBeGreaterThan(before);
});
