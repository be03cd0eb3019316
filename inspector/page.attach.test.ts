/** An application in a browser, of another origin and served by Vite's development server, attaches to the inspector. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createLogger, createServer, type ViteDevServer } from 'vite';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { Moment } from './model/moment.js';
import { ReadTrace } from './model/recording.js';
import { sentence } from './model/words.js';
import { pageUrl, visit } from './page/testing/browser.js';
import { receiveInspection, type Receiving } from './stately/receive.js';
import { quiver } from './vite.js';

const root = fileURLToPath(new URL('attach.fixture', import.meta.url));
const repository = fileURLToPath(new URL('..', import.meta.url));
const cacheDir = mkdtempSync(join(tmpdir(), 'quiver-vite-'));

let vite: ViteDevServer;
let application: string;
/** The output of Vite. */
const printed: string[] = [];
beforeAll(async () => {
  const customLogger = { ...createLogger('silent'), info: (text: string) => void printed.push(text) };
  const fs = { allow: [repository, cacheDir] };
  const server = { host: '127.0.0.1', port: 0, fs, hmr: false as const };
  vite = await createServer({ root, configFile: false, cacheDir, customLogger, server, plugins: [quiver({ reach: true })] });
  await vite.listen();
  vite.printUrls();
  application = vite.resolvedUrls!.local[0]!;
});
afterAll(async () => {
  await vite?.close();
  rmSync(cacheDir, { recursive: true, force: true });
});

async function receiving(): Promise<Receiving> {
  const one = await receiveInspection({ page: pageUrl });
  onTestFinished(() => one.close());
  return one;
}

/** The trace as it grows. */
async function follow(url: string): Promise<ReadTrace> {
  const recording = new ReadTrace();
  const { body } = await fetch(`${url}trace`);
  const read = async () => {
    for await (const piece of body!.pipeThrough(new TextDecoderStream())) recording.push(piece);
  };
  void read().catch(() => {});
  return recording;
}

function livesIn(recording: ReadTrace): Record<string, string> {
  if (recording.end === 0) return {};
  const end = new Moment(recording, recording.end - 1);
  return Object.fromEntries(recording.nodes.names.map((name, node) => [name, end.life(node)]));
}

const sentencesOf = (recording: ReadTrace): string[] =>
  Array.from({ length: recording.end }, (_, line) => sentence(recording.line(line)));

const attached = async (recording: ReadTrace, query: string, prefix: string, gone: string) => {
  const { page, leave } = await visit(`${application}?${query}`);
  await expect.poll(() => livesIn(recording)).toEqual({ [`${prefix}todos`]: 'alive', [`${prefix}todos/toggle`]: 'alive' });
  // @statelyai/inspect sends when its page is idle, which one click need not lead to.
  const clicked = async () => {
    await page.getByRole('button', { name: 'add' }).click();
    return sentencesOf(recording);
  };
  await expect.poll(clicked, { interval: 200 }).toContain(`${prefix}todos/toggle received flip from ${prefix}todos`);
  expect(livesIn(recording)).toEqual({ [`${prefix}todos`]: 'alive', [`${prefix}todos/toggle`]: 'alive' });
  await leave();
  await expect.poll(() => livesIn(recording)).toEqual({ [`${prefix}todos`]: gone, [`${prefix}todos/toggle`]: gone });
};

/** The address that the plugin printed. */
const printedAddress = (): string => printed.join('\n').match(/http:\/\/127\.0\.0\.1:\d+\/[\w-]+\//)![0];

test('the plugin for Vite reports every actor; Strict Mode leaves no phantoms', async () => {
  const address = printedAddress();
  expect(new URL(address).origin).not.toBe(new URL(application).origin);
  await attached(await follow(address), '', 'shop/', 'gone');
});

test('createInspector and useMachine in Strict Mode: no phantoms', async () => {
  const { url } = await receiving();
  await attached(await follow(url), `browser=${encodeURIComponent(url)}`, 'shop/', 'gone');
});

test('@statelyai/inspect and useMachine in Strict Mode: no phantoms', async () => {
  const { url, socket } = await receiving();
  await attached(await follow(url), `stately=${encodeURIComponent(socket)}`, '', 'gone');
});

async function sendFromPage(address: string, query: string): Promise<Response> {
  const recording = await follow(address);
  const { leave } = await visit(`${application}?${query}`);
  await expect.poll(() => livesIn(recording)['shop/todos']).toBe('alive');
  const body = JSON.stringify({ do: 'send', node: 'shop/todos', event: { type: 'add' } });
  const sent = await fetch(`${address}reach/do`, { method: 'POST', body });
  if (sent.ok) await expect.poll(() => sentencesOf(recording).join('\n')).toContain('shop/todos was asked to add by inspector');
  await leave();
  return sent;
}

test('a page sends events to an application in a browser only if it allows them', async () => {
  expect((await sendFromPage(printedAddress(), '')).status).toBe(200);
  const { url } = await receiving();
  const query = `browser=${encodeURIComponent(url)}`;
  expect((await sendFromPage(url, `${query}&reach`)).status).toBe(200);
  const other = await receiving();
  const refused = await sendFromPage(other.url, `browser=${encodeURIComponent(other.url)}`);
  expect(await refused.text()).toMatch(/^The program of "shop\/todos" does not accept gestures\. Start it with .* reach: true/);
});

test('a wrong token is reported in terminal and page, and the application continues', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const { url } = await receiving();
  const recording = await follow(url);
  const wrong = url.replace(/\/[\w-]+\/$/, '/guess/');
  const { page, leave } = await visit(`${application}?browser=${encodeURIComponent(wrong)}`);
  await page.getByRole('button', { name: 'add' }).click();
  const refusal = `A program of ${new URL(application).origin} used a wrong token and was refused. Give it the whole address that this inspector printed.`;
  await expect.poll(() => recording.refusals).toEqual([refusal]);
  expect(warn.mock.calls.flat()).toEqual([`quiver: ${refusal}`]);
  await leave(/WebSocket connection to .* failed|no connection to the inspector/);
  const shown = await visit(url);
  const alerts = shown.page.getByRole('alert');
  await expect.poll(() => alerts.allInnerTexts()).toEqual([`${refusal} Close`]);
  expect((await fetch(new URL('/guess/report', url), { method: 'POST' })).status).toBe(404);
  await expect.poll(() => alerts.allInnerTexts()).toEqual([`${refusal} Close`, expect.stringMatching(/^A program used a wrong/)]);
  await alerts.first().getByRole('button', { name: 'Close' }).click();
  await expect.poll(() => alerts.allInnerTexts()).toEqual([expect.stringMatching(/^A program used a wrong/)]);
  // No program has attached: the page shows how to, with its own address.
  expect(await shown.page.getByRole('button', { name: 'Copy' }).count()).toBe(4);
  expect((await shown.page.locator('.attach pre').allInnerTexts()).filter((text) => !text.includes(new URL(url).host))).toEqual(
    [],
  );
  await shown.leave();
});
