/** What the failure of a connection means, and what helps. */
import { expect, test } from 'vitest';
import { explained } from './refusals.js';

test('a mesh has no hub to look for', () => {
  expect(explained('connect ECONNREFUSED 127.0.0.1:1', 'ws://b', 'a peer')).toMatch(/; is a peer there\?$/);
});

test.each([
  ['ws://hub', 'Unexpected server response: 403', /403; the server does not accept pages of this origin: add it to origins/],
  ['ws://hub', 'Unexpected server response: 404', /404; no WebSocket server answers at that path/],
  ['ws://hub', 'Unexpected server response: 503', /503; it is full: raise limits.connections/],
  ['ws://hub', 'Unexpected server response: 502', /502; the server there is not a hub/],
  ['ws://hub', 'connect ECONNREFUSED 127.0.0.1:1', /ECONNREFUSED 127.0.0.1:1; is the hub there\?/],
  ['wss://hub', 'socket hang up', /hang up; the other end may ask for a certificate and not trust the one from here/],
  ['wss://hub', 'ssl/tls alert certificate required: SSL alert number 116', /; it asks for a certificate .* give cert and key/],
  [
    'wss://hub',
    "Hostname/IP does not match certificate's altnames: IP: 10.0.0.17 is not in the cert's list: a.example, b.example, c.example",
    /^altnames: IP: 10.0.0.17 is not in the cert's list: a.example, b.example, c.example; its certificate is for other names/,
  ],
])('at %s, "%s" comes with its cure', (url, why, shown) => {
  expect(explained(why, url)).toMatch(shown);
});

test.each([
  ['ws://hub', 'Unexpected server response: 400', /another WebSocket server answers for that path, .*: make it with noServer$/],
  ['ws://hub', 'Unexpected server response: 4031', /; the server there is not a hub, or a proxy in front of it/],
  ['ws://hub', 'response: 403 it said', /; is the hub there\?$/],
  ['wss://hub', 'write EPROTO: wrong version number', /; it speaks no TLS there: try ws:$/],
  ['wss://hub', 'ssl: PACKET LENGTH TOO LONG', /; it speaks no TLS there: try ws:$/],
  [
    'wss://hub',
    'self-signed certificate',
    /its certificate is not trusted here: give its authority, as ca of .* NODE_EXTRA_CA_CERTS$/,
  ],
  ['wss://hub', 'unable to get local issuer certificate', /its certificate is not trusted here/],
  ['wss://hub', 'unable to verify the first certificate', /its certificate is not trusted here/],
  ['wss://hub', 'x509: Unknown authority', /its certificate is not trusted here/],
  ['wss://hub', 'alert number 116', /it asks for a certificate of this peer/],
  ['wss://hub', 'certificate has expired', /; give whoever listens there a new certificate$/],
  ['ws://hub', 'socket hang up', /; try wss:, if it listens with TLS$/],
  ['ws://hub', 'read ECONNRESET', /; try wss:, if it listens with TLS$/],
  ['wss://hub', 'read ECONNRESET', /; the other end may ask for a certificate .* or something there has closed the connection$/],
  ['WSS://ws:', 'read ECONNRESET', /; the other end may ask for a certificate/],
  [
    'wss://hub',
    "no word of Hostname/IP does not match certificate's altnames: x",
    /^no word of Hostname.*dial one of them, or put this/,
  ],
])('at %s, "%s" is told from what is like it', (url, why, shown) => {
  expect(explained(why, url)).toMatch(shown);
});

test('the first that fits counts', () => {
  expect(explained('Unexpected server response: 404', 'ws://hub')).toBe(
    'Unexpected server response: 404; no WebSocket server answers at that path: pass the path of the hub',
  );
  expect(explained('\u001B[2J', 'ws://hub')).toBe('\\u{1b}[2J; is the hub there?');
});
