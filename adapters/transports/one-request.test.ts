/** Reading at a port of a hub or mesh peer: only the first request of a connection. Real sockets. */
import { once } from 'node:events';
import { maxHeaderSize } from 'node:http';
import { connect, type Socket } from 'node:net';
import { connect as connectTls, type TlsOptions } from 'node:tls';
import { asyncScheduler, interval, VirtualTimeScheduler, type SchedulerLike } from 'rxjs';
import { expect, onTestFinished, test } from 'vitest';
import { cert, key } from './certificate.fixture.js';
import { oneRequestServer } from './one-request.js';

/** A server that answers upgrades and reports the bytes after them, and the input of the HTTP parser. */
async function listening(patienceMs = 5_000, tls?: TlsOptions, clock: SchedulerLike = asyncScheduler) {
  const { netServer, upgrades } = oneRequestServer(tls, patienceMs, clock);
  const parsed: (string | undefined)[] = [];
  const behind: string[] = [];
  upgrades.on('request', ({ url }) => parsed.push(url));
  upgrades.on('upgrade', ({ url }, socket, head) => {
    parsed.push(url);
    socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n');
    if (head.length > 0) behind.push(String(head));
    socket.on('data', (data) => behind.push(String(data)));
  });
  await once(netServer.listen(0, '127.0.0.1'), 'listening');
  const { port } = netServer.address() as { port: number };
  const call = () => {
    const socket = connect(port, '127.0.0.1').setEncoding('utf8').setNoDelay();
    const caller = { socket, answer: '' };
    socket.on('data', (text) => (caller.answer += text)).on('error', () => {});
    onTestFinished(() => void socket.destroy());
    return caller;
  };
  onTestFinished(() => void netServer.close());
  return { call, parsed, behind, port };
}

/** Resolves with any end of the connection: unread data causes a reset, with which `once` would reject. */
const closed = (socket: Socket) =>
  new Promise<void>((resolve) => {
    socket
      .on('error', () => {})
      .resume()
      .once('close', () => resolve());
  });

const PLAIN = 'GET /plain HTTP/1.1\r\nHost: x\r\n\r\n';
const UPGRADE = 'GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n';

test.each([
  ['a plain request', PLAIN, 426],
  ['another method', 'POST / HTTP/1.1\r\nHost: x\r\n\r\n', 426],
  ['TLS without a certificate', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 426],
  ['a request that expects 100-continue', PLAIN.replace('\r\n\r\n', '\r\nExpect: 100-continue\r\n\r\n'), 426],
  ['a request with an unknown expectation', PLAIN.replace('\r\n\r\n', '\r\nExpect: banana\r\n\r\n'), 426],
  ['empty lines', '\r\n\r\n', 426],
  ['a request that cannot be parsed', 'GET no version\r\n\r\n', 400],
  ['a head that is too long', `GET / HTTP/1.1\r\nCookie: ${'x'.repeat(17_000)}\r\n\r\n`, 431],
])('%s is answered once, and later bytes are not parsed', async (_what, first, status) => {
  const { call, parsed } = await listening();
  const caller = call();
  caller.socket.write(first + PLAIN.repeat(500), 'latin1');
  await closed(caller.socket);
  expect(caller.answer.match(/HTTP\/1\.1 \d+/g)).toEqual([`HTTP/1.1 ${status}`]);
  expect(parsed.length).toBeLessThanOrEqual(1);
});

test.each([
  ['TLS without a certificate', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 426],
  ['a head without an end', `GET / HTTP/1.1\r\nCookie: ${'x'.repeat(17_000)}`, 431],
])(
  '%s is answered before its end',
  async (_what, first, status) => {
    const { call } = await listening();
    const caller = call();
    caller.socket.write(first, 'latin1');
    await closed(caller.socket);
    expect(caller.answer).toContain(`HTTP/1.1 ${status}`);
  },
  4_000,
);

test('an upgrade may arrive in pieces, and bytes after it belong to the WebSocket', async () => {
  const { call, parsed, behind } = await listening();
  const caller = call();
  for (const character of UPGRADE) {
    caller.socket.write(character);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => caller.answer).toContain('101');
  const eager = call();
  eager.socket.write(UPGRADE + PLAIN);
  await expect.poll(() => behind).toEqual([PLAIN]);
  expect(parsed).toEqual(['/socket', '/socket']);
});

test.each([
  ['of the maximum length of Node is accepted', maxHeaderSize, 101],
  ['one byte longer is refused', maxHeaderSize + 1, 431],
])('an upgrade with a head %s', async (_, length, status) => {
  const { call } = await listening();
  const caller = call();
  const bare = UPGRADE.replace('Host', 'Cookie: \r\nHost');
  caller.socket.write(bare.replace('Cookie: ', `Cookie: ${'x'.repeat(length - bare.length)}`));
  await expect.poll(() => caller.answer).toMatch(`HTTP/1.1 ${status}`);
});

test('a connection that has ended is no longer waited for', async () => {
  const clock = new VirtualTimeScheduler();
  const { call } = await listening(5_000, undefined, clock);
  const caller = call();
  await expect.poll(() => clock.actions.length).toBe(1);
  caller.socket.destroy();
  await expect.poll(() => clock.actions.length).toBe(0);
});

test('a client without a request is disconnected in time; one with an upgrade stays', async () => {
  const { call } = await listening(50);
  const [silent, slow, asked] = [call(), call(), call()];
  slow.socket.write('GET / HT');
  asked.socket.write(UPGRADE);
  await Promise.all([silent, slow].map(({ socket }) => closed(socket)));
  expect([silent.answer, slow.answer]).toEqual(['', '']);
  expect(asked.socket.closed).toBe(false);
  expect(asked.answer).toContain('101');
});

test('repeated TLS renegotiation ends the connection, before and after the request', async () => {
  const { port } = await listening(60_000, { key, cert });
  for (const asked of ['', UPGRADE]) {
    const socket = connectTls({ port, host: '127.0.0.1', ca: cert, maxVersion: 'TLSv1.2' });
    onTestFinished(() => void socket.destroy());
    let handshakes = 0;
    socket.on('secure', () => {
      if (handshakes++ === 0) socket.write(asked);
      if (!socket.destroyed) socket.renegotiate({}, () => {});
    });
    await closed(socket);
    expect(handshakes).toBeLessThan(10);
  }
});

test.each(['the first message of TLS', 'a request', 'a request over TLS'])(
  'a client that sends %s byte by byte is disconnected like a silent one',
  async (what) => {
    const isOverTls = what === 'a request over TLS';
    // A handshake may take long on a busy machine.
    const { port, parsed } = await listening(isOverTls ? 1_500 : 300, what === 'a request' ? undefined : { key, cert });
    const socket = isOverTls ? connectTls({ port, host: '127.0.0.1', ca: cert }) : connect(port, '127.0.0.1');
    onTestFinished(() => void socket.destroy());
    await once(socket, isOverTls ? 'secureConnect' : 'connect');
    const bytes = Buffer.from(
      what === 'the first message of TLS' ? '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03' : UPGRADE,
      'latin1',
    );
    let sent = 0;
    const sending = interval(100).subscribe((i) => socket.write(bytes.subarray(i, ++sent)));
    onTestFinished(() => sending.unsubscribe());
    await closed(socket);
    expect(sent).toBeLessThan(bytes.length);
    expect(parsed).toEqual([]);
  },
);
