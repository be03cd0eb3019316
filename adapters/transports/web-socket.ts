/**
 * Peers that reach one another over WebSockets, by way of a hub (web-socket-hub.ts).
 *
 *     const transport = webSocket({ id: 'tab-7', url: 'ws://127.0.0.1:8080' });
 *
 * It uses the platform's WebSocket; where there is none, Node 20 for instance, hand in that of the package `ws`. A lost connection is
 * made again by itself. What was under way is lost with it, so put the link layer on top for protocols that assume reliable links.
 */
import type { NodeId } from '../../machines/effects.js';
import { createTransport } from './driver.js';
import { ConnectionError } from './errors.js';
import { throughHub, type Line, type LineListener } from './hub.js';
import { reconnecting } from './reconnecting.js';
import type { Json, Transport } from './transport.js';

export const webSocketGuarantees = {
  order: 'fifo',
  loss: 'possible',
  duplication: 'none',
  presence: 'reported',
  identity: 'checked',
} as const;

/** What is used of a WebSocket. */
export interface Socket {
  readonly readyState: number;
  send(data: string): void;
  close(): void;
  /** In `ws` alone: closes without waiting for the other end. */
  terminate?(): void;
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: any) => void): void;
}

export interface WebSocketOptions {
  readonly id: NodeId;
  readonly url: string;
  /** The class of the sockets; the platform's own unless given. */
  readonly WebSocket?: new (url: string) => Socket;
}

export const webSocket = ({
  id,
  url,
  WebSocket = globalThis.WebSocket,
}: WebSocketOptions): Transport<typeof webSocketGuarantees> =>
  createTransport(id, webSocketGuarantees, reconnecting(throughHub(id, (signal) => open(new WebSocket(url), url, signal))));

/** Waits until the socket stands. */
function open(socket: Socket, url: string, signal: AbortSignal): Promise<Line> {
  return new Promise((resolve, reject) => {
    const giveUp = () => socket.close();
    signal.addEventListener('abort', giveUp, { once: true });
    socket.addEventListener('open', () => {
      signal.removeEventListener('abort', giveUp);
      resolve(socketLine(socket));
    });
    socket.addEventListener('error', (event) => {
      reject(new ConnectionError(`no connection to ${url}: ${event.message ?? 'the socket failed'}; is the hub there?`));
    });
  });
}

const [OPEN, CLOSED] = [1, 3];
const GOODBYE_MS_MAX = 1_000;

export const socketLine = (socket: Socket): Line => ({
  send: (frame: Json) => {
    if (socket.readyState === OPEN) socket.send(JSON.stringify(frame));
  },
  close: () =>
    new Promise((resolve) => {
      if (socket.readyState === CLOSED) return resolve();
      const impatience = setTimeout(() => socket.terminate?.(), GOODBYE_MS_MAX);
      socket.addEventListener('close', () => {
        clearTimeout(impatience);
        resolve();
      });
      socket.close();
    }),
  listen: ({ frame, closed }: LineListener) => {
    socket.addEventListener('message', ({ data }) => {
      const value = parse(data);
      if (value === undefined) socket.close();
      else frame(value);
    });
    socket.addEventListener('close', closed);
    // A socket that fails closes next; without a listener the failure would end the program.
    socket.addEventListener('error', () => {});
  },
});

function parse(data: unknown): unknown {
  try {
    return JSON.parse(String(data));
  } catch {
    return undefined;
  }
}
