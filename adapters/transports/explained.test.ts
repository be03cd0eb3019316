/** Explanations and advice for failed connections. */
import { expect, test } from 'vitest';
import { explained } from './refusals.js';

test('the advice for a mesh names a peer, not a hub', () => {
  expect(explained('connect ECONNREFUSED 127.0.0.1:1', 'ws://b', 'a peer')).toMatch(/; check that a peer listens there$/);
});

test.each([
  ['ws://hub', 'Unexpected server response: 403', /403; the server does not accept pages of this origin: add it to origins/],
  ['ws://hub', 'Unexpected server response: 404', /404; no WebSocket server answers at that path/],
  ['ws://hub', 'Unexpected server response: 503', /503; it is full: raise limits.connections/],
  ['ws://hub', 'Unexpected server response: 502', /502; the server there is not a hub/],
  ['ws://hub', 'connect ECONNREFUSED 127.0.0.1:1', /ECONNREFUSED 127.0.0.1:1; check that the hub listens there/],
  ['wss://hub', 'socket hang up', /hang up; the server may require a client certificate and not trust this one/],
  ['wss://hub', 'ssl/tls alert certificate required: SSL alert number 116', /; it asks for a certificate .* pass cert and key/],
  [
    'wss://hub',
    "Hostname/IP does not match certificate's altnames: IP: 10.0.0.17 is not in the cert's list: a.example, b.example, c.example",
    /^altnames: IP: 10.0.0.17 is not in the cert's list: a.example, b.example, c.example; its certificate is for other names/,
  ],
])('at %s, "%s" comes with advice', (url, why, shown) => {
  expect(explained(why, url)).toMatch(shown);
});

test.each([
  ['ws://hub', 'Unexpected server response: 400', /another WebSocket server answers for that path, .*: make it with noServer$/],
  ['ws://hub', 'Unexpected server response: 4031', /; the server there is not a hub, or a proxy in front of it/],
  ['ws://hub', 'response: 403 it said', /; check that the hub listens there$/],
  ['wss://hub', 'write EPROTO: wrong version number', /; it does not use TLS there: try ws:$/],
  ['wss://hub', 'ssl: PACKET LENGTH TOO LONG', /; it does not use TLS there: try ws:$/],
  [
    'wss://hub',
    'self-signed certificate',
    /its certificate is not trusted here: pass its authority as ca .* NODE_EXTRA_CA_CERTS$/,
  ],
  ['wss://hub', 'unable to get local issuer certificate', /its certificate is not trusted here/],
  ['wss://hub', 'unable to verify the first certificate', /its certificate is not trusted here/],
  ['wss://hub', 'x509: Unknown authority', /its certificate is not trusted here/],
  ['wss://hub', 'alert number 116', /it asks for a certificate of this peer/],
  ['wss://hub', 'certificate has expired', /; renew the certificate of the server there$/],
  ['ws://hub', 'socket hang up', /; try wss:, if it listens with TLS$/],
  ['ws://hub', 'read ECONNRESET', /; try wss:, if it listens with TLS$/],
  ['wss://hub', 'read ECONNRESET', /; the server may require a client certificate .* or a proxy closed the connection$/],
  ['WSS://ws:', 'read ECONNRESET', /; the server may require a client certificate/],
  [
    'wss://hub',
    "no word of Hostname/IP does not match certificate's altnames: x",
    /^no word of Hostname.*dial one of them, or add this/,
  ],
])('at %s, "%s" is distinguished from similar errors', (url, why, shown) => {
  expect(explained(why, url)).toMatch(shown);
});

test('the first that fits counts', () => {
  expect(explained('Unexpected server response: 404', 'ws://hub')).toBe(
    'Unexpected server response: 404; no WebSocket server answers at that path: pass the path of the hub',
  );
  expect(explained('\u001B[2J', 'ws://hub')).toBe('\\u{1b}[2J; check that the hub listens there');
});
