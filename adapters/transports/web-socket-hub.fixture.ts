/** Hubs and clients for tests: peers, and clients without a library. Everything is closed when the test has finished. */
import { once } from 'node:events';
import type net from 'node:net';
import { expect, onTestFinished, vi } from 'vitest';
import { WebSocket, type ClientOptions } from 'ws';
import type { Transport } from './transport.js';
import { webSocketHub, type WebSocketHub, type WebSocketHubOptions } from './web-socket-hub.js';
import { webSocket, type WebSocketOptions } from './web-socket.js';

export async function hubWith(options: Partial<WebSocketHubOptions> = {}): Promise<WebSocketHub> {
  const hub = await webSocketHub({ ...(options.server ? {} : { port: 0 }), ...options });
  onTestFinished(() => hub.close());
  return hub;
}

export function peer(id: string, port: number, options: Partial<WebSocketOptions> = {}): Transport {
  const transport = webSocket({ id, url: `ws://127.0.0.1:${port}`, WebSocket, ...options });
  onTestFinished(() => transport.close());
  return transport;
}

/** A client without a library. `hello` contains its id. */
export async function raw(
  port: number,
  hello?: object,
  options: ClientOptions = {},
  path = '',
): Promise<WebSocket & { got: any[] }> {
  const socket = Object.assign(new WebSocket(`ws://127.0.0.1:${port}${path}`, options), { got: [] as any[] });
  onTestFinished(() => socket.terminate());
  socket.on('message', (data) => socket.got.push(JSON.parse(String(data))));
  await once(socket, 'open');
  if (hello) {
    socket.send(JSON.stringify({ type: 'hello', key: 'k', ...hello }));
    await vi.waitFor(() => expect(socket.got[0]?.type).toBe('welcome'), 20_000);
  }
  return socket;
}

/** Status of a refused connection. */
export async function statusOf(port: number, options: ClientOptions, path = ''): Promise<number> {
  const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`, options);
  socket.on('error', () => {});
  onTestFinished(() => socket.terminate());
  return new Promise((resolve) => {
    socket.on('open', () => resolve(101));
    socket.on('unexpected-response', (_, response) => resolve(response.statusCode!));
  });
}

export const log = (transport: Transport): string[] => {
  const seen: string[] = [];
  transport.events.subscribe((event) =>
    seen.push(
      event.type === 'message'
        ? `${event.from}: ${JSON.stringify(event.message)}`
        : `${event.type} ${'peer' in event ? event.peer : ''}`,
    ),
  );
  return seen;
};

/** Stops reading and answering without a notification, like a pulled cable. */
export const pull = (socket: WebSocket): void => void (socket as unknown as { _socket: net.Socket })._socket.pause();
