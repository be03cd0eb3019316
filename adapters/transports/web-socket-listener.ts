/**
 * Where WebSockets come in: its own server or one of yours, whose upgrades are held to origins and limits before there is a socket.
 *
 * The hub (web-socket-hub.ts) and every peer of a mesh (web-socket-mesh.ts) listen with it.
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
import { isObject } from '../../machines/checks.js';
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
import { escape, FRAGMENTS_MAX, FRAME_BYTES_MAX, quote } from './reading.js';
import { pathOfUpgrade, takeUpgrades, turnAway, type Taker } from './upgrades.js';

export interface ListenLimits extends LineLimits {
  /** Connections at a time, and of them from one address. */
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** Limit of bytes that all connections together have not read yet. Above it, the listener closes the connection with the most. */
  readonly backlogBytesInAll: number;
  /** A connection that has not been admitted after so long is closed. */
  readonly helloMs: number;
}

export const LISTEN_LIMITS: ListenLimits = {
  ...LINE_LIMITS,
  connections: 10_000,
  connectionsPerAddress: 1_000,
  backlogBytesInAll: 2 ** 28,
  helloMs: 5_000,
};

/** Of the package `ws`, at both ends. */
export const SOCKET_OPTIONS = { maxPayload: FRAME_BYTES_MAX, maxFragments: FRAGMENTS_MAX, perMessageDeflate: false } as const;

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
  /** Instead of a port: your server, whose upgrades of one path are taken. It stays open, and its timeouts are yours. */
  readonly server?: Server;
  /** Where peers come in. Unless given it is `/` on your server, and every path on a port. */
  readonly path?: string;
  /** Pages of these origins may come in, `https://example.org` for instance, and no others. Unless given, those of the very same place. */
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
    must: "a list of origins as browsers say them, as in ['https://example.org'], or a function",
    refused: (origins) => {
      if (typeof origins === 'function') return null;
      if (!Array.isArray(origins)) return `is ${shownValue(origins)}`;
      const wrong = origins.findIndex((origin) => !isOrigin(origin));
      return wrong < 0 ? null : `has ${shownValue(origins[wrong])} at place ${wrong}, which is no origin`;
    },
  }),
  limits: optional(must('an object of limits', isObject)),
  WebSocketServer: optional(must('the class of that name in the package ws', isClass)),
  ...environment,
};

/** Which part of these options TLS cannot use, and why; `null` when it can use all. */
function unreadable(tls: ServerOptions): string | null {
  const complaint = (options: ServerOptions): string | null => {
    try {
      createSecureContext(options);
      return null;
    } catch (error) {
      return quote((error as Error).message);
    }
  };
  const why = complaint(tls);
  if (why === null) return null;
  const parts = (['key', 'cert', 'ca', 'pfx'] as const).filter((part) => tls[part] !== undefined);
  const wrong = parts.find((part) => complaint({ [part]: tls[part], passphrase: tls.passphrase }) !== null);
  return wrong ? `has a ${wrong} that cannot be read (${why})` : `does not do (${why})`;
}

/** Does not go with your server, and where it goes instead. */
const OF_THE_SERVER = {
  tls: 'make the server with it, as createServer of node:https does',
  host: 'say it where the server listens',
} as const;

/** Throws a `UsageError` for what is not a place to listen; `more` is what else may be given with it. */
export function checkPlace(who: string, options: ListenOptions, more: Readonly<Record<string, Check>> = {}): void {
  if (!isObject(options)) throw new UsageError(`${who} takes its options as an object: give { port }, or { server, path }`);
  checkOptions(who, options, { ...LISTEN_CHECKS, ...more });
  if (options.limits) checkOptions(`${who}: limits`, options.limits, LIMIT_CHECKS);
  if (options.port !== undefined && options.server !== undefined)
    throw new UsageError(
      `${who}: port and server are both given. Leave port out to listen on the server, or server to listen alone`,
    );
  if (options.port === undefined && options.server === undefined)
    throw new UsageError(`${who}: a place to listen is missing. Pass a port, or a server of yours, and not both`);
  for (const [key, instead] of Object.entries(OF_THE_SERVER))
    if (options.server && options[key as keyof typeof OF_THE_SERVER] !== undefined)
      throw new UsageError(`${who}: ${key} does not go with server; ${instead}`);
}

/** So long a place stays taken when its connection has closed: who connects again again and again sends no more than who stays. */
const PLACE_MS = 1_000;

/** Of connections beyond the bounds, so many are told that the server is full before the next ones are closed without a word. */
const TOLD_MAX = 100;

/** Who has not been let in says hello and waits: a hello in WebSocket frames, and no more. */
const EARLY_BYTES_MAX = HELLO_BYTES_MAX + 2 ** 10;

const addressOf = ({ remoteAddress = '' }: Socket): string => remoteAddress;

/** So long your server may take to begin. */
const BEGIN_MS_MAX = 1_000;

/** Resolves once it listens; for a server that nobody has told to, after a second. */
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

/** `who` listens, as errors and warnings name it. */
export async function listenAt(who: string, options: ListenOptions, attach: Attach): Promise<Listener> {
  const { port: wanted, host = '127.0.0.1', tls, server } = options;
  const limits = { ...LISTEN_LIMITS, ...options.limits };
  if (server) {
    const listener = new Listener(who, server, null, options, limits, attach);
    await begun(server, environmentOf(options)).catch(async (error: Error) => {
      await listener.close();
      throw new ConnectionError(`the server that ${who} was given does not listen: ${error.message}`, { cause: error });
    });
    return listener;
  }
  const { netServer, upgrades } = oneRequestServer(tls, limits.helloMs, environmentOf(options).clock);
  const listener = new Listener(who, upgrades, netServer, options, limits, attach);
  netServer.listen(wanted, host);
  await once(netServer, 'listening').catch((error: Error) => {
    throw new ConnectionError(`${who} cannot listen at ${host}:${wanted}: ${error.message}`, { cause: error });
  });
  return listener;
}

export class Listener implements Taker {
  readonly lines = new Set<BoundedLine>();
  /** Of each address, how many of its connections are open, or were a moment ago. */
  private readonly places = new Map<string, number>();
  private readonly life = new Subscription();
  private readonly environment: PlatformEnvironment;
  private hasReported = false;
  private readonly sockets: Upgrades;
  /** Of its own server, all connections, those too that have asked for nothing or are in the middle of a TLS handshake. */
  private readonly connected = new Set<Duplex>();
  private readonly refusals: Drops;
  private readonly leaveServer: () => void;
  private readonly backlog: SharedBacklog;

  constructor(
    who: string,
    private readonly server: Server,
    /** Of its own server, where connections come in. */
    private readonly netServer: NetServer | null,
    private readonly options: ListenOptions,
    readonly limits: ListenLimits,
    private readonly attach: Attach,
  ) {
    const { WebSocketServer = PlatformServer, path = netServer ? null : '/' } = options;
    this.environment = environmentOf(options);
    const slow = new Drops(who, this.environment.clock, 'closed a connection');
    this.backlog = new SharedBacklog(limits.backlogBytesInAll, (bytes) =>
      slow.drop(
        `all together have not taken ${bytes} bytes of what was sent to them (limits.backlogBytesInAll), and it the most`,
      ),
    );
    this.refusals = new Drops(who, this.environment.clock, 'refused a connection');
    this.sockets = new WebSocketServer({ noServer: true, ...SOCKET_OPTIONS });
    this.leaveServer = takeUpgrades(server, path, this, who);
    netServer?.on('connection', (socket) => this.know(socket));
  }

  /** As long as it listens. */
  get port(): number {
    const address = (this.netServer ?? this.server).address() as AddressInfo | null;
    if (!address) throw new ClosedError('a server that does not listen has no port');
    return address.port;
  }

  /** True if this is its address, as far as an address says so: your server may be anywhere. */
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

  take(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const address = addressOf(request.socket);
    const others = (this.places.get(address) ?? 0) - (this.netServer ? 1 : 0);
    const isFull = this.lines.size >= this.limits.connections || others >= this.limits.connectionsPerAddress;
    if (!isWelcomeOrigin(request, this.options.origins)) {
      this.refused(request, `a page of ${quote(request.headers.origin)}`, 'if it is yours, name its origin in origins');
      turnAway(socket, 403);
    } else if (isFull) {
      this.refused(request, 'somebody', 'limits.connections or limits.connectionsPerAddress is reached');
      turnAway(socket, 503);
    } else this.upgrade(request, socket, head, address);
  }

  /** `ws` throws for a socket that somebody else has taken: it is left to whoever has it. */
  private upgrade(request: IncomingMessage, socket: Duplex, head: Buffer, address: string): void {
    try {
      this.sockets.handleUpgrade(request, socket, head, (opened) => {
        const line = this.welcome(opened, request, address);
        this.watch(socket, line, request);
      });
    } catch (error) {
      this.refused(request, 'somebody', `the upgrade failed: ${quote(String(error))}`);
    }
  }

  missed(request: IncomingMessage): void {
    this.refused(request, 'somebody', `nobody is at ${quote(request.url)}`);
  }

  /** Whoever runs this is notified of it, at most every ten seconds: who was refused may not know why, as a page does not. */
  refused(request: IncomingMessage, whom: string, why: string): void {
    this.refusals.drop(`${whom} from ${quote(addressOf(request.socket))}: ${why}`);
  }

  /** Until it is let in: a frame as long as a peer's would be collected for nothing, whatever it turns out to be. */
  private watch(socket: Duplex, line: BoundedLine, request: IncomingMessage): void {
    let bytes = 0;
    const count = (chunk: Buffer) => {
      if (line.peer !== undefined) return void socket.off('data', count);
      bytes += chunk.length;
      if (bytes <= EARLY_BYTES_MAX) return;
      socket.off('data', count);
      this.refused(request, 'somebody', `it sent more than ${EARLY_BYTES_MAX} bytes before it was let in`);
      line.terminate();
    };
    socket.on('data', count);
  }

  private welcome(socket: WebSocket, request: IncomingMessage, address: string): BoundedLine {
    const line = this.lineOf(socket, address);
    this.lines.add(line);
    socket.on('close', () => this.lines.delete(line));
    if (!this.netServer) this.takePlace(socket, address);
    this.attach(line, request);
    return line;
  }

  /** A line with the limits of this place, whoever has opened it; `where` its other end is, as warnings name it. */
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

  /** Once: whoever it is, it goes on for as long as it is read. */
  private tooFast(where: string, limit: LineRate, peer: NodeId | undefined): void {
    if (this.hasReported) return;
    this.hasReported = true;
    const much = `${this.limits[limit]} ${limit === 'framesPerSecond' ? 'frames' : 'bytes'} a second`;
    const who = peer === undefined ? 'a connection' : `the connection of "${escape(peer)}"`;
    console.warn(
      `${who} with ${quote(where)} brings more than ${much} and is read slowly. Raise limits.${limit} here if it is a peer of yours`,
    );
  }
}
