/**
 * A listener for WebSockets on its own port or on your server. It checks the origin and the limits of each upgrade before it opens a
 * socket.
 *
 * The hub (web-socket-hub.ts) and every peer of a mesh (web-socket-mesh.ts) use it.
 */
import { once, type EventEmitter } from 'node:events';
import type { IncomingMessage, Server } from 'node:http';
import type { ServerOptions } from 'node:https';
import type { AddressInfo, Server as NetServer, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createSecureContext } from 'node:tls';
import { Subscription } from 'rxjs';
import { WebSocketServer as PlatformServer, type ServerOptions as ServerOptionsOfWs, type WebSocket } from 'ws';
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { entriesOf, isObject } from '../../machines/checks.js';
import { shownValue } from '../../network/scenario/read.js';
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
import { BoundedLine, LINE_LIMITS, SharedBacklog, type LineLimits, type LineRate } from './bounded-line.js';
import { isOrigin, isWelcomeOrigin, type Origins } from './origins.js';
import { Drops } from './drops.js';
import { ClosedError, ConnectionError } from './errors.js';
import { HELLO_BYTES_MAX } from './hub.js';
import { later } from './later.js';
import { oneRequestServer } from './one-request.js';
import { escape, FRAGMENTS_MAX, FRAME_BYTES_MAX, messageOf, quote } from './reading.js';
import { pathOfUpgrade, takeUpgrades, turnAway, type Taker } from './upgrades.js';

export interface ListenLimits extends LineLimits {
  /** Limit of open connections: in total, and for each address. */
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** Limit of bytes that all connections together have not read yet. Above it, the listener closes the connection with the most. */
  readonly backlogBytesInAll: number;
  /** Milliseconds after which a connection is closed that has not been admitted. */
  readonly helloMs: number;
}

export const LISTEN_LIMITS: ListenLimits = {
  ...LINE_LIMITS,
  connections: 10_000,
  connectionsPerAddress: 1_000,
  backlogBytesInAll: 2 ** 28,
  helloMs: 5_000,
};

/** Options of the package `ws`, used at both ends. */
export const SOCKET_OPTIONS = { maxPayload: FRAME_BYTES_MAX, maxFragments: FRAGMENTS_MAX, perMessageDeflate: false } as const;

/** The part of the class `WebSocketServer` of the package `ws` that the listener uses. */
export interface Upgrades {
  handleUpgrade(request: IncomingMessage, socket: Duplex, head: Buffer, opened: (socket: WebSocket) => void): void;
}

export interface ListenOptions extends InEnvironment {
  /** Port to listen on. 0 selects any free port. */
  readonly port?: number;
  /** Address to listen on. @defaultValue `127.0.0.1` */
  readonly host?: string;
  /** Options of Node's TLS server. Peers then connect with `wss:`. */
  readonly tls?: ServerOptions;
  /** Your server, instead of a port. The listener takes its upgrades of one path. The server stays open, and its timeouts are yours. */
  readonly server?: Server;
  /** Path at which peers connect. @defaultValue `/` on your server, every path on a port */
  readonly path?: string;
  /** Origins whose pages may connect, such as `https://example.org`. @defaultValue only the origin of the listener */
  readonly origins?: Origins;
  /** Limits of every connection. @defaultValue 10,000 connections, 1,000 for each address, 256 MiB unread, 5 s to be admitted */
  readonly limits?: Partial<ListenLimits>;
  /** Class that turns upgrades into WebSockets. @defaultValue the class of the package `ws` */
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
  backlogBytesInAll: atLeastOne,
  helloMs: optional(milliseconds(1)),
};

const LISTEN_CHECKS: Readonly<Record<keyof ListenOptions, Check>> = {
  port: optional(port),
  host: optional(someText),
  tls: optional({
    must: 'options of a TLS server of Node, as in { key, cert }, where each is the text of a PEM file',
    refused: (tls) => {
      if (!isObject(tls)) return `is ${shownValue(tls)}`;
      return IDENTITIES.some((key) => tls[key]) ? unreadable(tls) : 'has no key and no cert';
    },
  }),
  server: optional(must('a server of Node, as createServer makes it', (server) => hasMethods(server, 'on', 'off', 'address'))),
  path: optional(
    must("the path of an address, as in '/quiver'", (path) => typeof path === 'string' && path === pathOfUpgrade({ url: path })),
  ),
  origins: optional({
    must: "a list of origins as browsers send them, as in ['https://example.org'], or a function",
    refused: (origins) => {
      if (typeof origins === 'function') return null;
      if (!Array.isArray(origins)) return `is ${shownValue(origins)}`;
      const wrong = origins.findIndex((origin) => !isOrigin(origin));
      return wrong < 0 ? null : `has ${shownValue(origins[wrong])} at place ${wrong}, which is not an origin`;
    },
  }),
  limits: optional(must('an object of limits', isObject)),
  WebSocketServer: optional(must('the class of that name in the package ws', isClass)),
  ...environment,
};

/** Names the part of these options that TLS cannot use, with the reason; returns `null` if TLS can use all of them. */
function unreadable(tls: ServerOptions): string | null {
  const complaint = (options: ServerOptions): string | null => {
    try {
      createSecureContext(options);
      return null;
    } catch (error) {
      return messageOf(error);
    }
  };
  const why = complaint(tls);
  if (why === null) return null;
  const parts = (['key', 'cert', 'ca', 'pfx'] as const).filter((part) => tls[part] !== undefined);
  const wrong = parts.find((part) => complaint({ [part]: tls[part], passphrase: tls.passphrase }) !== null);
  return wrong ? `has a ${wrong} that cannot be read (${why})` : `is not usable (${why})`;
}

/** Options that cannot be combined with your server, and what to do instead. */
const OF_THE_SERVER = { tls: 'pass it to createServer of node:https', host: 'pass it to server.listen' } as const;

/** Checks the options of a listener; `more` contains the checks of further options. Throws a `UsageError`. */
export function checkPlace(who: string, options: ListenOptions, more: Readonly<Record<string, Check>> = {}): void {
  if (!isObject(options)) throw new UsageError(`${who} takes its options as an object. Pass { port }, or { server, path }`);
  checkOptions(who, options, { ...LISTEN_CHECKS, ...more });
  if (options.limits) checkOptions(`${who}: limits`, options.limits, LIMIT_CHECKS);
  if (options.port !== undefined && options.server !== undefined)
    throw new UsageError(
      `${who}: port and server are both given. Pass only server to share its port, or only port to listen separately`,
    );
  if (options.port === undefined && options.server === undefined)
    throw new UsageError(`${who}: a place to listen is missing. Pass either port or server`);
  for (const [key, instead] of entriesOf(OF_THE_SERVER))
    if (options.server && options[key] !== undefined) throw new UsageError(`${who}: ${key} does not go with server; ${instead}`);
}

/** Milliseconds for which a closed connection still counts for its address, so that reconnecting does not evade the limits. */
const PLACE_MS = 500;

/** Number of connections above the limits that receive status 503. Further ones are closed without a response. */
const RESPONSES_MAX = 100;

/** Limit of bytes before admission: one hello in WebSocket frames. */
const EARLY_BYTES_MAX = HELLO_BYTES_MAX + 2 ** 10;

const addressOf = ({ remoteAddress = '' }: Socket): string => remoteAddress;

/** Milliseconds to wait for your server to listen. */
const BEGIN_MS_MAX = 1_000;

/** Resolves once the server listens, or after a second if its `listen` was not called. */
function begun(server: Server, { clock }: PlatformEnvironment): Promise<void> {
  if (server.listening) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const waiting = new Subscription(() => server.off('listening', yes).off('error', no));
    const yes = () => {
      waiting.unsubscribe();
      resolve();
    };
    const no = (error: Error) => {
      waiting.unsubscribe();
      reject(error);
    };
    server.on('listening', yes).on('error', no);
    later(waiting, clock, yes, BEGIN_MS_MAX);
  });
}

export type Attach = (line: BoundedLine, request: IncomingMessage) => void;

/** Starts listening on a port. `who` names the listener in errors and warnings. */
export async function listenAt(who: string, options: ListenOptions, attach: Attach): Promise<Listener> {
  const { port: wanted, host = '127.0.0.1', tls, server } = options;
  const limits = { ...LISTEN_LIMITS, ...options.limits };
  if (server) {
    const listener = new Listener(who, server, null, options, limits, attach);
    await begun(server, environmentOf(options)).catch(async (error: Error) => {
      await listener.close();
      throw new ConnectionError(`the server of ${who} does not listen: ${error.message}`, { cause: error });
    });
    return listener;
  }
  const { netServer, upgrades } = oneRequestServer(tls, limits.helloMs, environmentOf(options).clock);
  const listener = new Listener(who, upgrades, netServer, options, limits, attach);
  netServer.listen(wanted, host);
  await once(netServer, 'listening').catch((error: Error) => {
    throw new ConnectionError(`${who} cannot listen at ${host}:${wanted}: ${error.message}. Choose another host or port`, {
      cause: error,
    });
  });
  return listener;
}

export class Listener implements Taker {
  readonly lines = new Set<BoundedLine>();
  /** Number of connections of each address that are open or were closed less than `PLACE_MS` ago. */
  private readonly places = new Map<string, number>();
  private readonly life = new Subscription();
  private readonly environment: PlatformEnvironment;
  private hasReported = false;
  private readonly sockets: Upgrades;
  /** All connections to the own server, including those without a request and those in a TLS handshake. */
  private readonly connected = new Set<Duplex>();
  private readonly refusals: Drops;
  private readonly leaveServer: () => void;
  private readonly backlog: SharedBacklog;

  constructor(
    who: string,
    private readonly server: Server,
    /** The own server that accepts the connections; `null` on your server. */
    private readonly netServer: NetServer | null,
    private readonly options: ListenOptions,
    readonly limits: ListenLimits,
    private readonly attach: Attach,
  ) {
    const { WebSocketServer = PlatformServer, path = netServer ? null : '/' } = options;
    this.environment = environmentOf(options);
    const slow = new Drops(who, this.environment.clock, 'closed a connection');
    this.backlog = new SharedBacklog(limits.backlogBytesInAll, (bytes) =>
      slow.drop(`all connections have ${bytes} bytes unread (limits.backlogBytesInAll), this one the most`),
    );
    this.refusals = new Drops(who, this.environment.clock, 'refused a connection');
    this.sockets = new WebSocketServer({ noServer: true, ...SOCKET_OPTIONS });
    this.leaveServer = takeUpgrades(server, path, this, who);
    netServer?.on('connection', (socket) => this.know(socket));
  }

  /** Port while it listens. */
  get port(): number {
    const address = (this.netServer ?? this.server).address() as AddressInfo | null;
    if (!address) throw new ClosedError('the server has no port, because it does not listen. Read the port while it listens');
    return address.port;
  }

  /** True if the URL is the address of this listener. Always false on your server, whose address is unknown. */
  isAt(url: string): boolean {
    const { host = '127.0.0.1' } = this.options;
    return this.netServer !== null && new URL(url).host === `${host}:${this.port}`;
  }

  async close(): Promise<void> {
    this.leaveServer();
    this.life.unsubscribe();
    for (const line of this.lines) line.terminate();
    const { netServer } = this;
    if (!netServer) return;
    const closed = new Promise((resolve) => netServer.close(resolve));
    // A connection without a request would keep the server open.
    for (const socket of this.connected) socket.destroy();
    await closed;
  }

  private know(socket: Socket): void {
    const address = addressOf(socket);
    this.connected.add(socket);
    socket.once('close', () => this.connected.delete(socket));
    this.takePlace(socket, address);
    const { connections, connectionsPerAddress } = this.limits;
    const isBeyond =
      this.connected.size > connections + RESPONSES_MAX || this.places.get(address)! > connectionsPerAddress + RESPONSES_MAX;
    if (isBeyond) socket.destroy();
  }

  take(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const address = addressOf(request.socket);
    const others = (this.places.get(address) ?? 0) - (this.netServer ? 1 : 0);
    const isFull = this.lines.size >= this.limits.connections || others >= this.limits.connectionsPerAddress;
    if (!isWelcomeOrigin(request, this.options.origins)) {
      this.refused(request, `a page of ${quote(request.headers.origin)}`, 'add its origin to origins if the page is yours');
      turnAway(socket, 403);
    } else if (isFull) {
      this.refused(request, 'a client', 'limits.connections or limits.connectionsPerAddress is reached');
      turnAway(socket, 503);
    } else this.upgrade(request, socket, head, address);
  }

  /** `ws` throws for a socket that another listener has already taken. That listener keeps it. */
  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, address: string): void {
    try {
      this.sockets.handleUpgrade(request, socket, head, (opened) => {
        const line = this.welcome(opened, request, address);
        this.watch(socket, line, request);
      });
    } catch (error) {
      this.refused(request, 'a client', `the upgrade failed: ${quote(String(error))}`);
    }
  }

  missed(request: IncomingMessage): void {
    this.refused(request, 'a client', `no hub is at ${quote(request.url)}`);
  }

  /** Warns the operator at most every ten seconds. The refused client may not know the reason; a page never does. */
  refused(request: IncomingMessage, whom: string, why: string): void {
    this.refusals.drop(`${whom} from ${quote(addressOf(request.socket))}: ${why}`);
  }

  /** Limits the bytes before admission, so that no long frame is buffered for a connection that may be refused. */
  private watch(socket: Duplex, line: BoundedLine, request: IncomingMessage): void {
    let bytes = 0;
    const count = (chunk: Buffer) => {
      if (line.peer !== undefined) return void socket.off('data', count);
      bytes += chunk.length;
      if (bytes <= EARLY_BYTES_MAX) return;
      socket.off('data', count);
      this.refused(request, 'a client', `it sent more than ${EARLY_BYTES_MAX} bytes before it was admitted`);
      line.terminate();
    };
    socket.on('data', count);
  }

  private welcome(socket: WebSocket, request: IncomingMessage, address: string): BoundedLine {
    const line = this.lineOf(socket, address);
    this.lines.add(line);
    socket.on('close', () => this.lines.delete(line));
    if (!this.netServer) this.takePlace(socket, address);
    line.follow(request.socket);
    this.attach(line, request);
    return line;
  }

  /** A line with the limits of this listener, for incoming and outgoing connections. `where` names its other end in warnings. */
  lineOf(socket: WebSocket, where: string): BoundedLine {
    const tooFast = (limit: LineRate, peer: NodeId | undefined) => this.tooFast(where, limit, peer);
    return new BoundedLine(socket, this.limits, this.environment, tooFast, this.backlog);
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

  /** Warns once; the line stays connected. */
  private tooFast(where: string, limit: LineRate, peer: NodeId | undefined): void {
    if (this.hasReported) return;
    this.hasReported = true;
    const much = `${this.limits[limit]} ${limit === 'framesPerSecond' ? 'frames' : 'bytes'} a second`;
    const who = peer === undefined ? 'a connection' : `the connection of "${escape(peer)}"`;
    console.warn(
      `${who} with ${quote(where)} sends more than ${much} and is read slowly. If it is your peer, raise limits.${limit} here`,
    );
  }
}
