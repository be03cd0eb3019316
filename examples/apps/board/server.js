/**
 * The page, the cards, the hub that connects the tabs, and the keepers: peers that vote and take no locks.
 *
 * Tabs come and go, and locks are granted while more than half of all peers are connected. So there is one more keeper than there are
 * people: the keepers are a majority without any tab. They keep their persistent state on disk; tabs need none.
 */
import { mkdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { json } from 'node:stream/consumers';
import { WebSocket } from 'ws';
import { folderStorage } from 'xstate-quiver/storage/node';
import { linked, webSocket } from 'xstate-quiver/transports';
import { createLocks } from 'xstate-quiver/locks';
import { webSocketHub } from 'xstate-quiver/transports/node';
import { Cards } from './cards.js';

const { TEAM = 'ann,bob,cy', PORT = '8080', HOST = '127.0.0.1', DATA = 'data', PAGE = 'dist' } = process.env;
const people = TEAM.split(',');
const keepers = Array.from({ length: people.length + 1 }, (_, i) => `keeper-${i}`);
const peers = [...people, ...keepers];

mkdirSync(DATA, { recursive: true });
const cards = new Cards(join(DATA, 'cards.json'));
const TYPES = /** @type {Record<string, string>} */ ({ '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css' });

const WRITTEN = ['id', 'by', 'text', 'column'];

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://board');
  if (pathname === '/peers') response.writeHead(200).end(JSON.stringify({ people, peers }));
  else if (pathname === '/cards' && request.method === 'PATCH') void patch(request, response);
  else if (pathname === '/cards') {
    response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    response.on(
      'close',
      cards.watch((card) => response.write(`data: ${JSON.stringify(card)}\n\n`)),
    );
  } else file(pathname === '/' ? '/index.html' : pathname, response);
});

/**
 * @param {import('node:http').IncomingMessage} request
 * @param {import('node:http').ServerResponse} response
 */
async function patch(request, response) {
  const { id, by, fence, ...rest } = /** @type {any} */ (await json(request).catch(() => ({})));
  const texts = Object.entries({ id, by, ...rest });
  const isChange =
    Number.isSafeInteger(fence) && texts.every(([key, value]) => WRITTEN.includes(key) && typeof value === 'string');
  if (!isChange) response.writeHead(400).end('a change of a card is { id, by, fence } with text, column, or both');
  else if (cards.write({ id, by, fence, ...rest })) response.writeHead(204).end();
  else response.writeHead(409).end('the card has been written with a larger fence');
}

/**
 * @param {string} path
 * @param {import('node:http').ServerResponse} response
 */
function file(path, response) {
  try {
    const text = readFileSync(join(PAGE, normalize(path)));
    response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' }).end(text);
  } catch {
    response.writeHead(404).end('not here');
  }
}

server.listen(Number(PORT), HOST, () => console.log(`the board is at http://${HOST}:${PORT}`));
const hub = await webSocketHub({ server, path: '/quiver', ids: peers });

const url = `ws://${HOST}:${PORT}/quiver`;
const transports = keepers.map((id) => linked(webSocket({ id, url, WebSocket }), { peers }));
const locks = transports.map((transport) => createLocks({ transport, peers, storage: folderStorage(join(DATA, transport.id)) }));

for (const signal of ['SIGTERM', 'SIGINT'])
  process.once(signal, async () => {
    await Promise.all(locks.map((each) => each.close()));
    await Promise.all(transports.map((transport) => transport.close()));
    await hub.close();
    server.closeAllConnections();
    server.close();
  });
