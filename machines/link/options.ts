/** Options of the link protocol: types, checks and defaults. */
import { integer, refuseUnknown, TICKS_MAX } from '../checks.js';
import { UsageError } from '../errors.js';
import type { LinkInput } from './frames.js';

export interface LinkOptions extends Omit<LinkInput, 'peer' | 'relays'> {
  /** True if neighbors of both ends relay frames that do not arrive directly. */
  readonly relay: boolean;
}

const KEYS = ['session', 'nonce', 'beat', 'patience', 'window', 'room', 'windowSize', 'roomSize', 'suspicions', 'relay'] as const;

export function linkOptions(raw: Readonly<Record<string, unknown>>): LinkOptions {
  refuseUnknown(raw, KEYS);
  return {
    session: integer(raw, 'session', { min: 0, fallback: 0 }),
    nonce: integer(raw, 'nonce', { min: 0, fallback: 0 }),
    beat: integer(raw, 'beat', { min: 1, max: TICKS_MAX, fallback: 10 }),
    patience: integer(raw, 'patience', { min: 1, fallback: 5 }),
    window: integer(raw, 'window', { min: 1, fallback: 64 }),
    room: integer(raw, 'room', { min: 0, fallback: 1000 }),
    windowSize: integer(raw, 'windowSize', { min: 1, fallback: 2 ** 18 }),
    roomSize: integer(raw, 'roomSize', { min: 1, fallback: 2 ** 25 }),
    suspicions: raw['suspicions'] === undefined ? null : integer(raw, 'suspicions', { min: 0 }),
    relay: relayOf(raw),
  };
}

function relayOf({ relay = true }: Readonly<Record<string, unknown>>): boolean {
  if (typeof relay !== 'boolean') throw new UsageError(`options.relay is ${JSON.stringify(relay)}. Use true or false.`);
  return relay;
}
