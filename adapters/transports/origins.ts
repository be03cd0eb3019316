/**
 * Origins whose pages may open a WebSocket. Browsers allow every page to try, with the page's origin in the request and with the user's
 * access to the network. Without this check, any page that the user visits could connect to a hub on the local machine.
 */
import type { IncomingMessage } from 'node:http';

export type Origins = readonly string[] | ((origin: string) => boolean);

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const isLoopback = (address = ''): boolean => /^(::ffff:)?127\.|^::1$/.test(address);

/** True for an origin as browsers send it: scheme, host, and the port unless it is the scheme's default; `null` for an opaque origin. */
export const isOrigin = (text: unknown): boolean => {
  if (text === 'null') return true;
  if (typeof text !== 'string' || !/^[a-z][a-z0-9+.-]*:\/\/[^/?#]+$/.test(text)) return false;
  return !/^https?:/.test(text) || (URL.canParse(text) && new URL(text).origin === text);
};

/** Applies a rule. One that throws, or returns a promise, refuses the origin. */
function isAllowed(rule: (origin: string) => unknown, origin: string): boolean {
  try {
    return rule(origin) === true;
  } catch {
    return false;
  }
}

/**
 * True if a request may connect. Programs send no origin. A page may connect if its origin is listed; without a list, if it was served from
 * the same host and port.
 */
export function isWelcomeOrigin({ headers, socket }: IncomingMessage, origins: Origins | undefined): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return true;
  if (origins) return typeof origins === 'function' ? isAllowed(origins, origin) : origins.includes(origin);
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  // DNS rebinding: any name can resolve to this machine, and its pages would seem to be local.
  return page.host === host && (!isLoopback(socket.localAddress) || LOOPBACK_NAMES.includes(page.hostname));
}
