/**
 * Copies the counts of an account, so that another run can continue from them.
 *
 * An account is arbitrary code with unknown state. Plain values, lists, maps, sets and objects with fields are copied, each object once.
 * Objects that may hide state (a function, an iterator, a class of the platform) cause an error.
 */

/** Error for an object with hidden state, which cannot be copied. */
export class CannotCopy extends Error {}

/** @param known the copy of each original; an object that both share maps to itself. */
export function copyOf<T>(value: T, known: Map<unknown, unknown>): T {
  if (known.has(value)) return known.get(value) as T;
  if (typeof value === 'function') throw new CannotCopy(`a function, ${value.name || 'without a name'}`);
  if (typeof value !== 'object' || value === null) return value;
  const keep = <C>(copy: C): C => {
    known.set(value, copy);
    return copy;
  };
  if (Array.isArray(value)) {
    const copy = keep<unknown[]>([]);
    for (const item of value) copy.push(copyOf(item, known));
    return copy as T;
  }
  if (value instanceof Map) {
    const copy = keep(new Map());
    for (const [key, item] of value) copy.set(copyOf(key, known), copyOf(item, known));
    return copy as T;
  }
  if (value instanceof Set) {
    const copy = keep(new Set());
    for (const item of value) copy.add(copyOf(item, known));
    return copy as T;
  }
  const kind = Object.prototype.toString.call(value);
  if (kind !== '[object Object]') throw new CannotCopy(kind);
  const copy: T & Record<string, unknown> = keep(Object.create(Object.getPrototypeOf(value)));
  return Object.assign(copy, Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copyOf(item, known)])));
}
