/**
 * A transport over WebSockets through a hub (web-socket-hub.ts).
 *
 * The transport uses the platform's WebSocket. If there is none, as in Node 20, pass the class of the package `ws`. `connect` waits for a
 * hub that starts later, and a lost connection is made again automatically. Messages in flight are lost with it, so wrap the transport in
 * `linked` for protocols that assume reliable links.
 */
import { Subscription } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { environmentOf, type PlatformEnvironment, type InEnvironment } from '../environment.js';
import { anything, checkOptions, environment as environmentChecks, id as anId, isClass, must, optional } from '../options.js';
import { explainAbsence } from './absence.js';
import { createTransport } from './driver.js';
import { ConnectionError } from './errors.js';
import { webSocketGuarantees } from './guarantees.js';
import { newId } from './ids.js';
import { checkSecret, KEY_LENGTH_MAX, TOKEN_LENGTH_MAX, type Line, type LineListener } from './hub.js';
import { later } from './later.js';
import { quote } from './reading.js';
import { reconnecting } from './reconnecting.js';
import { explained } from './refusals.js';
import { throughHub } from './through-hub.js';
import type { Transport } from './transport.js';

/**
 * The part of a WebSocket that the transport uses. Sockets of browsers and of the package `ws` match it.
 *
 * @public
 */
export interface Socket {
  readonly readyState: number;
  send(data: string): void;
  close(): void;
  /** Closes without waiting for the other end; only in `ws`. */
  terminate?(): void;
  /** Reports the connection of the socket. Its port shows the hub whether there is a proxy; only in `ws`. */
  on?(type: 'upgrade', listener: (response: IncomingUpgrade) => void): unknown;
  addEventListener(type: 'open' | 'message' | 'close' | 'error', listener: (event: SocketEvent) => void): void;
}

/**
 * Options for `webSocket`.
 *
 * @public
 */
export interface WebSocketOptions extends InEnvironment {
  /** Id of this peer. @defaultValue a new id, for a client */
  readonly id?: NodeId;
  /** Address of the hub, or a list: the next hub is tried if one does not answer. All peers pass the same hubs in the same order. */
  readonly url: string | readonly string[];
  /**
   * Secret random text of this peer, at most 255 characters. A process with the key gets the peer's seat at the hub at once, so store it
   * where the peer finds it after a restart. A restarted peer without it waits a second, until the hub has checked that the old connection
   * does not answer. @defaultValue a new random key
   */
  readonly key?: string;
  /** Token for the hub's `admit`. A function is called for each connection. */
  readonly token?: string | (() => string | Promise<string>);
  /** Class of the sockets. @defaultValue the platform's `WebSocket` */
  readonly WebSocket?: new (url: string) => Socket;
}

const CHECKS = {
  id: optional(anId),
  url: must(
    "the address of the hub, as in 'ws://127.0.0.1:8080', or a list of such",
    (url) => typeof url === 'string' || Array.isArray(url),
  ),
  // These three have their own checks.
  key: optional(anything),
  token: optional(anything),
  WebSocket: optional(anything),
  ...environmentChecks,
};

/**
 * A transport over WebSockets through a hub. It reconnects automatically. Messages in flight are lost then; wrap it in `linked` to prevent
 * that.
 *
 * @param options the id of this peer and the URLs of the hubs, in order of preference.
 * @returns a transport that is not connected yet.
 * @throws UsageError for an option that is missing, wrong or unknown, and if the platform has no WebSocket and none was passed.
 * @example
 * ```ts
 * import { WebSocket } from 'ws'; // not needed on platforms with a WebSocket, such as browsers
 * import { webSocket } from 'xstate-quiver/transports';
 * import { webSocketHub } from 'xstate-quiver/transports/node';
 *
 * const hub = await webSocketHub({ port: 0 });
 * const transport = webSocket({ id: 'a', url: `ws://127.0.0.1:${hub.port}`, WebSocket });
 * await transport.connect();
 * await transport.close();
 * await hub.close();
 * ```
 * @public
 */
export function webSocket(options: WebSocketOptions): Transport<typeof webSocketGuarantees> {
  checkOptions('webSocket', options, CHECKS);
  const environment = environmentOf(options);
  const {
    id = newId(environment),
    url,
    key = environment.crypto.randomUUID(),
    token,
    WebSocket = globalThis.WebSocket,
  } = options;
  const credentials = { id, key, token: typeof token === 'string' ? () => token : token };
  const urls = typeof url === 'string' ? [url] : url;
  if (urls.length === 0) throw new UsageError(`peer "${id}" has no hub. Pass at least one url`);
  for (const each of urls) checkAddress(each, id);
  checkCredentials(id, { key, token });
  checkSocketClass(WebSocket, id);
  const drivers = urls.map((each) =>
    throughHub(
      credentials,
      (signal) => openSocket(() => new WebSocket(each), each, signal, environment),
      environment,
      `the hub at ${each}`,
    ),
  );
  let place: number | null = null;
  const driver = reconnecting(drivers, `peer "${id}"`, environment, (now) => (place = now));
  const transport = createTransport(id, webSocketGuarantees, driver);
  explainAbsence(transport, (peer) => (transport.peers.has(peer) ? null : notThere(place === null ? null : urls[place]!, urls)));
  return transport;
}

function notThere(at: string | null, urls: readonly string[]): string {
  if (at === null) return 'this peer has no connection to a hub';
  const several =
    urls.length === 1
      ? ''
      : `, one of ${urls.length} hubs: it has not connected, or has other hubs. Pass the same hubs in the same order to all peers`;
  return `not at the hub at ${quote(at)}${several}`;
}

const INSTALL_WS =
  "Use the class of the package ws: npm install ws, import { WebSocket } from 'ws', and webSocket({ …, WebSocket })";

/** Throws a `UsageError` for a value that would fail at each connection. */
function checkSocketClass(WebSocket: unknown, id: NodeId): void {
  if (isClass(WebSocket)) return;
  const what =
    WebSocket === undefined
      ? 'this platform has no WebSocket'
      : `WebSocket is ${typeof WebSocket === 'function' ? 'a function' : quote(WebSocket)} and not a class`;
  throw new UsageError(`peer "${id}": ${what}. ${INSTALL_WS}`);
}

/** Reason for which this is not an address of a WebSocket; `null` if it is one. @internal */
export function refusedAddress(url: unknown): string | null {
  const isAddress = typeof url === 'string' && URL.canParse(url) && /^wss?:$/.test(new URL(url).protocol) && !url.includes('#');
  return isAddress ? null : `${quote(url)} is not an address of a WebSocket. Pass one as in ws://127.0.0.1:8080`;
}

/** Throws a `UsageError` unless it is an address. @internal */
export function checkAddress(url: unknown, id: NodeId): void {
  const refused = refusedAddress(url);
  if (refused !== null) throw new UsageError(`peer "${id}": ${refused}`);
}

/**
 * Throws a `UsageError` for a key or token that the other end would not accept in a hello. Results of functions are checked later.
 * @internal
 */
export function checkCredentials(id: NodeId, { key, token }: { readonly key: string; readonly token?: unknown }): void {
  checkSecret(key, `the key of peer "${id}"`, KEY_LENGTH_MAX);
  if (token !== undefined && typeof token !== 'function') checkSecret(token, `the token of peer "${id}"`, TOKEN_LENGTH_MAX);
}

/** The event of a socket: a message has `data`, and an error of `ws` has `message`. */
interface SocketEvent {
  readonly type: string;
  readonly data?: unknown;
  readonly message?: string;
}

interface IncomingUpgrade {
  readonly socket: { readonly localPort?: number };
}

/** Waits until the socket is open. @internal */
export function openSocket(
  create: () => Socket,
  url: string,
  signal: AbortSignal,
  environment: PlatformEnvironment,
): Promise<Line> {
  return new Promise((resolve, reject) => {
    const socket = create();
    const giveUp = () => socket.close();
    let port: number | undefined;
    socket.on?.('upgrade', ({ socket: connection }) => (port = connection.localPort));
    signal.addEventListener('abort', giveUp, { once: true });
    const fail = (why: string) => {
      signal.removeEventListener('abort', giveUp);
      reject(new ConnectionError(`no connection to ${url}: ${explained(why, url)}`));
    };
    socket.addEventListener('open', () => {
      signal.removeEventListener('abort', giveUp);
      resolve({ ...socketLine(socket, environment), port });
    });
    // A socket that fails closes next; without a listener the failure would end the program.
    socket.addEventListener('error', ({ message }) => fail(message || 'the socket failed'));
    socket.addEventListener('close', () => fail('the socket was closed'));
  });
}

const [OPEN, CLOSED] = [1, 3];
const GOODBYE_MS_MAX = 1_000;

/** @internal */
export const socketLine = (socket: Socket, { clock }: PlatformEnvironment): Line => ({
  send: (text) => {
    if (socket.readyState === OPEN) socket.send(text);
  },
  close: () =>
    new Promise((resolve) => {
      if (socket.readyState === CLOSED) return resolve();
      const deadline = new Subscription();
      const giveUp = () => {
        socket.terminate?.();
        resolve();
      };
      later(deadline, clock, giveUp, GOODBYE_MS_MAX);
      socket.addEventListener('close', () => {
        deadline.unsubscribe();
        resolve();
      });
      socket.close();
    }),
  listen: ({ frame, closed }: LineListener) => {
    socket.addEventListener('message', ({ data }) => frame(data));
    socket.addEventListener('close', closed);
    socket.addEventListener('error', () => {});
  },
});
