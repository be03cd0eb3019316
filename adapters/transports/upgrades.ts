/**
 * The upgrades of one HTTP server, by path. Hubs share a server with each other and with endpoints of the application.
 *
 * An upgrade is handled after all other listeners have been called. If one of them has answered a socket, the hub does not touch it: a
 * second answer would break its connection, and `ws` throws if called twice. A path without a hub is left to the other listeners. If there
 * are none, the answer is 404.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { UsageError } from '../../machines/errors.js';

export interface Taker {
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Called for a request to a path without a hub. */
  missed(request: IncomingMessage): void;
}

class Paths {
  /** `null` is the key of the hub that takes all remaining paths. */
  readonly takers = new Map<string | null, Taker>();

  constructor(private readonly server: Server) {
    // Called before the other listeners, to detect what they write.
    server.prependListener('upgrade', this.upgrade);
  }

  end(): void {
    this.server.off('upgrade', this.upgrade);
  }

  private readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // Node ignores the socket from here on. An error without a listener, such as a reset connection, would end the process.
    socket.on('error', () => {});
    const before = request.socket.bytesWritten;
    queueMicrotask(() => {
      const isAnswered = !socket.writable || request.socket.bytesWritten !== before;
      if (!isAnswered) this.pass(request, socket, head);
    });
  };

  private pass(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const taker = this.takers.get(pathOfUpgrade(request)) ?? this.takers.get(null);
    if (taker) return taker.take(request, socket, head);
    if (this.server.listenerCount('upgrade') > 1) return;
    for (const each of this.takers.values()) each.missed(request);
    turnAway(socket, 404);
  }
}

const pathsOf = new WeakMap<Server, Paths>();

/** Takes the upgrades of a path and returns the function that releases it. Throws a `UsageError` if the path is taken. */
export function takeUpgrades(server: Server, path: string | null, taker: Taker, who: string): () => void {
  const paths = pathsOf.get(server) ?? new Paths(server);
  if (paths.takers.has(path))
    throw new UsageError(`${who}: the path ${path} of this server belongs to another hub. Use a unique path for each hub`);
  pathsOf.set(server, paths);
  paths.takers.set(path, taker);
  return () => {
    paths.takers.delete(path);
    if (paths.takers.size > 0) return;
    paths.end();
    pathsOf.delete(server);
  };
}

/** Path of a request; `null` if its URL is invalid, such as `//`. The client defines the URL. */
export function pathOfUpgrade({ url = '/' }: Pick<IncomingMessage, 'url'>): string | null {
  return URL.canParse(url, HERE) ? new URL(url, HERE).pathname : null;
}
const HERE = 'http://here';

const REASONS = {
  403: 'Forbidden',
  404: 'Not Found',
  426: 'Upgrade Required',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
};

/** Answers an upgrade with an error. A peer reads only the status (refusals.ts). An answered socket is not changed. */
export function turnAway(socket: Duplex, status: keyof typeof REASONS): void {
  if (socket.writableEnded) return;
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${status} ${REASONS[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}
