/** Addresses of an inspector, whole and with mistakes, and what a program prints about a wrong one. */
import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { serveTrace } from '../server.js';
import { readAddress } from './address.js';
import { Outbox } from './outbox.js';

const page = new URL('../page/', import.meta.url);

test('addresses of a page, with or without the last slash, and of a socket agree', () => {
  const { origin } = new URL('http://127.0.0.1:4000');
  const meant = { page: `${origin}/token/`, socket: 'ws://127.0.0.1:4000/token/inspect', origin, token: 'token' };
  for (const url of [meant.page, `${origin}/token`, `${origin}/token/#line=1`, meant.socket])
    expect(readAddress('createInspector', url)).toEqual(meant);
});

test.each(['', 'here', 'localhost:4000', 'http://127.0.0.1:4000/', 'http://127.0.0.1:x/token/', 'undefined'])(
  'a text that is not an address is rejected: "%s"',
  (url) => {
    expect(() => readAddress('createInspector', url)).toThrow(`createInspector: "${url}" is not the address of an inspector.`);
  },
);

async function problemAt(url: string): Promise<string> {
  const outbox = new Outbox(url, { name: 'p', run: 'r' });
  onTestFinished(() => outbox.kill());
  return outbox.flush().then(
    () => 'none',
    ({ message }: Error) => message,
  );
}

test('a wrong token, another server, and no server are named', async () => {
  const { url, close } = await serveTrace('', { page, report: () => true });
  onTestFinished(() => close());
  expect(await problemAt(url)).toBe('none');
  const { origin } = new URL(url);
  expect(await problemAt(`${origin}/guess/`)).toBe(
    `inspect: the token "guess" is wrong: no inspector at ${origin} has it. Pass the whole address that the inspector printed.`,
  );
  const other = createServer((_, response) => response.end('<p>shop'));
  await once(other.listen(0, '127.0.0.1'), 'listening');
  onTestFinished(() => void other.close());
  const shop = `http://127.0.0.1:${(other.address() as AddressInfo).port}`;
  expect(await problemAt(`${shop}/t/`)).toContain(`the token "t" is wrong: no inspector at ${shop} has it.`);
  expect(await problemAt('http://127.0.0.1:9/t/')).toBe(
    'inspect: no inspector runs at http://127.0.0.1:9. Start quiver explore --live, and pass the address that it prints.',
  );
});
