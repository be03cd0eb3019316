/**
 * The hub that WebSocket peers meet at, for Node, on the package `ws`.
 *
 *     const hub = await webSocketHub({ port: 8080 });
 *
 * It listens on 127.0.0.1 unless told otherwise, accepts frames of a megabyte at most, and parts with peers that fall silent, that
 * send too fast, or that do not take what is sent to them. It keeps nothing: what is under way when it stops is lost.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { WebSocketServer, type WebSocket } from 'ws';
import { Hub, type Line } from './hub.js';
import { Rate } from './rate.js';
import { socketLine } from './web-socket.js';

const FRAME_BYTES_MAX = 2 ** 20;
const BACKLOG_BYTES_MAX = 2 ** 24;
const FRAMES_PER_SECOND_MAX = 100_000;
const PING_MS = 10_000;

export interface WebSocketHubOptions {
  /** 0 takes any free one. */
  readonly port: number;
  readonly host?: string;
}

export async function webSocketHub({ port, host = '127.0.0.1' }: WebSocketHubOptions): Promise<WebSocketHub> {
  const server = new WebSocketServer({ port, host, maxPayload: FRAME_BYTES_MAX, perMessageDeflate: false });
  await once(server, 'listening');
  return new WebSocketHub(server);
}

export class WebSocketHub implements AsyncDisposable {
  private readonly hub = new Hub();
  private readonly ping: NodeJS.Timeout;

  constructor(private readonly server: WebSocketServer) {
    const answered = new WeakSet<WebSocket>();
    server.on('connection', (socket) => {
      answered.add(socket);
      socket.on('pong', () => answered.add(socket));
      this.hub.attach(bounded(socket));
    });
    this.ping = setInterval(() => {
      for (const socket of server.clients) {
        if (answered.delete(socket)) socket.ping();
        else socket.terminate();
      }
    }, PING_MS);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    clearInterval(this.ping);
    this.hub.close();
    for (const socket of this.server.clients) socket.terminate();
    await new Promise((resolve) => this.server.close(resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

function bounded(socket: WebSocket): Line {
  const line = socketLine(socket);
  const rate = new Rate(FRAMES_PER_SECOND_MAX);
  return {
    ...line,
    listen: ({ frame, closed }) =>
      line.listen({
        frame: (value) => {
          if (rate.allows()) frame(value);
          else socket.terminate();
        },
        closed,
      }),
    send: (frame) => {
      if (socket.bufferedAmount > BACKLOG_BYTES_MAX) socket.terminate();
      else line.send(frame);
    },
  };
}
