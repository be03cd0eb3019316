/**
 * From which pages a browser may open a WebSocket. Browsers let every page on the web try, with the page's origin in the request and
 * with the user's own access to the network, so a hub on this machine is one visit to any page away.
 */
import type { IncomingMessage } from 'node:http';

export type Origins = readonly string[] | ((origin: string) => boolean);

const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '[::1]'];
const isLoopback = (address = ''): boolean => /^(::ffff:)?127\.|^::1$/.test(address);

/** As a browser says where a page comes from: scheme, host and a port that is not the scheme's own; `null` for a page from nowhere. */
export const isOrigin = (text: unknown): boolean => {
  if (text === 'null') return true;
  if (typeof text !== 'string' || !/^[a-z][a-z0-9+.-]*:\/\/[^/?#]+$/.test(text)) return false;
  return !/^https?:/.test(text) || (URL.canParse(text) && new URL(text).origin === text);
};

/** A rule that fails, or answers with a promise, has not said yes. */
function description(rule: (origin: string) => unknown, origin: string): boolean {
  try {
    return rule(origin) === true;
  } catch {
    return false;
  }
}

/** A program sends no origin. A page is welcome when it is listed or, if nothing is, when it was served from the very same place. */
export function isWelcomeOrigin({ headers, socket }: IncomingMessage, origins: Origins | undefined): boolean {
  const { origin, host } = headers;
  if (origin === undefined) return true;
  if (origins) return typeof origins === 'function' ? description(origins, origin) : origins.includes(origin);
  if (!URL.canParse(origin)) return false;
  const page = new URL(origin);
  // Any name on the web can be made to lead to this machine, and the page of that name would look like one of its own.
  return page.host === host && (!isLoopback(socket.localAddress) || LOOPBACK_NAMES.includes(page.hostname));
}
