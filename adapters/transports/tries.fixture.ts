/** Failed attempts over real sockets, on a clock that runs a thousand times as fast, and checks for leaks. */
import { getEventListeners, once } from 'node:events';
import net from 'node:net';
import { expect, onTestFinished, vi } from 'vitest';
import { WebSocket, type ClientOptions } from 'ws';
import { faster } from './clock.fixture.js';
import { freePort } from '../../testing/servers.js';
import type { Transport } from './transport.js';
import { webSocketMesh } from './web-socket-mesh.js';
import { webSocket } from './web-socket.js';

const clock = faster(1_000);

/** Timers, sockets and servers of this thread. */
function open(): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const kind of process.getActiveResourcesInfo()) counts[kind] = (counts[kind] ?? 0) + 1;
  const { Timeout = 0, TCPSocketWrap = 0, TCPServerWrap = 0, TCPConnectWrap = 0 } = counts;
  return { timers: Timeout, sockets: TCPSocketWrap + TCPConnectWrap, servers: TCPServerWrap };
}

/** Number of listeners on all abort signals that were used since. */
function listeners(): () => number {
  const signals = new Set<AbortSignal>();
  const { addEventListener } = AbortSignal.prototype;
  const add = vi.spyOn(AbortSignal.prototype, 'addEventListener').mockImplementation(function (this: AbortSignal, ...args) {
    signals.add(this);
    addEventListener.apply(this, args as never);
  });
  onTestFinished(() => add.mockRestore());
  return () => [...signals].reduce((sum, signal) => sum + getEventListeners(signal, 'abort').length, 0);
}

/** A server that in turn closes the connection, answers that it is busy, sends garbage, or sends nothing. */
async function uselessServer(): Promise<number> {
  let served = 0;
  const sockets = new Set<net.Socket>();
  const server = net.createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    // A silent server still reads, and detects that the other end closes.
    socket.resume();
    [() => socket.destroy(), () => socket.end('HTTP/1.1 503 Busy\r\n\r\n'), () => socket.end('\0nonsense'), () => {}][
      served++ % 4
    ]!();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return (server.address() as net.AddressInfo).port;
}

type Sockets = new (url: string, options?: ClientOptions) => WebSocket;
/** Clients and their addresses. */
const peers: [string, (url: string, Class: Sockets, port: number) => Transport][] = [
  ['a peer of a hub', (url, Class) => webSocket({ id: 'a', url, WebSocket: Class, clock })],
  ['a mesh peer', (url, Class, port) => webSocketMesh({ id: 'a', listen: { port }, peers: [url], WebSocket: Class, clock })],
];
const places: [string, () => Promise<number>][] = [
  ['without a server', freePort],
  ['with a useless server', uselessServer],
];

type Create = (typeof peers)[number][1];
type Place = (typeof places)[number][1];

export const futile: readonly [who: string, where: string, create: Create, place: Place][] = peers.flatMap(([who, create]) =>
  places.map(([where, place]): [string, string, Create, Place] => [who, where, create, place]),
);

/** Checks that many attempts leave no timer, socket or listener, and that close ends the last one. */
export async function leavesNothing(count: number, create: Create, place: Place): Promise<void> {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const tried: WebSocket[] = [];
  class Counted extends WebSocket {
    constructor(url: string, options?: ClientOptions) {
      super(url, options);
      tried.push(this);
    }
  }
  const [url, port] = [`ws://127.0.0.1:${await place()}`, await freePort()];
  const [before, listening] = [open(), listeners()];
  const transport = create(url, Counted, port);
  const connecting = transport.connect().catch((error: Error) => error);
  await expect.poll(() => tried.length, { timeout: 20_000, interval: 5 }).toBeGreaterThan(20);
  const early = { ...open(), listeners: listening() };
  await expect.poll(() => tried.length, { timeout: 120_000 }).toBeGreaterThan(count);
  const late = { ...open(), listeners: listening() };
  // One attempt is active at any time, with a timer and two ends. Timers of the test itself count too.
  const grown = Object.entries(late).filter(([kind, count]) => count > (early as Record<string, number>)[kind]! + 6);
  expect(grown).toEqual([]);
  await transport.close();
  await connecting;
  expect(listening()).toBe(0);
  await expect.poll(() => tried.filter(({ readyState }) => readyState !== WebSocket.CLOSED).length).toBe(0);
  await expect.poll(() => open()['sockets']).toBeLessThanOrEqual(before['sockets']!);
  await expect.poll(() => open()['servers']).toBeLessThanOrEqual(before['servers']!);
  const tries = tried.length;
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(tried.length).toBe(tries);
}
