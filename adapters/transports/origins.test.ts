/** Origins whose pages may open a WebSocket. */
import type { IncomingMessage } from 'node:http';
import { expect, test } from 'vitest';
import { isOrigin, isWelcomeOrigin, type Origins } from './origins.js';

const asked = (origin: string | undefined, host = 'hub.example', localAddress: string | undefined = '10.0.0.7') =>
  ({ headers: { origin, host }, socket: { localAddress } }) as unknown as IncomingMessage;

test('an origin is what a browser sends: scheme, host, and any non-default port', () => {
  const all = [
    'null',
    'https://app.example',
    'http://app.example:8080',
    'http://[::1]:80a',
    'chrome-extension://abc',
    'a+b.c-1://x',
  ];
  expect(all.map((text) => [text, isOrigin(text)])).toEqual(all.map((text) => [text, text !== 'http://[::1]:80a']));
  const none = [
    'app.example',
    'https://',
    'https://app.example/',
    'https://app.example?x',
    'https://app.example#x',
    'https://app.example:443',
    'HTTPS://app.example',
    'https://App.example',
    'http://app.example:80',
    'http://a b',
    ' https://app.example',
    '1a://x',
    7,
    null,
    undefined,
  ];
  expect(none.filter(isOrigin)).toEqual([]);
});

test('a program, which sends no origin, may connect with any list', () => {
  expect(isWelcomeOrigin(asked(undefined), undefined)).toBe(true);
  expect(isWelcomeOrigin(asked(undefined), [])).toBe(true);
});

test('a page with a listed origin may connect', () => {
  const origins = ['https://app.example', 'null'];
  expect(['https://app.example', 'null', 'https://other.example'].map((o) => isWelcomeOrigin(asked(o), origins))).toEqual([
    true,
    true,
    false,
  ]);
  expect(isWelcomeOrigin(asked('https://hub.example'), [])).toBe(false);
});

test.each<[string, Origins, boolean]>([
  ['yes', (origin) => origin === 'https://app.example', true],
  ['no', () => false, false],
  ['with a promise', (() => Promise.resolve(true)) as never, false],
  [
    'with an error',
    () => {
      throw new Error('mine');
    },
    false,
  ],
])('a rule that returns %s', (_, rule, isWelcome) => {
  expect(isWelcomeOrigin(asked('https://app.example'), rule)).toBe(isWelcome);
});

test.each<[what: string, request: IncomingMessage, isWelcome: boolean]>([
  ['a page of the very same place', asked('https://hub.example'), true],
  ['with the port', asked('https://hub.example:8080', 'hub.example:8080'), true],
  ['a page of another place', asked('https://other.example'), false],
  ['a page of another port', asked('https://hub.example:8080'), false],
  ['a page with an opaque origin', asked('null'), false],
  ['a page of this machine', asked('http://localhost:80', 'localhost', '127.0.0.1'), true],
  ['by its number', asked('http://127.0.0.1:81', '127.0.0.1:81', '::ffff:127.0.0.1'), true],
  ['by its other number', asked('http://[::1]:81', '[::1]:81', '::1'), true],
  ['a name that resolves to this machine', asked('http://evil.example', 'evil.example', '127.0.0.1'), false],
  ['the same by the other numbers', asked('http://evil.example', 'evil.example', '::ffff:127.0.0.1'), false],
  ['and by the last', asked('http://evil.example', 'evil.example', '::1'), false],
  ['an address that is similar to loopback', asked('http://a.example', 'a.example', '10.127.0.1'), true],
  ['another similar address', asked('http://a.example', 'a.example', 'fe80::1'), true],
  ['an address with the same prefix', asked('http://a.example', 'a.example', '::1f'), true],
  ['a socket without an address', asked('http://a.example', 'a.example', undefined), true],
])('without a list: %s', (_, request, isWelcome) => {
  expect(isWelcomeOrigin(request, undefined)).toBe(isWelcome);
});
