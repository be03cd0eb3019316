/**
 * Plain JSON as a key: equal values have equal keys, whatever the order of their properties.
 *
 * JSON changes some values silently: a Set becomes `{}`, `undefined` disappears, NaN becomes null. Different states would become equal
 * and the search would be wrong, so such values are rejected with an error that names the value and its place. Values are frozen, so that a
 * chart that writes into its context fails with a TypeError.
 */
import { ProtocolError } from '../../machines/errors.js';

export function jsonKey(value: unknown, where: string): string {
  const key = plainKeyOf(value);
  if (key !== undefined) return key;
  const [place, what] = placeOf(value, where)!;
  throw new ProtocolError(`${place} is ${nameOf(what)}. Use plain JSON with every key present in contexts and messages.`);
}

/** The key of a value, or `undefined` if the value is not plain JSON. */
export function plainKeyOf(value: unknown): string | undefined {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      return Number.isFinite(value) ? String(value) : undefined;
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return keyOfArray(value);
      if (isPlain(value)) return keyOfObject(value);
  }
  return undefined;
}

function keyOfArray(array: readonly unknown[]): string | undefined {
  let key = '[';
  for (let i = 0; i < array.length; i++) {
    const inner = plainKeyOf(array[i]);
    if (inner === undefined) return undefined;
    key += i > 0 ? `,${inner}` : inner;
  }
  Object.freeze(array);
  return key + ']';
}

function keyOfObject(object: Readonly<Record<string, unknown>>): string | undefined {
  let key = '{';
  for (const name of sorted(Object.keys(object))) {
    const inner = plainKeyOf(object[name]);
    if (inner === undefined) return undefined;
    key += `${quoted(name)}:${inner},`;
  }
  Object.freeze(object);
  return key + '}';
}

/**
 * True if both are plain JSON with equal keys. No keys are computed, and objects that are identical on both sides are not
 * traversed.
 */
export function sameJson(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || a === null) return a === b && plainKeyOf(a) !== undefined;
  if (a === b) return Array.isArray(a) || isPlain(a);
  if (typeof b !== 'object' || b === null || Array.isArray(a) !== Array.isArray(b)) return false;
  const isSame = Array.isArray(a) ? sameItems(a, b as readonly unknown[]) : isPlain(a) && isPlain(b) && sameFields(a, b);
  Object.freeze(a);
  Object.freeze(b);
  return isSame;
}

const sameItems = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((inner, i) => sameJson(inner, b[i]));

function sameFields(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => Object.hasOwn(b, name) && sameJson(a[name], b[name]));
}

/**
 * Finds the first part of a value that is not plain JSON, and its place. Used only for errors, because places cost more than
 * keys.
 */
function placeOf(value: unknown, where: string): readonly [place: string, what: unknown] | undefined {
  const within: readonly (readonly [string, unknown])[] = Array.isArray(value)
    ? Array.from(value, (inner, i) => [`${where}[${i}]`, inner] as const)
    : typeof value === 'object' && value !== null && isPlain(value)
      ? sorted(Object.keys(value)).map((name) => [`${where}.${name}`, value[name]] as const)
      : [];
  for (const [place, inner] of within) {
    const found = placeOf(inner, place);
    if (found) return found;
  }
  return plainKeyOf(value) === undefined ? [where, value] : undefined;
}

/** Quotes a text as JSON does. Most texts need no escapes, and `JSON.stringify` would cost more than the rest of the key. */
const quoted = (text: string): string => (text.includes('"') || text.includes('\\') ? JSON.stringify(text) : `"${text}"`);

/** Sorts in place. For a few names this is several times as fast as `Array.prototype.sort`. */
function sorted(names: string[]): readonly string[] {
  for (let i = 1; i < names.length; i++) {
    const name = names[i]!;
    let at = i;
    for (; at > 0 && names[at - 1]! > name; at--) names[at] = names[at - 1]!;
    names[at] = name;
  }
  return names;
}

function isPlain(value: object): value is Readonly<Record<string, unknown>> {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function nameOf(value: unknown): string {
  if (value === undefined) return 'undefined';
  if (typeof value === 'object' && value !== null) return `a ${value.constructor.name}`;
  if (typeof value === 'number') return String(value);
  return `a ${typeof value}`;
}
