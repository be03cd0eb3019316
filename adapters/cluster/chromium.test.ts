/** A client in a real Chromium uses actors of members in Node, through a hub. */
import { fileURLToPath } from 'node:url';
import { WebSocket } from 'ws';
import { expect, onTestFinished, test } from 'vitest';
import { launch, missing } from '../../testing/chromium.js';
import { serveProgram } from '../../testing/serve-program.js';
import { linked } from '../linked.js';
import { webSocketHub } from '../transports/web-socket-hub.js';
import { webSocket } from '../transports/web-socket.js';
import { visits } from './chromium-machine.fixture.js';
import { createCluster } from './cluster.js';

const fixture = fileURLToPath(new URL('chromium.fixture.ts', import.meta.url));

test.skipIf(missing)('a page sends to an actor and sees its snapshots', { timeout: 60_000 }, async () => {
  const [browser, { origin, close }] = await Promise.all([launch(), serveProgram(`import ${JSON.stringify(fixture)};`)]);
  const page = await browser.newPage();
  const hub = await webSocketHub({ port: 0, origins: [origin] });
  const [peers, url] = [['a', 'b', 'c'], `ws://127.0.0.1:${hub.port}`];
  const transports = peers.map((id) => linked(webSocket({ id, url, WebSocket }), { peers, open: true }));
  const members = transports.map((transport) => createCluster({ transport, peers, machines: { visits } }));
  onTestFinished(async () => {
    await browser.close();
    close();
    await Promise.all(members.map((member) => member.close({ withinMs: 500 })));
    await Promise.all(transports.map((transport) => transport.close()));
    await hub.close();
  });
  await members[0]!.actor('visits', 'home').send({ type: 'VISIT' });
  await page.goto(origin);
  expect(await page.evaluate((at) => useActor(at), url)).toEqual([3, 3]);
});
