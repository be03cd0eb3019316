/**
 * Plain JSON as a key: equal values have equal keys, whatever the order of their properties.
 *
 * What JSON would bend silently (a Set becomes `{}`, `undefined` vanishes, NaN becomes null) would make different states equal and
 * the search wrong, so it is refused by name and place. Values are frozen on the way: a chart that writes into its context in
 * place is caught by the language itself.
 */
import { ProtocolError } from '../../machines/errors.js';

export function jsonKey(value: unknown, where: string): string {
  switch (typeof value) {
    case 'string':
      return quoted(value);
    case 'boolean':
      return value ? 'true' : 'false';
    case 'number':
      if (Number.isFinite(value)) return String(value);
      break;
    case 'object':
      if (value === null) return 'null';
      if (Array.isArray(value)) return keyOfArray(value, where);
      if (isPlain(value)) return keyOfObject(value, where);
  }
  throw new ProtocolError(`${where} is ${nameOf(value)}; a chart's context and messages are plain JSON with every key present`);
}

/** The key of a value that need not be plain JSON, `undefined` when it is not. */
export function plainKeyOf(value: unknown): string | undefined {
  try {
    return jsonKey(value, 'it');
  } catch {
    return undefined;
  }
}

function keyOfArray(array: readonly unknown[], where: string): string {
  let key = '[';
  for (let i = 0; i < array.length; i++) key += (i > 0 ? ',' : '') + jsonKey(array[i], `${where}[${i}]`);
  Object.freeze(array);
  return key + ']';
}

function keyOfObject(object: Readonly<Record<string, unknown>>, where: string): string {
  let key = '{';
  for (const name of sorted(Object.keys(object))) key += `${quoted(name)}:${jsonKey(object[name], `${where}.${name}`)},`;
  Object.freeze(object);
  return key + '}';
}

/** A text as JSON has it, where that matters: most need no escapes, and to ask JSON costs more than the rest of a key. */
const quoted = (text: string): string => (text.includes('"') || text.includes('\\') ? JSON.stringify(text) : `"${text}"`);

/** In place, and for a handful of names several times as fast as the array's own. */
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
