/** The cost of the inspector without activity: an idle page, and an unobserved program. */
import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { createNode } from '../adapters/node/node.js';
import { InProcessBus } from '../adapters/transports/in-process.js';
import { directory } from '../machines/directory/index.js';
import { storyShelf } from '../papers/stories/shelf.js';
import { inspect } from './live/inspect.js';
import { openPage, pageUrl, read, visit } from './page/testing/browser.js';
import { directoryTrace } from './page/testing/traces.js';
import { serveTrace } from './server.js';

const REST_MS = 1500;
/** Layouts settle, fonts come, a hint goes away. */
const SETTLE_MS = 1000;

/** The activity of the page during a time: seconds of script (each timer or frame takes some), and the requests that it sends. */
async function doneIn(
  page: Page,
  ms: number,
): Promise<{ readonly script: number; readonly layouts: number; readonly sent: string[] }> {
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Performance.enable');
  const measured = async () => {
    const { metrics } = await devtools.send('Performance.getMetrics');
    return (name: string) => metrics.find((metric) => metric.name === name)!.value;
  };
  const sent: string[] = [];
  const note = (request: { url(): string }) => void sent.push(request.url());
  page.on('request', note);
  const before = await measured();
  await pause(ms);
  const after = await measured();
  page.off('request', note);
  await devtools.detach();
  const [script, layouts] = ['ScriptDuration', 'LayoutCount'].map((name) => after(name) - before(name)) as [number, number];
  return { script, layouts, sent };
}

const NOTHING = { script: 0, layouts: 0, sent: [] };

test('the measure sees a page that plays', async () => {
  const { page, close } = await openPage(directoryTrace());
  await pause(SETTLE_MS);
  await page.keyboard.press('Space');
  const { script } = await doneIn(page, 300);
  expect(script).toBeGreaterThan(0);
  await close();
});

test('a page at rest runs nothing, draws nothing, and sends nothing', async () => {
  const { page, close } = await openPage(directoryTrace());
  await pause(SETTLE_MS);
  expect(await doneIn(page, REST_MS)).toEqual(NOTHING);
  // Neither after a play that was stopped.
  await page.keyboard.press('Space');
  await pause(100);
  await page.keyboard.press('Space');
  await pause(SETTLE_MS);
  expect(await doneIn(page, REST_MS)).toEqual(NOTHING);
  await close();
});

test('neither does a story at its place, with a compared run', async () => {
  const served = await serveTrace('', { page: pageUrl, shelf: storyShelf() });
  const { page, leave } = await visit(`${served.url}#story=arvy/5`);
  await page.getByRole('heading', { name: 'Compared with: Arrow' }).waitFor();
  await read(page);
  await pause(SETTLE_MS);
  expect(await doneIn(page, REST_MS)).toEqual(NOTHING);
  await leave();
  await served.close();
});

test('nor a page of live nodes that rest', async () => {
  const bus = new InProcessBus();
  const topology = { nodes: ['a', 'b'], links: [['a', 'b', 1]] as [string, string, number][] };
  const nodes = ['a', 'b'].map((id) => createNode({ transport: bus.transport(id), protocol: directory, topology }));
  const watched = await inspect(nodes, { page: pageUrl });
  const { page, leave } = await visit(watched.url);
  await page.locator('[data-view="network"] canvas').waitFor();
  await pause(2 * SETTLE_MS);
  expect(await doneIn(page, REST_MS)).toEqual(NOTHING);
  await leave();
  await watched.close();
  bus.close();
});

/** The modules that a program has loaded, by what V8 has covered. */
async function loadedBy(script: string, env: Readonly<Record<string, string>> = {}): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'quiver-loaded-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const auto = fileURLToPath(new URL('../dist/inspector/live/auto.js', import.meta.url));
  const args = ['--import', auto, '--input-type=module', '--eval', script];
  await promisify(execFile)(process.execPath, args, { env: { ...process.env, ...env, NODE_V8_COVERAGE: folder } });
  const covered = readdirSync(folder).flatMap(
    (file) => (JSON.parse(readFileSync(join(folder, file), 'utf8')) as { result: { url: string }[] }).result,
  );
  return covered.map(({ url }) => url).filter((url) => url.startsWith('file:'));
}

test('an unobserved program loads only the module that it imports', async () => {
  const ofInspector = (urls: readonly string[]) => urls.flatMap((url) => /\/dist\/(inspector\/.*)/.exec(url)?.[1] ?? []).sort();
  const locks = JSON.stringify(new URL('../dist/adapters/locks/locks.js', import.meta.url));
  const unset = { QUIVER_INSPECT: '' };
  expect(await loadedBy('', unset)).toEqual([expect.stringMatching(/\/dist\/inspector\/live\/auto\.js$/)]);
  expect(ofInspector(await loadedBy(`await import(${locks})`, unset))).toEqual(['inspector/live/auto.js']);
  // No server listens at this address. The program reports it and ends.
  expect(ofInspector(await loadedBy('', { QUIVER_INSPECT: 'http://127.0.0.1:9/x/' }))).toContain('inspector/live/outbox.js');
});
