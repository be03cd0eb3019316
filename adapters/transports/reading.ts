/**
 * The one place where text from outside becomes a value, and a message becomes text for the wire.
 *
 * What another process says is data: its size, its depth, its count of values and its numbers are bounded here, before anything else
 * looks at it, and a text beyond a bound is refused with its reason. Nothing in it can throw. A message to be sent is held to the
 * same bounds, so that a sender is notified of them, by name, instead of a receiver that drops.
 */
import { UsageError } from '../../machines/errors.js';
import type { Json } from './transport.js';

/** The largest frame of every medium: a megabyte, which is also what a NATS server takes unless told otherwise. */
export const FRAME_BYTES_MAX = 2 ** 20;
/** So much of a frame may be what transports put around a message: its type, a sender, a receiver. */
const HEAD_BYTES_MAX = 2 ** 12;
/** The largest message that fits into a frame. */
export const MESSAGE_BYTES_MAX = FRAME_BYTES_MAX - HEAD_BYTES_MAX;
/**
 * Pieces in which a WebSocket message may come. Who sends frames in one piece costs what its rate says; sixteen thousand empty pieces would
 * count as one frame. Chromium cut a frame of a megabyte into 7 in the middle, and 25 at most, beside a busy machine and a slow reader.
 */
export const FRAGMENTS_MAX = 64;
/** Lists and objects inside each other. A message 5,000 deep is 10 kB of JSON, and ends a process that writes it out again. */
export const DEPTH_MAX = 64;
/** By so many levels is a frame deeper than its message. */
const HEAD_DEPTH = 3;
/** Keys and values together: a megabyte of `{}` is half a million objects. */
export const VALUES_MAX = 2 ** 17;

export type Reading = { readonly value: Json } | { readonly refused: string };

/** Reads a frame; with other bounds, what has been put together from several. */
export function readFrame(text: unknown, bytesMax = FRAME_BYTES_MAX): Reading {
  if (typeof text !== 'string') return { refused: `it is not text but ${quote(text)}` };
  if (!fits(text, bytesMax)) return { refused: `its ${text.length} characters are over the limit of ${bytesMax} bytes` };
  let value: Json;
  try {
    value = JSON.parse(text) as Json;
  } catch {
    return { refused: `it is not JSON: ${quote(text)}` };
  }
  const excess = excessOf(value, DEPTH_MAX + HEAD_DEPTH, { left: VALUES_MAX, max: VALUES_MAX });
  return excess === null ? { value } : { refused: `it ${excess}` };
}

/** A message as JSON. Throws a `UsageError` that names the bound when it is beyond one; nothing has been sent then. */
export function write(message: Json, bytesMax: number, who: string): string {
  const written = writtenWithin(message, bytesMax);
  if ('text' in written) return written.text;
  throw new UsageError(`${who} cannot carry this message: it ${written.refused}. Nothing was sent`);
}

/** A message as JSON, or which bound it is beyond. */
export function writtenWithin(
  message: Json,
  bytesMax: number,
  valuesMax = VALUES_MAX,
): { readonly text: string } | { readonly refused: string } {
  const refused = excessOf(message, DEPTH_MAX, { left: valuesMax, max: valuesMax });
  if (refused !== null) return { refused };
  let text: string | undefined;
  try {
    text = JSON.stringify(message);
  } catch (error) {
    return { refused: `is no JSON (${quote((error as Error).message)})` };
  }
  if (text === undefined) return { refused: `is ${quote(message)}, which is no JSON` };
  if (fits(text, bytesMax)) return { text };
  return { refused: `has ${bytesOf(text)} bytes as JSON, and ${bytesMax} are the limit. Split it` };
}

const encoder = new TextEncoder();

/** The bytes of a text in UTF-8. */
export const bytesOf = (text: string): number => encoder.encode(text).length;

/** True if a text has no more bytes than that in UTF-8. */
export const fits = (text: string, bytesMax: number): boolean =>
  text.length <= bytesMax && (3 * text.length <= bytesMax || bytesOf(text) <= bytesMax);

/** What is too much about a value; `null` when nothing is. It goes no deeper than the bound, so no value exhausts the stack. */
function excessOf(value: unknown, depth: number, budget: { left: number; readonly max: number }): string | null {
  if (--budget.left < 0) return `has more than ${budget.max} keys and values`;
  if (typeof value === 'number') return Number.isFinite(value) ? null : 'has a number that JSON cannot carry';
  if (typeof value !== 'object' || value === null) return null;
  if (depth === 0) return `has more than ${DEPTH_MAX} lists and objects inside each other`;
  if (Array.isArray(value)) {
    for (const part of value) {
      const excess = excessOf(part, depth - 1, budget);
      if (excess !== null) return excess;
    }
    return null;
  }
  // A list of the keys, or of the values, would cost ten times as much where objects are many and small.
  for (const key in value) {
    budget.left--;
    const excess = excessOf((value as Readonly<Record<string, unknown>>)[key], depth - 1, budget);
    if (excess !== null) return excess;
  }
  return null;
}

const QUOTE_LENGTH_MAX = 100;

/** Something from outside as a warning may show it: a hundred escaped characters at most. */
export function quote(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  if (typeof value !== 'string') return String(value);
  const escaped = escape(value.slice(0, QUOTE_LENGTH_MAX + 1));
  return escaped.length <= QUOTE_LENGTH_MAX ? escaped : `${escaped.slice(0, QUOTE_LENGTH_MAX - 1)}…`;
}

/** What an error says, or what was thrown instead of one. */
export const saidBy = (error: unknown): string => quote(error instanceof Error ? error.message : error);

/** The reason in a refusal; peers and hubs of ours always give one. */
export const reasonIn = ({ why }: Readonly<Record<string, unknown>>): string =>
  typeof why === 'string' && why !== '' ? quote(why) : 'it gave no reason';

/** With nothing in it that a terminal would obey. */
export const escape = (text: string): string =>
  text.replace(/[\p{C}\u2028\u2029]/gu, (letter) => `\\u{${letter.codePointAt(0)!.toString(16)}}`);
