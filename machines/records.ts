/** Records whose keys are a known set of names. `Object.keys`, `Object.entries` and `Object.fromEntries` lose these names. */

export const keysOf = <K extends string>(record: Readonly<Partial<Record<K, unknown>>>): K[] => Object.keys(record) as K[];

export const entriesOf = <K extends string, V>(record: Readonly<Record<K, V>>): [K, V][] =>
  keysOf<K>(record).map((key) => [key, record[key]]);

/** A record with a value for each key. */
export function recordBy<K extends string, V>(keys: readonly K[], valueOf: (key: K) => V): Record<K, V> {
  return Object.fromEntries(keys.map((key) => [key, valueOf(key)])) as Record<K, V>;
}
