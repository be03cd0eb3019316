/** The conformance suite in a real Chromium: WebSockets through a hub in Node, MessageChannels and BroadcastChannels of a page. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launch, missing } from '../../testing/chromium.js';
import { onSockets } from './strangers.fixture.js';
import { webSocketHub, type WebSocketHub } from './web-socket-hub.js';

const closing: (() => Promise<unknown> | void)[] = [];
let page: Awaited<ReturnType<Awaited<ReturnType<typeof launch>>['newPage']>>;

async function script(): Promise<string> {
  const input = fileURLToPath(new URL('chromium.fixture.ts', import.meta.url));
  const rolldownOptions = { input, output: { format: 'iife' as const } };
  const { output } = (await build({
    configFile: false,
    logLevel: 'error',
    build: { write: false, rolldownOptions },
  })) as Rolldown.RolldownOutput;
  return output.flatMap((part) => (part.type === 'chunk' ? [part.code] : [])).join('\n');
}

beforeAll(async () => {
  if (missing) return;
  const [browser, code] = await Promise.all([launch(), script()]);
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(`<script>${code}</script>`));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  closing.push(
    () => browser.close(),
    () => void server.close(),
  );
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  page = await browser.newPage();
  const hubs: WebSocketHub[] = [];
  closing.push(() => Promise.all(hubs.map((hub) => hub.close())));
  await page.exposeFunction('hubPort', async () => {
    hubs.push(await webSocketHub({ port: 0, origins: [origin] }));
    return hubs.at(-1)!.port;
  });
  const speak = (texts: readonly string[]) =>
    onSockets(`ws://127.0.0.1:${hubs.at(-1)!.port}`, '{"type":"hello","id":"x","key":"k"}', texts);
  await page.exposeFunction('strangers', speak);
  await page.goto(origin);
});
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

describe.skipIf(missing)('in Chromium', () => {
  test.each(['web-socket', 'message-port', 'broadcast-channel'])('%s', async (medium) => {
    const results = await page.evaluate((name) => conform(name), medium);
    expect(Object.entries(results).filter(([, result]) => result !== 'held')).toEqual([]);
    expect(Object.keys(results).length).toBeGreaterThan(14);
  });
});
