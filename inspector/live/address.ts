/** The address of an inspector, as programs are given it, and what is wrong with one. */
import { UsageError } from '../../machines/errors.js';

export interface InspectorAddress {
  /** The page, which ends with a slash. */
  readonly page: string;
  /** The WebSocket for programs. */
  readonly socket: string;
  readonly origin: string;
  readonly token: string;
}

const ADDRESS = /^(?:http|ws)(s?:\/\/[^/]+)\/([^/?#]+)/;

/** Reads the address of a page, or of its WebSocket. */
export function readAddress(caller: string, url: string): InspectorAddress {
  const [, place, token] = ADDRESS.exec(url) ?? [];
  if (place === undefined || token === undefined || !URL.canParse(url))
    throw new UsageError(
      `${caller}: "${url}" is not the address of an inspector. Pass the whole address that quiver explore --live printed, token included.`,
    );
  const page = `http${place}/${token}/`;
  return { page, socket: `ws${place}/${token}/inspect`, origin: new URL(page).origin, token };
}

export const absence = ({ origin }: InspectorAddress): string =>
  `no inspector runs at ${origin}. Start quiver explore --live, and pass the address that it prints.`;

export const wrongToken = ({ origin, token }: InspectorAddress): string =>
  `the token "${token}" is wrong: no inspector at ${origin} has it. Pass the whole address that the inspector printed.`;
