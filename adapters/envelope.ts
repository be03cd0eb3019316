/** What travels on a transport: a message of one conversation, with the version of this format. */
import Type from 'typebox';
import { Compile } from 'typebox/compile';
import type { Json } from './transport.js';

export const WIRE_VERSION = 1;

/** Long enough for every name, short enough that nobody fills the memory with them. */
export const NAME_LENGTH_MAX = 512;

const Message = Type.Object({ type: Type.String({ minLength: 1, maxLength: 64 }) });

const Envelope = Type.Object(
  {
    v: Type.Literal(WIRE_VERSION),
    /** The conversation: only nodes of the same name talk to each other. */
    name: Type.String({ minLength: 1, maxLength: NAME_LENGTH_MAX }),
    message: Message,
  },
  { additionalProperties: false },
);

export type Envelope = Type.Static<typeof Envelope>;

const validator = Compile(Envelope);

export const isEnvelope = (value: Json): value is Envelope & Json => validator.Check(value);

/** Why a value is no envelope, in a few words. */
export function refusal(value: Json): string {
  if (typeof value === 'object' && value !== null && 'v' in value && value.v !== WIRE_VERSION) {
    return `it speaks version ${JSON.stringify(value.v)} of the wire format, this side ${WIRE_VERSION}; run the same release on both`;
  }
  const [first] = validator.Errors(value);
  return `it is no envelope (${first ? `${first.instancePath || 'it'} ${first.message}` : 'malformed'})`;
}
