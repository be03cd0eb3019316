/** Reports of a browser: kept while the inspector is away, sent again with their number, and taken once. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import type { Batch } from './inbox.js';
import type { StepReport } from './report.js';
import { readAddress } from './address.js';
import { SocketOutbox } from './socket-outbox.js';

const report = (type: string): StepReport => ({
  at: 1,
  node: 'n',
  kind: 'command',
  event: { type },
  sent: [],
  emitted: [],
  roles: {},
});

/** A server of WebSockets at the path `/t/inspect`, an outbox with this token, and the warnings in the console. */
async function connected(token: string) {
  vi.stubGlobal('WebSocket', WebSocket);
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, path: '/t/inspect' });
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const outbox = new SocketOutbox(readAddress('test', `${origin}/${token}`), { name: 'p', run: 'r' }, null);
  onTestFinished(() => {
    outbox.close();
    server.close();
    warn.mockRestore();
    vi.unstubAllGlobals();
  });
  return { server, outbox, origin, warnings: () => warn.mock.calls.flat() };
}

test('a warning names the token that is refused', async () => {
  const { origin, warnings } = await connected('guess');
  await expect
    .poll(warnings)
    .toEqual([
      `quiver: no connection to the inspector at ${origin}; reports wait. Start quiver explore --live. If it runs, its token is not "guess": pass the whole address that it printed.`,
    ]);
});

test('an unanswered batch is repeated on the next connection, and new reports follow', async () => {
  const { server, outbox, origin, warnings } = await connected('t');
  const batches: [connection: number, number: number, events: string[]][] = [];
  let connections = 0;
  server.on('connection', (client) => {
    const connection = ++connections;
    client.on('message', (data: Buffer) => {
      const { number, reports } = JSON.parse(data.toString()) as Batch;
      batches.push([connection, number!, reports.map((one) => (one as StepReport).event.type)]);
      if (connection === 1) client.terminate();
      else client.send(JSON.stringify({ number, isTaken: true }));
    });
  });
  outbox.put(report('one'));
  await expect.poll(warnings).toEqual([`quiver: the inspector at ${origin} has gone; reports wait until it is back.`]);
  outbox.put(report('two'));
  await expect
    .poll(() => batches)
    .toEqual([
      [1, 1, ['one']],
      [2, 1, ['one']],
      [2, 2, ['two']],
    ]);
});
