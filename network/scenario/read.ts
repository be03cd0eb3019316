/**
 * Reading JSON that people wrote. Each error is one line with the path of the place, the value there, and the expected value.
 *
 * Written by hand instead of with a schema library. Half of the rules depend on the rest of the scenario: the fields of a command on the
 * protocol, the name of a node on the topology. The errors of a union of schemas do not identify the intended member.
 */
import { isObject, TICKS_MAX } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';

export type Fields = Readonly<Record<string, unknown>>;

/** Path of a key or index inside another place; the scenario itself has the empty path. */
export const placeIn = (path: string, key: string | number): string =>
  typeof key === 'number' ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;

/** Throws an error: the value `must` be something else, or is missing. */
export function complain(path: string, must: string, value: unknown): never {
  if (value === undefined) throw new UsageError(`${path || 'The scenario'} is missing. It must be ${must}.`);
  throw new UsageError(`${path || 'The scenario'} must be ${must}, but is ${shownValue(value)}.`);
}

/** Throws an error about an unknown word, with the nearest known one, and all known ones. */
export function unknownWord(what: string, word: string, known: readonly string[]): UsageError {
  const meant = nearestWord(word, known);
  const list = known.length > 0 ? known.join(', ') : 'none';
  return new UsageError(`${what}.${meant === undefined ? '' : ` Did you mean "${meant}"?`} Known: ${list}`);
}

export function readObject(value: unknown, path: string): Fields {
  return isObject(value) ? value : complain(path, 'an object', value);
}

/** Reads an object that may have only the known keys. */
export function readFields(value: unknown, path: string, known: readonly string[]): Fields {
  const fields = readObject(value, path);
  for (const key of Object.keys(fields)) {
    if (!known.includes(key)) throw unknownWord(`${placeIn(path, clip(key))} is an unknown key`, key, known);
  }
  return fields;
}

/** Replaces a missing value by a default. An explicit `null` is not missing, and is rejected. */
export const orElse = (value: unknown, fallback: unknown): unknown => (value === undefined ? fallback : value);

export function readList(value: unknown, path: string, of: string): readonly unknown[] {
  if (!Array.isArray(value)) complain(path, `a list of ${of}`, value);
  return value;
}

export function readNumber(value: unknown, path: string, noun: string, min: number, max = Infinity): number {
  if (typeof value === 'number' && value >= min && value <= max && Number.isFinite(value)) return value;
  return complain(path, `${noun}${rangeOf(min, max)}`, value);
}

/** Reads a time or duration; also a weight, which may be a latency. */
export const readTicks = (value: unknown, path: string, noun = 'a number of ticks'): number =>
  readNumber(value, path, noun, 0, TICKS_MAX);

export function readInteger(value: unknown, path: string, min = Number.MIN_SAFE_INTEGER, max = Number.MAX_SAFE_INTEGER): number {
  if (Number.isInteger(value)) return readNumber(value, path, 'an integer', min, max);
  return complain(path, `an integer${rangeOf(min, max)}`, value);
}

function rangeOf(min: number, max: number): string {
  if (max < Number.MAX_SAFE_INTEGER) return `, ${min} to ${max}`;
  return min > Number.MIN_SAFE_INTEGER ? `, at least ${min}` : '';
}

export function readOneOf<T extends string>(value: unknown, path: string, choices: readonly T[]): T {
  const chosen = choices.find((choice) => choice === value);
  if (chosen !== undefined) return chosen;
  if (typeof value === 'string') throw unknownWord(`${path} is ${shownValue(value)}, which is unknown`, value, choices);
  return complain(path, `one of ${choices.join(', ')}`, value);
}

export function readName(value: unknown, path: string, what: string): string {
  if (typeof value !== 'string' || value === '') complain(path, what, value);
  return value;
}

/** A short text of a value for errors, on one line. */
export function shownValue(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'string') return JSON.stringify(clip(value));
  if (typeof value === 'function') return 'a function';
  return typeof value === 'bigint' ? `${value}n` : String(value);
}

const clip = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

/** Finds the known word that is nearest to a mistyped one, for "Did you mean". Returns `undefined` if none is near enough. */
export function nearestWord(word: string, known: Iterable<string>): string | undefined {
  // A third of the letters may be wrong; a short word gets two, so that a swap counts as near.
  let limit = Math.max(2, Math.floor(word.length / 3));
  let best: string | undefined;
  for (const candidate of known) {
    if (Math.abs(candidate.length - word.length) > limit) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance > limit || distance >= candidate.length) continue;
    best = candidate;
    limit = distance - 1;
  }
  return best;
}

/** Levenshtein's distance: the fewest insertions, deletions and replacements of letters. */
function editDistance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const replaced = row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(replaced, row[j]! + 1, next[j - 1]! + 1));
    }
    row = next;
  }
  return row[b.length]!;
}
