/** The conformance suite in a real Chromium: WebSockets through a hub in Node, MessageChannels and BroadcastChannels of a page. */
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { launch, missing } from '../../testing/chromium.js';
import { serveProgram } from '../../testing/serve-program.js';
import { onSockets } from './strangers.fixture.js';
import { webSocketHub, type WebSocketHub } from './web-socket-hub.js';

const closing: (() => Promise<unknown> | void)[] = [];
let page: Awaited<ReturnType<Awaited<ReturnType<typeof launch>>['newPage']>>;

const fixture = fileURLToPath(new URL('chromium.fixture.ts', import.meta.url));

beforeAll(async () => {
  if (missing) return;
  const [browser, { origin, close }] = await Promise.all([launch(), serveProgram(`import ${JSON.stringify(fixture)};`)]);
  closing.push(() => browser.close(), close);
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
