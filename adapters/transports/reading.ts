/**
 * Reading and writing of wire text: the only place where text from outside becomes a value, and a message becomes text.
 *
 * Text from another process is untrusted data. Its size, depth, number of values and numbers are limited here, before any other code reads
 * it. Text beyond a limit is refused with a reason, and never throws. Messages to be sent have the same limits, so that the sender receives
 * an error instead of the receiver dropping the message.
 */
import { UsageError } from '../../machines/errors.js';
import type { Json } from './transport.js';
import { fieldsOf } from '../../machines/checks.js';

/** Size of the largest frame of every medium: a megabyte, the default of a NATS server. */
export const FRAME_BYTES_MAX = 2 ** 20;
/** Size of the part of a frame around a message: its type, a sender, a receiver. */
const HEAD_BYTES_MAX = 2 ** 12;
/** Size of the largest message that fits into a frame. */
export const MESSAGE_BYTES_MAX = FRAME_BYTES_MAX - HEAD_BYTES_MAX;
/**
 * Number of pieces of a WebSocket message. Rate limits count frames, and 16,000 empty pieces would count as one frame. Chromium cut a frame
 * of a megabyte into 7 pieces at the median and at most 25, on a busy machine with a slow reader.
 */
export const FRAGMENTS_MAX = 64;
/** Nesting depth of lists and objects. A message that is 5,000 deep is 10 kB of JSON, and serializing it again ends a process. */
export const DEPTH_MAX = 64;
/** Number of levels that a frame adds to its message. */
const HEAD_DEPTH = 3;
/** Number of keys and values together: a megabyte of `{}` is half a million objects. */
export const VALUES_MAX = 2 ** 17;

export type Reading = { readonly value: Json } | { readonly refused: string };

/** Reads a frame, or with another limit the parts of a message put together. */
export function readFrame(text: unknown, bytesMax = FRAME_BYTES_MAX): Reading {
  if (typeof text !== 'string') return { refused: `it is not text but ${quote(text)}` };
  if (!fits(text, bytesMax)) return { refused: `its ${text.length} characters are over the limit of ${bytesMax} bytes` };
  let value: Json;
  try {
    value = JSON.parse(text);
  } catch {
    return { refused: `it is not JSON: ${quote(text)}` };
  }
  const excess = excessOf(value, DEPTH_MAX + HEAD_DEPTH, { left: VALUES_MAX, max: VALUES_MAX });
  return excess === null ? { value } : { refused: `it ${excess}` };
}

/** Serializes a message. Throws a `UsageError` that names the exceeded limit; nothing is sent then. */
export function write(message: Json, bytesMax: number, who: string): string {
  const written = writtenWithin(message, bytesMax);
  if ('text' in written) return written.text;
  throw new UsageError(`${who} cannot carry this message: it ${written.refused}. Nothing was sent`);
}

/** Serializes a message, or returns the reason for which it exceeds a limit. */
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
    return { refused: `is not JSON (${messageOf(error)})` };
  }
  if (text === undefined) return { refused: `is ${quote(message)}, which is not JSON` };
  if (fits(text, bytesMax)) return { text };
  return { refused: `has ${bytesOf(text)} bytes as JSON; the limit is ${bytesMax}. Split it` };
}

const encoder = new TextEncoder();

/** The size of a text in UTF-8, in bytes. */
export const bytesOf = (text: string): number => encoder.encode(text).length;

/** True if a text has at most that many bytes in UTF-8. */
export const fits = (text: string, bytesMax: number): boolean =>
  text.length <= bytesMax && (3 * text.length <= bytesMax || bytesOf(text) <= bytesMax);

/** The limit that a value exceeds; `null` if none. Recursion stops at the depth limit, so no value exhausts the stack. */
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
  // A list of keys or values would cost ten times as much for many small objects.
  for (const key in value) {
    budget.left--;
    const excess = excessOf(fieldsOf(value)[key], depth - 1, budget);
    if (excess !== null) return excess;
  }
  return null;
}

const QUOTE_LENGTH_MAX = 100;

/** Shows a value from outside in a warning: at most a hundred escaped characters. */
export function quote(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'an object';
  if (typeof value !== 'string') return String(value);
  const escaped = escape(value.slice(0, QUOTE_LENGTH_MAX + 1));
  return escaped.length <= QUOTE_LENGTH_MAX ? escaped : `${escaped.slice(0, QUOTE_LENGTH_MAX - 1)}…`;
}

/** Message of an error, or of another thrown value. */
export const messageOf = (error: unknown): string => quote(error instanceof Error ? error.message : error);

/** The reason in the other end's refusal. Peers and hubs of Quiver always send one. */
export const reasonIn = ({ why }: Readonly<Record<string, unknown>>): string =>
  typeof why === 'string' && why !== '' ? quote(why) : 'it gave no reason';

/** Replaces characters that control a terminal. */
export const escape = (text: string): string =>
  text.replace(/[\p{C}\u2028\u2029]/gu, (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`);
