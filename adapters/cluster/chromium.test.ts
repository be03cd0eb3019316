/** A client in a real Chromium uses actors of members in Node, through a hub. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { build, type Rolldown } from 'vite';
import { WebSocket } from 'ws';
import { expect, onTestFinished, test } from 'vitest';
import { launch, missing } from '../../testing/chromium.js';
import { linked } from '../linked.js';
import { webSocketHub } from '../transports/web-socket-hub.js';
import { webSocket } from '../transports/web-socket.js';
import { visits } from './chromium-machine.fixture.js';
import { createCluster } from './cluster.js';

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

/** A page with the script, and its origin. */
async function opened() {
  const [browser, code] = await Promise.all([launch(), script()]);
  const server = createServer((_, response) => response.setHeader('content-type', 'text/html').end(`<script>${code}</script>`));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    await browser.close();
    server.close();
  });
  return { page: await browser.newPage(), origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

test.skipIf(missing)('a page sends to an actor and sees its snapshots', { timeout: 60_000 }, async () => {
  const { page, origin } = await opened();
  const hub = await webSocketHub({ port: 0, origins: [origin] });
  const [peers, url] = [['a', 'b', 'c'], `ws://127.0.0.1:${hub.port}`];
  const transports = peers.map((id) => linked(webSocket({ id, url, WebSocket }), { peers: [...peers, 'page'] }));
  const members = transports.map((transport) => createCluster({ transport, peers, machines: { visits } }));
  onTestFinished(async () => {
    await Promise.all(members.map((member) => member.close({ withinMs: 500 })));
    await Promise.all(transports.map((transport) => transport.close()));
    await hub.close();
  });
  await members[0]!.actor('visits', 'home').send({ type: 'VISIT' });
  await page.goto(origin);
  expect(await page.evaluate((at) => useActor(at), url)).toEqual([3, 3]);
});
