/**
 * A server of which each connection may ask for one thing: the head of its first request is all that HTTP's parser is given.
 *
 * Node's parser takes whatever has been read, 64 kB with some 1,800 requests in it, before anybody can say no to the first. Whoever
 * connected again for each of these kept a hub from its peers. What follows the head of an upgrade is the WebSocket's.
 */
import { Server as HttpServer, maxHeaderSize } from 'node:http';
import { createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TlsOptions } from 'node:tls';
import type { Duplex } from 'node:stream';
import { Subscription, type SchedulerLike } from 'rxjs';
import { later } from './later.js';
import { turnAway } from './upgrades.js';

/** So asks who wants a WebSocket, and nobody who speaks TLS where there is none. */
const ASKS = Buffer.from('GET ');
const HEAD_END = '\r\n\r\n';

export interface OneRequestServer {
  /** Listens, and has the connections. */
  readonly netServer: Server;
  /** Emits the upgrades. Nobody else asks it for anything: whatever is not an upgrade has been answered. */
  readonly upgrades: HttpServer;
}

/** With TLS when there are options for it. A connection that has asked for nothing after `patienceMs` is closed. */
export function oneRequestServer(tls: TlsOptions | undefined, patienceMs: number, clock: SchedulerLike): OneRequestServer {
  const upgrades = new HttpServer();
  const asking = new Map<Duplex, Subscription>();
  const asks = (socket: Socket) => {
    const life = new Subscription();
    asking.set(socket, life);
    later(life, clock, () => socket.destroy(), patienceMs);
    // Who renegotiates TLS again and again is an error, and still connected.
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
  // Node would answer these by itself, and here they are answered.
  for (const expecting of ['checkContinue', 'checkExpectation']) upgrades.on(expecting, () => {});
  if (!tls) return { netServer: createServer(asks), upgrades };
  const netServer = createTlsServer({ handshakeTimeout: patienceMs, ...tls }, asks);
  // Who fails at the handshake, or is late with it, is still connected.
  netServer.on('tlsClientError', (_error, socket) => socket.destroy());
  return { netServer, upgrades };
}

/** Once. Who begins otherwise is turned away, and who has sent as much as Node takes for a head and has not come to its end. */
function whenHeadIsHere(socket: Socket, take: (head: Buffer, rest: Buffer) => void): void {
  let read = Buffer.alloc(0);
  const more = (piece: Buffer) => {
    const from = Math.max(0, read.length - HEAD_END.length + 1);
    read = Buffer.concat([read, piece]);
    const isAsking = read.subarray(0, ASKS.length).equals(ASKS.subarray(0, read.length));
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
