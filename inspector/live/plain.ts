/**
 * Converts any value of a program to bounded JSON. Unreadable parts are marked, and values that are too deep or too large are cut with a
 * mark. Nothing here throws, and no getter of the value itself is called.
 *
 * The program waits during the conversion, so the work is bounded too: reading stops when the limit is reached.
 */
import { isAccessor, NOT_CALLED } from '../../network/chart-definition.js';
import { fieldsOf } from '../../machines/checks.js';

/** A deeper context is not readable on the page. */
const DEPTH_MAX = 64;
/** Limits for one value: characters of JSON, and values inside of it. */
const CHARACTERS_MAX = 100_000;
const VALUES_MAX = 2_000;

/** The most numbers shown of binary data such as sounds and pictures. */
const BYTES_MAX = 100;

/** Limits for reading an oversized value again. Shorter texts and lists make room for the small values next to them. */
const CUTS = [
  { text: Infinity, items: Infinity },
  { text: 10_000, items: 400 },
  { text: 200, items: 50 },
  { text: 40, items: 10 },
] as const;

interface PlainOptions {
  /** Most characters of JSON, approximately. */
  readonly charactersMax?: number;
  /** Most values inside of it. Each one costs time. */
  readonly valuesMax?: number;
  /** Converts a function. By default, its text is shown. */
  readonly ofFunction?: (value: Function) => unknown;
}

/** Limits for values that are sent once, such as a chart. */
export const AT_LENGTH: PlainOptions = { charactersMax: 2_000_000, valuesMax: Infinity };

/** A copy of the value as JSON, with limits on depth and size. */
export function plain(value: unknown, options: PlainOptions = {}): unknown {
  let read: unknown;
  for (const cut of CUTS) {
    const reading = new Reading(cut, options);
    read = reading.at({ '': value }, '', 0);
    if (!reading.isFull) break;
  }
  return read ?? null;
}

/** Converts an event to JSON. The result always has a type. */
export function plainEvent(event: unknown, options?: PlainOptions): { readonly type: string } {
  const read = plain(event, options);
  const { type } = fieldsOf(read);
  return typeof type === 'string' ? { ...fieldsOf(read), type } : { type: '‹an event that cannot be read›' };
}

/** The error message of any thrown value, also if it is not an `Error`. */
export function thrownMessage(error: unknown): string {
  try {
    const { message } = fieldsOf(error);
    return typeof message === 'string' ? message : String(error);
  } catch {
    return 'what was thrown cannot be read either';
  }
}

class Reading {
  isFull = false;
  /** The values that contain the current one, to detect cycles. */
  private readonly around = new Set<object>();
  /** The characters that may still be written. */
  private left: number;
  private values = 0;
  private readonly valuesMax: number;
  private readonly ofFunction: (value: Function) => unknown;

  constructor(
    private readonly cut: { readonly text: number; readonly items: number },
    { charactersMax = CHARACTERS_MAX, valuesMax = VALUES_MAX, ofFunction = String }: PlainOptions,
  ) {
    this.left = charactersMax;
    this.valuesMax = valuesMax;
    this.ofFunction = ofFunction;
  }

  /** Returns `undefined` for values that JSON omits. */
  at(holder: object, key: string, depth: number): unknown {
    if (++this.values > this.valuesMax) this.isFull = true;
    try {
      if (isAccessor(holder, key)) return this.text(NOT_CALLED);
      return this.read(fieldsOf(holder)[key], key, depth);
    } catch (error) {
      return this.text(`‹cannot be read: ${thrownMessage(error)}›`);
    }
  }

  private read(value: unknown, key: string, depth: number): unknown {
    switch (typeof value) {
      case 'undefined':
        return undefined;
      case 'string':
        return this.text(value);
      case 'function':
        return this.text(String(this.ofFunction(value)));
      case 'bigint':
      case 'symbol':
        return this.text(String(value));
      case 'object':
        return value === null ? this.take(null, 4) : this.object(value, key, depth);
      default:
        return this.take(Number.isFinite(value) || typeof value === 'boolean' ? value : null, 5);
    }
  }

  private object(value: object, key: string, depth: number): unknown {
    if (this.around.has(value) || depth >= DEPTH_MAX) return this.take('…', 3);
    if ('sessionId' in value && 'getSnapshot' in value)
      return { actor: this.text(isAccessor(value, 'id') ? NOT_CALLED : String(fieldsOf(value)['id'])) };
    if (ArrayBuffer.isView(value) && 'length' in value)
      return this.list(value as unknown as readonly unknown[], depth, BYTES_MAX);
    this.around.add(value);
    try {
      const toJSON = isAccessor(value, 'toJSON') ? undefined : fieldsOf(value)['toJSON'];
      if (typeof toJSON !== 'function') return Array.isArray(value) ? this.list(value, depth) : this.fields(value, depth);
      const converted: unknown = toJSON.call(value, key);
      if (converted === value) return this.fields(value, depth);
      return this.read(converted, key, depth + 1);
    } finally {
      this.around.delete(value);
    }
  }

  private list(list: readonly unknown[], depth: number, most = Infinity): unknown[] {
    const { length } = list;
    const read: unknown[] = [];
    this.take(null, 2);
    while (read.length < length && read.length < Math.min(this.cut.items, most) && !this.isFull)
      read.push(this.at(list, String(read.length), depth + 1) ?? this.take(null, 4));
    if (read.length < length) read.push(`… ${length - read.length} more`);
    return read;
  }

  private fields(value: object, depth: number): object {
    const most = Math.min(this.cut.items, this.valuesMax);
    const { first, count } = firstKeys(value, most);
    // The message of an error is not among its enumerable fields.
    const keys = value instanceof Error ? [...new Set(['name', 'message', ...first])] : first;
    const read: [string, unknown][] = [];
    let looked = 0;
    this.take(null, 2);
    for (; looked < keys.length && looked < most && !this.isFull; looked++) {
      const key = keys[looked]!;
      const field = this.at(value, key, depth + 1);
      if (field === undefined) continue;
      this.take(null, key.length + 4);
      read.push([key, field]);
    }
    const rest = count - first.length + keys.length - looked;
    if (rest > 0) read.push(['…', `${rest} more`]);
    return Object.fromEntries(read);
  }

  private text(text: string): string {
    const { length } = text;
    const most = Math.min(this.cut.text, this.left);
    const shown = length <= most ? text : `${text.slice(0, Math.max(most, 0))}… (${length} characters)`;
    this.take(null, Math.min(length, this.cut.text) + 3);
    return shown;
  }

  private take<T>(value: T, characters: number): T {
    this.left -= characters;
    if (this.left < 0) this.isFull = true;
    return value;
  }
}

interface Keys {
  readonly first: readonly string[];
  /** The number of keys when they were listed. */
  readonly count: number;
}

/** An object with more is a large one. */
const SMALL_MAX = 2_000;
/** Listing this many keys costs less than visiting one object. */
const LISTED_IN_A_LOOK = 100;

const large = new WeakMap<object, Keys & { checks: number }>();

/**
 * The first keys of an object, at least as many as wanted, and how many it has.
 *
 * JavaScript lists all keys of an object at once, which takes milliseconds for fifty thousand. The first keys of a large object are
 * therefore remembered for as many visits as pay for the next full list. Their values are read at every visit.
 */
function firstKeys(value: object, wanted: number): Keys {
  const known = wanted <= SMALL_MAX ? large.get(value) : undefined;
  if (known && known.checks-- > 0 && isAsListed(value, known)) return known;
  const first = Object.keys(value);
  const count = first.length;
  if (wanted > SMALL_MAX || count <= SMALL_MAX) return { first, count };
  const keys = { first: first.slice(0, SMALL_MAX), count, checks: count / LISTED_IN_A_LOOK };
  large.set(value, keys);
  return keys;
}

/** True if the remembered keys are still present. */
const isAsListed = (value: object, { first }: Keys): boolean =>
  Object.hasOwn(value, first[0]!) && Object.hasOwn(value, first.at(-1)!);
