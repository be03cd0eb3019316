/**
 * A server that accepts one request for each connection: the HTTP parser receives only the head of the first request.
 *
 * Node's parser reads a whole chunk before the first request can be refused: 64 kB with about 1,800 requests. A client that repeated this
 * could block a hub for its peers. The bytes after the head of an upgrade belong to the WebSocket.
 */
import { Server as HttpServer, maxHeaderSize } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import type { Duplex } from 'node:stream';
import { Subscription, type SchedulerLike } from 'rxjs';
import { later } from './later.js';
import { turnAway } from './upgrades.js';

/** First bytes of a request for a WebSocket. They differ from those of TLS. */
const METHOD = Buffer.from('GET ');
const HEAD_END = '\r\n\r\n';

export interface OneRequestServer {
  /** Listens, and owns the connections. */
  readonly netServer: Server;
  /** Emits the upgrades. All other requests have already been answered. */
  readonly upgrades: HttpServer;
}

/** Creates the server, with TLS if there are options for it. A connection without a request is closed after `patienceMs`. */
export function oneRequestServer(tls: TlsOptions | undefined, patienceMs: number, clock: SchedulerLike): OneRequestServer {
  const upgrades = new HttpServer();
  const asking = new Map<Duplex, Subscription>();
  const asks = (socket: Socket) => {
    const life = new Subscription();
    asking.set(socket, life);
    later(life, clock, () => socket.destroy(), patienceMs);
    // Repeated TLS renegotiation emits an error, but the socket stays connected.
    socket.on('error', () => socket.destroy()).once('close', () => life.unsubscribe());
    life.add(() => asking.delete(socket));
    whenHeadIsHere(socket, (head, rest) => {
      upgrades.emit('connection', socket);
      socket.emit('data', head);
      const isUpgrade = !asking.has(socket);
      if (isUpgrade && rest.length > 0) socket.unshift(rest);
      if (!isUpgrade) turnAway(socket, 426);
    });
  };
  upgrades.on('upgrade', (_request, socket) => asking.get(socket)?.unsubscribe());
  // These requests are answered here; by default Node would answer them.
  for (const expecting of ['checkContinue', 'checkExpectation']) upgrades.on(expecting, () => {});
  if (!tls) return { netServer: createServer(asks), upgrades };
  const netServer = createTlsServer({ handshakeTimeout: patienceMs, ...tls }, asks);
  // A client that fails the handshake, or is too slow, is still connected.
  netServer.on('tlsClientError', (_error, socket) => socket.destroy());
  return { netServer, upgrades };
}

/** Calls `take` once with the head. Turns away other protocols, and heads longer than Node's limit. */
function whenHeadIsHere(socket: Socket, take: (head: Buffer, rest: Buffer) => void): void {
  let read = Buffer.alloc(0);
  const more = (piece: Buffer) => {
    const from = Math.max(0, read.length - HEAD_END.length + 1);
    read = Buffer.concat([read, piece]);
    const isAsking = read.subarray(0, METHOD.length).equals(METHOD.subarray(0, read.length));
    const end = read.indexOf(HEAD_END, from) + HEAD_END.length;
    const hasEnd = end >= HEAD_END.length;
    if (isAsking && !hasEnd && read.length <= maxHeaderSize) return;
    socket.off('data', more);
    if (!isAsking) turnAway(socket, 426);
    else if (!hasEnd || end > maxHeaderSize) turnAway(socket, 431);
    else take(read.subarray(0, end), read.subarray(end));
  };
  socket.on('data', more);
}
