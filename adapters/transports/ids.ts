/**
 * Rules for peer ids on every transport: 1 to 255 characters in Unicode's normal form NFC, and not the name of a property of every
 * JavaScript object. Control, format and invisible characters are not allowed; common spaces are allowed between other characters. Ids are
 * keys of tables, in applications too, and `table['constructor']` is always defined. In two normal forms, `é` would be two ids that look
 * the same.
 */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { PlatformEnvironment } from '../environment.js';
import { quote } from './reading.js';

export const ID_LENGTH_MAX = 255;

/** Reason for which this is not an id; `null` if it is one. */
export function refusedId(id: unknown): string | null {
  if (typeof id !== 'string') return `it is ${quote(id)}. It is not a string`;
  if (id === '') return 'it is empty';
  if (id.length > ID_LENGTH_MAX) return `its ${id.length} characters are over the limit of ${ID_LENGTH_MAX}`;
  if (/[\p{Cc}\p{Cf}\p{Cs}]/u.test(id)) return 'it has a control or format character, or half a character';
  if (/[\p{Default_Ignorable_Code_Point}]/u.test(id)) return 'it has an invisible character';
  if (/(?! )\p{Z}|^ | $/u.test(id)) return 'it begins or ends with a space, or has an uncommon space or line break';
  if (id !== id.normalize()) return 'it is not in Unicode NFC (use `id.normalize()`)';
  if (id in {}) return 'every JavaScript object has a property of that name';
  return null;
}

/** The id of a peer that no list contains. */
export const newId = ({ crypto }: Pick<PlatformEnvironment, 'crypto'>): NodeId => `client-${crypto.randomUUID()}`;

export const isId = (id: unknown): id is NodeId => refusedId(id) === null;

/** Throws a `UsageError` unless it is an id. */
export function checkId(id: unknown, what: string): asserts id is NodeId {
  const refused = refusedId(id);
  if (refused !== null) {
    throw new UsageError(
      `${what} cannot be "${quote(id)}": ${refused}. Pass a non-empty string of at most ${ID_LENGTH_MAX} characters`,
    );
  }
}
