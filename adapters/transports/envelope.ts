/**
 * What travels on a transport: a message of one conversation, with the version of this format.
 *
 * The schema is for others who want to speak it. The check is written out: a validator library took longer to load than everything
 * else together, in every worker; a test holds the two equal.
 */
import { isObject } from '../../machines/checks.js';
import type { Message } from '../../machines/effects.js';
import { quote } from './reading.js';
import type { Json } from './transport.js';

export const WIRE_VERSION = 1;

/** Long enough for every name, short enough that nobody fills the memory with them. */
export const CHANNEL_NAME_LENGTH_MAX = 512;
const TYPE_LENGTH_MAX = 64;

export interface Envelope {
  readonly v: typeof WIRE_VERSION;
  /** The conversation: only nodes of the same name talk to each other. */
  readonly name: string;
  readonly message: Message;
}

/** The envelope of what a node says. */
export function envelopeOf(name: string, message: Message): Json {
  const envelope: Envelope = { v: WIRE_VERSION, name, message };
  return envelope as unknown as Json;
}

/** True if a value has what an envelope has, of this version or another. What has not is a message of the application's own. */
export const isVersioned = (value: Json): boolean => isObject(value) && 'v' in value && 'name' in value && 'message' in value;

export const envelopeSchema = {
  type: 'object',
  required: ['v', 'name', 'message'],
  additionalProperties: false,
  properties: {
    v: { const: WIRE_VERSION },
    name: { type: 'string', minLength: 1, maxLength: CHANNEL_NAME_LENGTH_MAX },
    message: {
      type: 'object',
      required: ['type'],
      properties: { type: { type: 'string', minLength: 1, maxLength: TYPE_LENGTH_MAX } },
    },
  },
} as const;

/** Why a value is not an envelope, in a few words; `null` when it is one. */
export function refusal(value: Json): string | null {
  if (!isObject(value)) return 'it is not an envelope';
  const { v, name, message, ...others } = value;
  if (v !== WIRE_VERSION) {
    return `it speaks version ${quote(v)} of the wire format, this side ${WIRE_VERSION}. Run the same release on both`;
  }
  if (!isText(name, CHANNEL_NAME_LENGTH_MAX)) return `its name is not a string of 1 to ${CHANNEL_NAME_LENGTH_MAX} characters`;
  if (!isObject(message) || !isText(message['type'], TYPE_LENGTH_MAX)) return 'its message has no type';
  const [extra] = Object.keys(others);
  return extra === undefined ? null : `it has a field "${quote(extra)}" that no envelope has`;
}

/** Length as JSON Schema counts it: in characters, not in halves of them. */
const isText = (value: unknown, lengthMax: number): boolean =>
  typeof value === 'string' && value !== '' && value.length <= 2 * lengthMax && Array.from(value).length <= lengthMax;
