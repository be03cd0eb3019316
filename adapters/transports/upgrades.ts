/**
 * The upgrades of one HTTP server, by path: hubs share a server with each other and with endpoints of the application.
 *
 * An upgrade is taken when all other listeners have been called. A socket that one of them has answered is left alone: a second answer
 * would break its connection, and `ws` throws where it is asked twice. A path that no hub has is for the others; where there are no
 * others it is answered with 404.
 */
import type { IncomingMessage, Server } from 'node:http';
import type { Duplex } from 'node:stream';
import { UsageError } from '../../machines/errors.js';

export interface Taker {
  take(request: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Somebody came to a path that nobody has. */
  missed(request: IncomingMessage): void;
}

class Paths {
  /** `null` is every path that nobody else takes. */
  readonly takers = new Map<string | null, Taker>();

  constructor(private readonly server: Server) {
    // Before the others, to see what they write.
    server.prependListener('upgrade', this.upgrade);
  }

  end(): void {
    this.server.off('upgrade', this.upgrade);
  }

  private readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    // Node looks at it no more: an error that nobody hears, a connection that is reset for instance, would end the process.
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

/** Gives the function that ends it. Throws a `UsageError` for a path that is taken. */
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

/** `null` for what is not an address, `//` for instance: it is for whoever connects to say. */
export function pathOfUpgrade({ url = '/' }: Pick<IncomingMessage, 'url'>): string | null {
  return URL.canParse(url, HERE) ? new URL(url, HERE).pathname : null;
}
const HERE = 'http://here';

const SAYS = {
  403: 'Forbidden',
  404: 'Not Found',
  426: 'Upgrade Required',
  431: 'Request Header Fields Too Large',
  503: 'Service Unavailable',
};

/** What a peer reads of it is in the status (refusals.ts). A socket that has been answered stays as it is. */
export function turnAway(socket: Duplex, status: keyof typeof SAYS): void {
  if (socket.writableEnded) return;
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${status} ${SAYS[status]}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}
