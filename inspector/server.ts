/**
 * Serves the inspector page and one trace on loopback, and passes the gestures of the page to the run.
 *
 * Anyone who can open the page can read the trace. Therefore the server listens only on 127.0.0.1 and requires a random token in the path.
 * It accepts no other host name and no other origin, so that a web page that guesses the port gets nothing. The page itself makes no
 * outgoing request. A program that reports over a WebSocket may have any origin: it needs the token, and receives nothing of the trace.
 * `close()` or the end of the process releases everything; an open page does not keep a connection.
 */
import { randomBytes } from 'node:crypto';
import { createReadStream, existsSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { UsageError } from '../machines/errors.js';
import { answerAbout, answerTo, type Answered } from './answers.js';
import type { Gestures } from './gestures.js';
import { UNKNOWN_STATUS, BEAT_MS, isProgram } from './live/inbox.js';
import type { Reaching } from './live/reaching.js';
import { isTooDeep, TOO_DEEP } from './model/line-checks.js';
import { acceptSockets, type ProgramConnection } from './sockets.js';
import type { Shelf } from './stories/shelf.js';
import { fieldsOf } from '../machines/checks.js';

/** The text of a trace, whole or in pieces. It may be asked for again, by a second page or a reload. */
export type TraceSource = string | (() => Iterable<string> | AsyncIterable<string>);

/**
 * Options for `serveTrace`.
 *
 * @public
 */
export interface ServeOptions {
  /** 0 takes any free port. @defaultValue the port of `address` or, if that is in use, any free port */
  readonly port?: number;
  /** The address of an earlier server, to serve there again: its open page and the programs that report to it continue. */
  readonly address?: string;
  /**
   * Location of the built page.
   *
   * @defaultValue the page in this package
   */
  readonly page?: URL;
  /** Lets the page reach into the run; without it the trace is only looked at. */
  readonly gestures?: Gestures;
  /**
   * Takes what live nodes of other processes report; throws a `UsageError` for what is none. Returns false if the program has to report its
   * state first, because another inspector took its earlier reports.
   */
  readonly report?: (reports: unknown) => boolean;
  /** Takes gestures to programs that let themselves be reached. */
  readonly reaching?: Reaching;
  /** Takes a program that connects to the WebSocket `inspect` below the address; the token alone decides, whatever its `Origin`. */
  readonly connect?: (reply: (text: string) => void) => ProgramConnection;
  /** Returns the number of lines of a live trace so far, so that the page knows how far it is behind. */
  readonly written?: () => number;
  /** Receives a sentence about a program that was refused: its token is wrong, or the path below the token. */
  readonly refused?: (why: string) => void;
  /** Guided pages to choose from. */
  readonly shelf?: Shelf;
}

/**
 * A page that is served until it is closed.
 *
 * @public
 */
export interface Served {
  /** Open this in a browser; without the token in it nothing is answered. */
  readonly url: string;
  /** Ends the server; what an open page has not loaded by then it does not get. */
  close(): Promise<void>;
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

const HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; worker-src 'self' blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-store',
};

/**
 * Serves the inspector's page and one trace on 127.0.0.1, under an address that contains a random token.
 *
 * @param source The text of a trace, or a function that returns it in pieces.
 * @returns the server with its `url` and `close`.
 * @throws UsageError if the port is in use or the page is not built.
 * @example
 * ```ts
 * import { serveTrace } from 'xstate-quiver/inspector';
 *
 * const { url, close } = await serveTrace('');
 * console.log(`open ${url}`);
 * await close();
 * ```
 * @public
 */
export async function serveTrace(
  source: TraceSource,
  {
    port,
    address,
    page = builtPage(),
    gestures,
    report,
    reaching,
    connect,
    written,
    refused = () => {},
    shelf,
  }: ServeOptions = {},
): Promise<Served> {
  const [, earlierPort, earlierToken] = ADDRESS.exec(address ?? '') ?? [];
  const token = earlierToken ?? randomBytes(16).toString('base64url');
  const serving = {
    token,
    page,
    source,
    gestures: gestures ?? null,
    report: report ?? null,
    reaching: reaching ?? null,
    shelf: shelf ?? null,
    written: written ?? null,
    refused: once(refused),
  };
  const server = createServer((request, response) => {
    answer(request, response, serving).catch(() => response.destroy());
  });
  const endSockets = connect
    ? await acceptSockets(server, `/${token}/inspect`, connect, (request) => serving.refused(refusalOf(request, token)))
    : () => {};
  if (port === undefined && earlierPort !== undefined) await listen(server, Number(earlierPort)).catch(() => listen(server, 0));
  else await listen(server, port ?? 0);
  const { port: taken } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${taken}/${token}/`,
    close() {
      endSockets();
      return close(server);
    },
  };
}

/** An address of this server: its port and its token of 128 bits. */
const ADDRESS = /^http:\/\/127\.0\.0\.1:(\d+)\/([\w-]{22})\/$/;

/** Answers that are under way may end by themselves, if they do so soon. */
const GRACE_MS = 500;

function close(server: Server): Promise<void> {
  return new Promise((resolve) => {
    const late = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    server.close(() => {
      clearTimeout(late);
      resolve();
    });
    server.closeIdleConnections();
  });
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const taken = error.code === 'EADDRINUSE';
      reject(
        taken ? new UsageError(`Port ${port} of 127.0.0.1 is in use. Choose another port, or omit it to get a free one.`) : error,
      );
    });
    server.listen(port, '127.0.0.1', resolve);
  });
}

/** The page as `npm run build` left it, for this module in dist and in a checkout. */
export function builtPage(): URL {
  const places = ['./page/', '../dist/inspector/page/'].map((place) => new URL(place, import.meta.url));
  const page = places.find((place) => existsSync(new URL('assets', place)));
  if (!page) throw new UsageError('The inspector page is not built. Run npm run build.');
  return page;
}

interface Serving {
  readonly token: string;
  readonly page: URL;
  readonly source: TraceSource;
  readonly gestures: Gestures | null;
  readonly report: ((reports: unknown) => boolean) | null;
  readonly reaching: Reaching | null;
  readonly shelf: Shelf | null;
  readonly written: (() => number) | null;
  readonly refused: (why: string) => void;
}

/** A program that tries again, or a page that guesses, fills neither the terminal nor the trace. */
const REFUSALS_MAX = 20;

function once(refused: (why: string) => void): (why: string) => void {
  const seen = new Set<string>();
  return (why) => {
    if (seen.size >= REFUSALS_MAX || seen.has(why)) return;
    seen.add(why);
    refused(why);
  };
}

const SHOWN_CHARACTERS = 60;

function refusalOf({ url = '', headers }: IncomingMessage, token: string): string {
  const program = headers.origin === undefined ? 'A program' : `A program of ${headers.origin.slice(0, SHOWN_CHARACTERS)}`;
  const what = url.startsWith(`/${token}/`)
    ? `asked for the unknown path "${url.slice(token.length + 1, token.length + 1 + SHOWN_CHARACTERS)}"`
    : 'used a wrong token';
  return `${program} ${what} and was refused. Give it the whole address that this inspector printed.`;
}

async function answer(request: IncomingMessage, response: ServerResponse, serving: Serving): Promise<void> {
  const { token, page, source } = serving;
  const path = new URL(request.url ?? '/', 'http://127.0.0.1').pathname;
  if (!isFromOurPage(request)) return refuse(response, 403, 'The inspector answers its own page only.');
  if (!path.startsWith(`/${token}/`) && request.method === 'POST') serving.refused(refusalOf(request, token));
  if (!path.startsWith(`/${token}/`))
    return refuse(response, 404, 'Nothing here. Open the whole address that was printed, token included.');
  const name = path.slice(token.length + 2) || 'index.html';
  if (request.method === 'POST') return answerPost(request, response, name, serving);
  if (request.method !== 'GET' && request.method !== 'HEAD') return refuse(response, 405, 'Only GET and POST.');
  if (name === 'trace')
    return watched(serving.reaching, () => sendTrace(response, typeof source === 'string' ? [source] : source()));
  if (name === 'written' && serving.written) return sendJson(response, serving.written());
  try {
    const found = answerTo(name, serving.shelf);
    return await (found ? send(response, found) : sendFile(response, page, name));
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    refuse(response, 404, error.message);
  }
}

/** Answers a request about a scenario, which is in the body, and takes a `report` from live nodes of other processes. */
async function answerPost(request: IncomingMessage, response: ServerResponse, name: string, serving: Serving): Promise<void> {
  const { gestures, report, reaching } = serving;
  try {
    const body = await readJson(request);
    if (reaching && name.startsWith('reach/')) {
      const answer = await answerReach(name, body, reaching, response);
      return answer === undefined ? undefined : sendJson(response, answer);
    }
    // A simulation that runs offers nothing.
    if (name === 'reach/offer') return sendJson(response, null);
    const found = answerAbout(name, body, gestures);
    if (found) return await send(response, found);
    if (name !== 'report' || !report) return refuse(response, 404, 'This trace is only looked at.');
    if (report(body)) sendJson(response, null);
    else refuse(response, UNKNOWN_STATUS, 'This inspector has started again. Report the state of the program first.');
  } catch (error) {
    if (!(error instanceof UsageError || error instanceof SyntaxError)) throw error;
    refuse(response, 422, error.message);
  }
}

/** A page is there as long as it reads what is alive. */
async function watched(reaching: Reaching | null, sending: () => Promise<void>): Promise<void> {
  reaching?.pageCame();
  try {
    await sending();
  } finally {
    reaching?.pageWent();
  }
}

async function send(response: ServerResponse, found: NonNullable<Answered>): Promise<void> {
  if ('trace' in found) await sendTrace(response, found.trace);
  else sendJson(response, found.json);
}

function sendJson(response: ServerResponse, value: unknown): void {
  response.writeHead(200, { ...HEADERS, 'content-type': 'application/json; charset=utf-8' });
  response.end(JSON.stringify(value));
}

const BODY_BYTES_MAX = 10_000_000;

async function readJson(request: IncomingMessage): Promise<unknown> {
  const body: unknown = JSON.parse(await bodyOf(request));
  if (isTooDeep(body)) throw new UsageError(`The request was rejected: ${TOO_DEEP}`);
  return body;
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of request as AsyncIterable<Buffer>) {
    if ((size += piece.length) > BODY_BYTES_MAX)
      throw new UsageError(`The request has more than ${BODY_BYTES_MAX} bytes. Send a smaller scenario.`);
    pieces.push(piece);
  }
  return Buffer.concat(pieces).toString('utf8');
}

async function sendTrace(response: ServerResponse, text: Iterable<string> | AsyncIterable<string>): Promise<void> {
  response.writeHead(200, { ...HEADERS, 'content-type': 'application/x-ndjson; charset=utf-8', connection: 'close' });
  await pipeline(Readable.from(Symbol.asyncIterator in text ? text : inPieces(text)), response);
}

const PIECE_CHARACTERS = 65_536;

/** Joins lines into larger pieces, and yields to other work of the process in between. A live trace is sent as it grows. */
async function* inPieces(text: Iterable<string>): AsyncGenerator<string> {
  let piece = '';
  for (const part of text) {
    piece += part;
    if (piece.length < PIECE_CHARACTERS) continue;
    yield piece;
    piece = '';
    await setImmediate();
  }
  if (piece !== '') yield piece;
}

/** Refuses other host names (a foreign name that resolves to 127.0.0.1) and requests that another site's page makes. */
function isFromOurPage({ headers, socket }: IncomingMessage): boolean {
  const hosts = [`127.0.0.1:${socket.localPort}`, `localhost:${socket.localPort}`];
  if (!hosts.includes(headers.host ?? '')) return false;
  if (headers.origin !== undefined && !hosts.some((host) => headers.origin === `http://${host}`)) return false;
  const isNavigation = headers['sec-fetch-mode'] === 'navigate';
  return (
    isNavigation || headers['sec-fetch-site'] === undefined || ['same-origin', 'none'].includes(String(headers['sec-fetch-site']))
  );
}

/** Only `index.html`, the page in one piece, the engine of charts and flat files of `assets/`: no path that climbs. */
async function sendFile(response: ServerResponse, page: URL, name: string): Promise<void> {
  const type = CONTENT_TYPES[extname(name)];
  const isOurs = /^(index\.html|(whole\/index|chart-engine)\.js|assets\/[\w.-]+)$/.test(name) && type !== undefined;
  const file = isOurs ? fileURLToPath(new URL(name, page)) : '';
  if (!isOurs || !existsSync(file)) return refuse(response, 404, 'No such file.');
  response.writeHead(200, { ...HEADERS, 'content-type': type });
  await pipeline(createReadStream(file), response);
}

function refuse(response: ServerResponse, status: number, why: string): void {
  response.writeHead(status, { ...HEADERS, 'content-type': 'text/plain; charset=utf-8' });
  response.end(`${why}\n`);
}

/** Returns the answer as JSON, or `undefined` if the response stays open for the gestures on a program. */
async function answerReach(
  name: string,
  body: unknown,
  reaching: Reaching,
  response: ServerResponse<IncomingMessage>,
): Promise<unknown> {
  switch (name) {
    case 'reach/offer':
      return reaching.offer(fieldsOf(body)['node']);
    case 'reach/do':
      return reaching.do(body);
    case 'reach/answer':
      reaching.answered(body);
      return null;
    case 'reach/listen':
      if (!isProgram(body)) throw new UsageError('The request does not identify its program. Send { name, run }, two strings.');
      keepListening(reaching, body, response);
      return undefined;
    default:
      throw new UsageError(`Unknown path "${name}" for gestures.`);
  }
}

/** Sends gestures to a program, one line each. An empty line shows that the inspector is alive. */
function keepListening(reaching: Reaching, program: Parameters<Reaching['listen']>[0], response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/x-ndjson; charset=utf-8', 'cache-control': 'no-store' });
  response.write('\n');
  const beat = setInterval(() => response.write('\n'), BEAT_MS);
  const stop = reaching.listen(program, (order) => response.write(`${JSON.stringify(order)}\n`));
  response.on('close', () => {
    clearInterval(beat);
    stop();
  });
}
