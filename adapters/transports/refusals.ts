/** What the failure of a connection means, as far as it says so, and what helps: for those whose own sockets tell it, which browsers' do not. */
import { quote } from './reading.js';

/** Each kind of failure, by what `ws` and Node say of it. The first that fits counts. */
const CURES: readonly (readonly [description: RegExp, cure: string])[] = [
  [/response: 403$/, 'the server does not accept pages of this origin: add it to origins of the server'],
  [/response: 404$/, 'no WebSocket server answers at that path: pass the path of the hub'],
  [/response: 503$/, 'it is full: raise limits.connections or limits.connectionsPerAddress there, or wait'],
  [
    /response: 400$/,
    'another WebSocket server answers for that path, as one of ws with { server, path } does for all: make it with noServer',
  ],
  [/response: \d+$/, 'the server there is not a hub, or a proxy in front of it does not forward WebSockets'],
  [/wrong version number|packet length too long/i, 'it speaks no TLS there: try ws:'],
  [
    /self-signed|unable to (get|verify)|unknown authority/i,
    'its certificate is not trusted here: give its authority, as ca of the options of TLS or by NODE_EXTRA_CA_CERTS',
  ],
  [/altnames/, 'its certificate is for other names: dial one of them, or put this one into its subjectAltName'],
  [
    /alert certificate required|alert number 116/i,
    'it asks for a certificate of this peer: give cert and key in the options of TLS, for a hub by a class of WebSocket of yours',
  ],
  [/certificate has expired/, 'give whoever listens there a new certificate'],
];

const HUNG_UP = /hang up|ECONNRESET/;
/** What Node says before the names, which are what counts. */
const ALTNAMES_BEGIN = /^Hostname\/IP does not match certificate's altnames: /;

/**
 * With the cure. A place with TLS hangs up on who comes without, and on whose certificate it does not trust; of any other failure all that
 * helps is to look whether anybody is there: `what` listens at the address.
 */
export function explained(why: string, url: string, what = 'the hub'): string {
  const known = CURES.find(([description]) => description.test(why))?.[1];
  const withoutTls = url.startsWith('ws:');
  const hungUp = withoutTls
    ? 'try wss:, if it listens with TLS'
    : 'the other end may ask for a certificate and not trust the one from here, or something there has closed the connection';
  const cure = known ?? (HUNG_UP.test(why) ? hungUp : `is ${what} there?`);
  return `${quote(why.replace(ALTNAMES_BEGIN, 'altnames: '))}; ${cure}`;
}
