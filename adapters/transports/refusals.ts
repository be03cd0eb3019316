/** Explanations of failed connections, with advice, as far as the socket reports a reason. Sockets of browsers report none. */
import { quote } from './reading.js';

/** Advice for each kind of failure, by the message of `ws` or Node. The first match applies. */
const ADVICE: readonly (readonly [description: RegExp, advice: string])[] = [
  [/response: 403$/, 'the server does not accept pages of this origin: add it to origins of the server'],
  [/response: 404$/, 'no WebSocket server answers at that path: pass the path of the hub'],
  [/response: 503$/, 'it is full: raise limits.connections or limits.connectionsPerAddress there, or wait'],
  [
    /response: 400$/,
    'another WebSocket server answers for that path, as one of ws with { server, path } does for all: make it with noServer',
  ],
  [/response: \d+$/, 'the server there is not a hub, or a proxy in front of it does not forward WebSockets'],
  [/wrong version number|packet length too long/i, 'it does not use TLS there: try ws:'],
  [
    /self-signed|unable to (get|verify)|unknown authority/i,
    'its certificate is not trusted here: pass its authority as ca in the TLS options, or in NODE_EXTRA_CA_CERTS',
  ],
  [/altnames/, 'its certificate is for other names: dial one of them, or add this one to its subjectAltName'],
  [
    /alert certificate required|alert number 116/i,
    'it asks for a certificate of this peer: pass cert and key in the TLS options, for a hub with your own class of WebSocket',
  ],
  [/certificate has expired/, 'renew the certificate of the server there'],
];

const HUNG_UP = /hang up|ECONNRESET/;
/** Start of Node's message. The names after it matter. */
const ALTNAMES_BEGIN = /^Hostname\/IP does not match certificate's altnames: /;

/**
 * Appends advice to the message. A server with TLS closes connections without TLS, and those with an untrusted certificate. For any other
 * failure, the advice is to check that `what` listens at the address.
 */
export function explained(why: string, url: string, what = 'the hub'): string {
  const known = ADVICE.find(([description]) => description.test(why))?.[1];
  const withoutTls = url.startsWith('ws:');
  const hungUp = withoutTls
    ? 'try wss:, if it listens with TLS'
    : 'the server may require a client certificate and not trust this one, or a proxy closed the connection';
  const advice = known ?? (HUNG_UP.test(why) ? hungUp : `check that ${what} listens there`);
  return `${quote(why.replace(ALTNAMES_BEGIN, 'altnames: '))}; ${advice}`;
}
