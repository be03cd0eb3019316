/** The real @xstate/inspect 0.8.0 server: it tells a client on a socket of the machine, each event and each state. */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { inspect } from '@xstate/inspect/lib/server.js';
import { expect, test, vi } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { interpret } from 'xstate';
import { directoryMachine } from '../machines/directory/index.js';
import { directorySamples } from '../machines/directory/samples.js';
import { to4 } from './to4.js';

test('a directory node under inspection', async () => {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  inspect({ server: server as never });
  const client = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const told: { readonly type: string; readonly state?: string }[] = [];
  client.on('message', (data: Buffer) => told.push(JSON.parse(String(data))));
  await once(client, 'open');
  const counted = (type: string) => told.filter((one) => one.type === type).length;

  const [{ input } = { input: null }] = directorySamples;
  const service = interpret(to4(directoryMachine, input), { devTools: true }).start();
  client.send(JSON.stringify({ type: 'xstate.inspecting' }));
  await vi.waitFor(() => expect(counted('service.register')).toBe(1), 20_000);
  for (const type of ['request', 'release', 'request']) service.send({ type });
  await vi.waitFor(() => expect(['service.event', 'service.state'].map(counted)).toEqual([3, 3]), 20_000);
  const states = told.flatMap(({ state }) => (state === undefined ? [] : [JSON.parse(state).value]));
  expect(states.at(-1)).toEqual(service.getSnapshot().value);
  client.terminate();
  server.close();
});
