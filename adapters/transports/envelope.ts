/**
 * The envelope of a message on a transport: its conversation, and the version of this format.
 *
 * The schema is for other implementations. The check is written by hand, because a validator library took longer to load in every worker
 * than all other modules together. A test compares the two.
 */
import { isObject } from '../../machines/checks.js';
import type { Message } from '../../machines/effects.js';
import { quote } from './reading.js';
import type { Json } from './transport.js';

export const WIRE_VERSION = 1;

/** Long enough for every name, and short enough to limit memory. */
export const CHANNEL_NAME_LENGTH_MAX = 512;
const TYPE_LENGTH_MAX = 64;

export interface Envelope {
  readonly v: typeof WIRE_VERSION;
  /** Name of the conversation. Only nodes of the same name exchange messages. */
  readonly name: string;
  readonly message: Message;
}

/** Wraps a node's message in the envelope that a transport carries. */
export function envelopeOf(name: string, message: Message): Json {
  const envelope: Envelope = { v: WIRE_VERSION, name, message };
  return envelope as unknown as Json;
}

/** True if a value has the fields of an envelope, of any version. Other values are messages of the application. */
export const isVersioned = (value: Json): boolean => isObject(value) && 'v' in value && 'name' in value && 'message' in value;

/** Reason for which a value is not an envelope; `null` if it is one. */
export function refusal(value: Json): string | null {
  if (!isObject(value)) return 'it is not an envelope';
  const { v, name, message, ...others } = value;
  if (v !== WIRE_VERSION) {
    return `it uses version ${quote(v)} of the wire format, this peer ${WIRE_VERSION}. Run the same release on both`;
  }
  if (!isText(name, CHANNEL_NAME_LENGTH_MAX)) return `its name is not a string of 1 to ${CHANNEL_NAME_LENGTH_MAX} characters`;
  if (!isObject(message) || !isText(message['type'], TYPE_LENGTH_MAX)) return 'its message has no type';
  const [extra] = Object.keys(others);
  return extra === undefined ? null : `it has a field "${quote(extra)}" that is not part of an envelope`;
}

/** Length limit as JSON Schema counts: in characters, not in UTF-16 code units. */
const isText = (value: unknown, lengthMax: number): boolean =>
  typeof value === 'string' &&
  value !== '' &&
  (value.length <= lengthMax || (value.length <= 2 * lengthMax && Array.from(value).length <= lengthMax));
