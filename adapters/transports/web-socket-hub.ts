/**
 * The hub that WebSocket peers meet at, for Node, on the package `ws`.
 *
 *     const hub = await webSocketHub({ port: 8080, admit: async ({ id, token }) => id === (await verified(token)) });
 *     const mounted = await webSocketHub({ server, path: '/quiver' });         // beside your own routes
 *
 * It listens on 127.0.0.1 unless told otherwise. Who may come in is for `ids` and `admit` to say, everybody unless one is given; pages
 * of other origins than the hub's own are refused unless `origins` names them. Every connection is bounded: so long to say who it is,
 * so many frames and bytes a second (what is more waits in the peer's own socket), so much that it has not taken; and one that does
 * not answer for three seconds is gone. The hub keeps nothing on disk: what is under way when it stops is lost.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { createServer as createTlsServer, type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { WebSocketServer, type WebSocket } from 'ws';
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { Hub, type Hello } from './hub.js';
import { isWelcomeOrigin, type Origins } from './origins.js';
import { FRAME_BYTES_MAX } from './reading.js';
import { ServerLine, type LineLimits } from './server-line.js';
import { BEAT_MS } from './through-hub.js';

/** Who wants to come in. */
export interface Applicant {
  readonly id: NodeId;
  readonly token: string | undefined;
  /** The upgrade request: its headers, its address, with TLS its certificate. */
  readonly request: IncomingMessage;
}

export interface HubLimits extends LineLimits {
  /** Connections at a time, and of them from one address. */
  readonly connections: number;
  readonly connectionsPerAddress: number;
  /** A connection that has not been admitted after so long is closed. */
  readonly helloMs: number;
}

export const HUB_LIMITS: HubLimits = {
  connections: 10_000,
  connectionsPerAddress: 1_000,
  helloMs: 5_000,
  framesPerSecond: 5_000,
  bytesPerSecond: 2 ** 25,
  backlogBytes: 2 ** 24,
};

export interface WebSocketHubOptions {
  /** 0 takes any free one. */
  readonly port?: number;
  readonly host?: string;
  /** Node's own options of a TLS server; peers come by `wss:` then. */
  readonly tls?: ServerOptions;
  /** Instead of a port: a server of yours, of which the hub takes the upgrades of one path. It stays open when the hub closes. */
  readonly server?: Server;
  readonly path?: string;
  /** The only ids there are. */
  readonly ids?: readonly NodeId[];
  /** Whether a peer may come in. A promise that rejects is a no for now: the peer tries again. */
  readonly admit?: (applicant: Applicant) => boolean | Promise<boolean>;
  /** Pages of these origins may come in, `https://example.org` for instance; the page's own alone unless given. */
  readonly origins?: Origins;
  readonly limits?: Partial<HubLimits>;
}

export async function webSocketHub(options: WebSocketHubOptions): Promise<WebSocketHub> {
  const { port, host = '127.0.0.1', tls, server } = options;
  if ((port === undefined) === (server === undefined))
    throw new UsageError('a hub needs a place: give a port, or a server of yours, and not both');
  if (server) return new WebSocketHub(server, options, false);
  const { helloMs = HUB_LIMITS.helloMs } = options.limits ?? {};
  // Who opens a connection and asks for nothing is no guest yet, and is closed as soon.
  const impatient = { headersTimeout: helloMs, requestTimeout: helloMs, connectionsCheckingInterval: helloMs / 2 };
  const own = tls ? createTlsServer({ ...impatient, ...tls }) : createServer(impatient);
  own.on('request', (_, response) => response.writeHead(426).end());
  own.listen(port, host);
  await once(own, 'listening');
  return new WebSocketHub(own, options, true);
}

export class WebSocketHub implements AsyncDisposable {
  private readonly hub: Hub;
  private readonly lines = new Map<ServerLine, string>();
  private readonly limits: HubLimits;
  private readonly sockets = new WebSocketServer({ noServer: true, maxPayload: FRAME_BYTES_MAX, perMessageDeflate: false });
  private readonly requests = new WeakMap<object, IncomingMessage>();
  private readonly beat: NodeJS.Timeout;
  private readonly upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => this.receive(request, socket, head);

  constructor(
    private readonly server: Server,
    private readonly options: WebSocketHubOptions,
    private readonly isOwner: boolean,
  ) {
    this.limits = { ...HUB_LIMITS, ...options.limits };
    this.hub = new Hub({ helloMs: this.limits.helloMs, refuses: (hello, line) => this.refuses(hello, this.requests.get(line)!) });
    server.on('upgrade', this.upgrade);
    this.beat = setInterval(() => {
      for (const line of this.lines.keys()) line.beat();
      this.hub.beat();
    }, BEAT_MS);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async close(): Promise<void> {
    clearInterval(this.beat);
    this.server.off('upgrade', this.upgrade);
    this.hub.close();
    for (const line of this.lines.keys()) line.terminate();
    if (this.isOwner) await new Promise((resolve) => this.server.close(resolve));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private receive(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const { path, origins } = this.options;
    if (path !== undefined && new URL(request.url ?? '/', 'http://hub').pathname !== path) {
      // Another listener may want it; when there is none, nobody else would answer.
      if (this.server.listenerCount('upgrade') === 1) turnAway(socket, 404);
      return;
    }
    const address = request.socket.remoteAddress ?? '';
    const fromThere = [...this.lines.values()].filter((other) => other === address).length;
    if (!isWelcomeOrigin(request, origins)) turnAway(socket, 403);
    else if (this.lines.size >= this.limits.connections || fromThere >= this.limits.connectionsPerAddress) turnAway(socket, 503);
    else this.sockets.handleUpgrade(request, socket, head, (opened) => this.attach(opened, request, address));
  }

  private attach(socket: WebSocket, request: IncomingMessage, address: string): void {
    const line = new ServerLine(socket, this.limits);
    this.lines.set(line, address);
    this.requests.set(line, request);
    socket.on('close', () => this.lines.delete(line));
    this.hub.attach(line);
  }

  private async refuses({ id, token }: Hello, request: IncomingMessage): Promise<string | null> {
    const { ids, admit } = this.options;
    if (ids && !ids.includes(id)) return 'it is not among those that the hub knows';
    return !admit || (await admit({ id, token, request })) ? null : 'it is not let in: its token or its id does not do';
  }
}

/** What a peer reads of it is in the status. */
function turnAway(socket: Duplex, status: 403 | 404 | 503): void {
  const says = { 403: 'Forbidden', 404: 'Not Found', 503: 'Service Unavailable' }[status];
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${status} ${says}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
}
