/**
 * Where WebSockets come in: a server of its own or one of yours, whose upgrades are held to origins and limits before there is a socket.
 *
 * The hub (web-socket-hub.ts) and every peer of a mesh (web-socket-mesh.ts) listen with it.
 */
import { once, type EventEmitter } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { Subscription } from 'rxjs';
import { WebSocketServer as PlatformServer, type ServerOptions as ServerOptionsOfWs, type WebSocket } from 'ws';
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { isObject } from '../../machines/checks.js';
import { environmentOf, type InEnvironment, type PlatformEnvironment } from '../environment.js';
import {
  atLeast,
  checkOptions,
  milliseconds,
  environment,
  hasMethods,
  isClass,
  must,
  optional,
  port,
  someText,
  type Check,
} from '../options.js';
import { BoundedLine, LINE_LIMITS, type LineLimits, type LineRate } from './bounded-line.js';
import { isOrigin, isWelcomeOrigin, type Origins } from './origins.js';
import { ClosedError, ConnectionError } from './errors.js';
import { later } from './later.js';
import { escape, FRAME_BYTES_MAX, quote } from './reading.js';

export interface ListenLimits extends LineLimits {
  /** Connections at a time, and of them from one address. */
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** A connection that has not been admitted after so long is closed. */
  readonly helloMs: number;
}

export const LISTEN_LIMITS: ListenLimits = {
  ...LINE_LIMITS,
  connections: 10_000,
  connectionsPerAddress: 1_000,
  helloMs: 5_000,
};

/** What is used of the class of that name in the package `ws`. */
export interface Upgrades {
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, opened: (socket: WebSocket) => void): void;
}

export interface ListenOptions extends InEnvironment {
  /** 0 takes any free one. */
  readonly port?: number;
  /** 127.0.0.1 unless given. */
  readonly host?: string;
  /** Node's own options of a TLS server; peers come by `wss:` then. */
  readonly tls?: ServerOptions;
  /** Instead of a port: a server of yours, whose upgrades of one path are taken. It stays open. */
  readonly server?: Server;
  readonly path?: string;
  /** Pages of these origins may come in, `https://example.org` for instance; the page's own alone unless given. */
  readonly origins?: Origins;
  readonly limits?: Partial<ListenLimits>;
  /** The class that makes WebSockets of upgrades; that of the package `ws` unless given. */
  readonly WebSocketServer?: new (options: ServerOptionsOfWs) => Upgrades;
}

const IDENTITIES = ['key', 'pfx', 'SNICallback'];
const atLeastOne = optional(atLeast(1, 'connections, frames or bytes'));

const LIMIT_CHECKS: Readonly<Record<keyof ListenLimits, Check>> = {
  framesPerSecond: atLeastOne,
  bytesPerSecond: atLeastOne,
  backlogBytes: atLeastOne,
  connections: atLeastOne,
  connectionsPerAddress: atLeastOne,
  helloMs: optional(milliseconds(1)),
};

const LISTEN_CHECKS: Readonly<Record<keyof ListenOptions, Check>> = {
  port: optional(port),
  host: optional(someText),
  tls: optional(
    must('options of a TLS server of Node, as in { key, cert }', (tls) => isObject(tls) && IDENTITIES.some((key) => tls[key])),
  ),
  server: optional(must('a server of Node, as createServer makes it', (server) => hasMethods(server, 'on', 'off', 'address'))),
  path: optional(
    must("the path of an address, as in '/quiver'", (path) => typeof path === 'string' && path === pathOf({ url: path })),
  ),
  origins: optional(
    must(
      "a list of origins as browsers say them, as in ['https://example.org'], or a function",
      (origins) => typeof origins === 'function' || (Array.isArray(origins) && origins.every(isOrigin)),
    ),
  ),
  limits: optional(must('an object of limits', isObject)),
  WebSocketServer: optional(must('the class of that name in the package ws', isClass)),
  ...environment,
};

/** Throws a `UsageError` for what is no place to listen; `more` is what else may be given with it. */
export function checkPlace(who: string, options: ListenOptions, more: Readonly<Record<string, Check>> = {}): void {
  checkOptions(who, options, { ...LISTEN_CHECKS, ...more });
  if (options.limits) checkOptions(`${who}: limits`, options.limits, LIMIT_CHECKS);
  if ((options.port === undefined) === (options.server === undefined))
    throw new UsageError(`${who}: a place to listen is missing; give a port, or a server of yours, and not both`);
}

/** So long a place stays taken when its connection has closed: who connects anew again and again sends no more than who stays. */
const PLACE_MS = 1_000;

/** Of connections beyond the bounds, so many are told that the server is full before the next ones are closed without a word. */
const TOLD_MAX = 100;

const addressOf = ({ remoteAddress = '' }: Socket): string => remoteAddress;

export type Attach = (line: BoundedLine, request: IncomingMessage) => void;

export async function listenAt(options: ListenOptions, attach: Attach): Promise<Listener> {
  const { port: wanted, host = '127.0.0.1', tls, server } = options;
  const limits = { ...LISTEN_LIMITS, ...options.limits };
  if (server) return new Listener(server, options, limits, attach, false);
  // Who opens a connection and asks for nothing is no guest yet, and is closed as soon.
  const { helloMs } = limits;
  const impatient = { headersTimeout: helloMs, requestTimeout: helloMs, connectionsCheckingInterval: helloMs / 2 };
  const own = tls ? createTlsServer({ ...impatient, handshakeTimeout: helloMs, ...tls }) : createServer(impatient);
  own.on('request', ({ socket }) => turnAway(socket, 426));
  const listener = new Listener(own, options, limits, attach, true);
  own.listen(wanted, host);
  await once(own, 'listening').catch((error: Error) => {
    throw new ConnectionError(`nobody can listen at ${host}:${wanted}: ${error.message}`, { cause: error });
  });
  return listener;
}

export class Listener {
  readonly lines = new Set<BoundedLine>();
  /** Of each address, how many of its connections are open, or were a moment ago. */
  private readonly places = new Map<string, number>();
  private readonly life = new Subscription();
  private readonly environment: PlatformEnvironment;
  private hasTold = false;
  private readonly sockets: Upgrades;
  /** Of a server of its own, all connections, those too that have asked for nothing or are in the middle of a TLS handshake. */
  private readonly connected = new Set<Duplex>();
  private readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => this.receive(request, socket, head);

  constructor(
    private readonly server: Server,
    private readonly options: ListenOptions,
    readonly limits: ListenLimits,
    private readonly attach: Attach,
    private readonly isOwner: boolean,
  ) {
    const { WebSocketServer = PlatformServer } = options;
    this.environment = environmentOf(options);
    this.sockets = new WebSocketServer({ noServer: true, maxPayload: FRAME_BYTES_MAX, perMessageDeflate: false });
    server.on('upgrade', this.upgrade);
    if (isOwner) server.on('connection', (socket) => this.know(socket));
  }

  /** As long as it listens. */
  get port(): number {
    const address = this.server.address() as AddressInfo | null;
    if (!address) throw new ClosedError('a server that does not listen has no port');
    return address.port;
  }

  async close(): Promise<void> {
    this.server.off('upgrade', this.upgrade);
    this.life.unsubscribe();
    for (const line of this.lines) line.terminate();
    if (!this.isOwner) return;
    const closed = new Promise((resolve) => this.server.close(resolve));
    // Who has connected and asked for nothing would keep it open.
    for (const socket of this.connected) socket.destroy();
    await closed;
  }

  private know(socket: Socket): void {
    const address = addressOf(socket);
    this.connected.add(socket);
    socket.once('close', () => this.connected.delete(socket));
    this.takePlace(socket, address);
    const { connections, connectionsPerAddress } = this.limits;
    const isBeyond = this.connected.size > connections + TOLD_MAX || this.places.get(address)! > connectionsPerAddress + TOLD_MAX;
    if (isBeyond) socket.destroy();
  }

  private receive(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { path, origins } = this.options;
    if (path !== undefined && pathOf(request) !== path) {
      // Another listener may want it; when there is none, nobody else would answer.
      if (this.server.listenerCount('upgrade') === 1) turnAway(socket, 404);
      return;
    }
    const address = addressOf(request.socket);
    const others = (this.places.get(address) ?? 0) - (this.isOwner ? 1 : 0);
    const isFull = this.lines.size >= this.limits.connections || others >= this.limits.connectionsPerAddress;
    if (!isWelcomeOrigin(request, origins)) turnAway(socket, 403);
    else if (isFull) turnAway(socket, 503);
    else this.sockets.handleUpgrade(request, socket, head, (opened) => this.welcome(opened, request, address));
  }

  private welcome(socket: WebSocket, request: IncomingMessage, address: string): void {
    const line = new BoundedLine(socket, this.limits, this.environment, (limit, peer) => this.tooFast(address, limit, peer));
    this.lines.add(line);
    socket.on('close', () => this.lines.delete(line));
    if (!this.isOwner) this.takePlace(socket, address);
    this.attach(line, request);
  }

  private takePlace(socket: EventEmitter, address: string): void {
    this.places.set(address, (this.places.get(address) ?? 0) + 1);
    socket.once('close', () => later(this.life, this.environment.clock, () => this.leave(address), PLACE_MS));
  }

  private leave(address: string): void {
    const others = this.places.get(address)! - 1;
    if (others === 0) this.places.delete(address);
    else this.places.set(address, others);
  }

  /** Once: whoever it is, it goes on for as long as it is read. */
  tooFast(where: string, limit: LineRate, peer: NodeId | undefined): void {
    if (this.hasTold) return;
    this.hasTold = true;
    const much = `${this.limits[limit]} ${limit === 'framesPerSecond' ? 'frames' : 'bytes'} a second`;
    const who = peer === undefined ? 'a connection' : `the connection of "${escape(peer)}"`;
    console.warn(
      `${who} with ${quote(where)} brings more than ${much} and is read slowly; raise limits.${limit} here if it is a peer of yours`,
    );
  }
}

/** `null` for what is no address, `//` for instance: it is for whoever connects to say. */
function pathOf({ url = '/' }: Pick<IncomingMessage, 'url'>): string | null {
  return URL.canParse(url, HERE) ? new URL(url, HERE).pathname : null;
}
const HERE = 'http://here';

/** What a peer reads of it is in the status. */
function turnAway(socket: Duplex, status: 403 | 404 | 426 | 503): void {
  // Of requests that came one behind the other the first is answered.
  if (socket.writableEnded) return;
  const says = { 403: 'Forbidden', 404: 'Not Found', 426: 'Upgrade Required', 503: 'Service Unavailable' }[status];
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${status} ${says}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`, () => socket.destroy());
}
