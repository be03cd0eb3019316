/**
 * Any value of a program as bounded JSON, whatever it does when it is read: what cannot be read is shown as such, what goes too deep or
 * is too much is cut, and says so. Nothing here throws, and no getter of a value is called.
 *
 * The program waits while it is read, so the work is bounded as well: reading stops where the value is full, and does not look at the rest.
 */
import { isAccessor, NOT_CALLED } from '../../network/accessors.js';

/** A context that goes deeper is no state that anybody reads. */
const DEPTH_MAX = 64;
/** So much of one value is shown, with so many values inside of it. */
const CHARACTERS_MAX = 100_000;
const VALUES_MAX = 2_000;

/** Of sounds, pictures and other binary data so many numbers: nobody reads more. */
const BYTES_MAX = 100;

/** What is too much as a whole is read again with shorter texts and lists, so that what is small beside it stays. */
const CUTS = [
  { text: Infinity, items: Infinity },
  { text: 10_000, items: 400 },
  { text: 200, items: 50 },
  { text: 40, items: 10 },
] as const;

interface PlainOptions {
  /** About so many characters of JSON at most. */
  readonly charactersMax?: number;
  /** Values inside of it at most, each of which costs time. */
  readonly valuesMax?: number;
  /** What is shown of a function; its text unless given. */
  readonly ofFunction?: (value: Function) => unknown;
}

/** For what is told once, like a chart. */
export const AT_LENGTH: PlainOptions = { charactersMax: 2_000_000, valuesMax: Infinity };

/** The value as JSON has it, in a copy of its own. */
export function plain(value: unknown, options: PlainOptions = {}): unknown {
  let read: unknown;
  for (const cut of CUTS) {
    const reading = new Reading(cut, options);
    read = reading.at({ '': value }, '', 0);
    if (!reading.isFull) break;
  }
  return read ?? null;
}

/** An event as JSON; it has a type in any case. */
export function plainEvent(event: unknown, options?: PlainOptions): { readonly type: string } {
  const read = plain(event, options);
  const isEvent = typeof read === 'object' && read !== null && typeof (read as { type?: unknown }).type === 'string';
  return isEvent ? (read as { type: string }) : { type: '‹an event that cannot be read›' };
}

/** What an error says, whatever was thrown. */
export function messageOf(error: unknown): string {
  try {
    const { message } = error as { readonly message?: unknown };
    return typeof message === 'string' ? message : String(error);
  } catch {
    return 'what was thrown cannot be read either';
  }
}

class Reading {
  isFull = false;
  /** From the value down to what is read. */
  private readonly around = new Set<object>();
  /** Characters that may still be shown. */
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

  /** `undefined` for what JSON leaves out. */
  at(holder: object, key: string, depth: number): unknown {
    if (++this.values > this.valuesMax) this.isFull = true;
    try {
      if (isAccessor(holder, key)) return this.text(NOT_CALLED);
      return this.read((holder as Record<string, unknown>)[key], key, depth);
    } catch (error) {
      return this.text(`‹cannot be read: ${messageOf(error)}›`);
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
      return { actor: this.text(isAccessor(value, 'id') ? NOT_CALLED : String((value as { id?: unknown }).id)) };
    if (ArrayBuffer.isView(value) && 'length' in value)
      return this.list(value as unknown as readonly unknown[], depth, BYTES_MAX);
    this.around.add(value);
    try {
      const toJSON = isAccessor(value, 'toJSON') ? undefined : (value as { toJSON?: unknown }).toJSON;
      if (typeof toJSON !== 'function') return Array.isArray(value) ? this.list(value, depth) : this.fields(value, depth);
      const said: unknown = toJSON.call(value, key);
      if (said === value) return this.fields(value, depth);
      return this.read(said, key, depth + 1);
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
    // What an error says is none of its enumerable fields.
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
  /** Of a large object, how many there were when they were listed. */
  readonly count: number;
}

/** An object with more is a large one. */
const SMALL_MAX = 2_000;
/** To list so many keys costs less than to look at one object. */
const LISTED_IN_A_LOOK = 100;

const large = new WeakMap<object, Keys & { looks: number }>();

/**
 * The first keys of an object, as many as are asked for or more, and how many it has.
 *
 * JavaScript lists all keys of an object or none, which takes milliseconds where there are fifty thousand. So the first ones of a large
 * object are remembered for as many looks as pay for listing them all again. What they hold is read at every look.
 */
function firstKeys(value: object, wanted: number): Keys {
  const known = wanted <= SMALL_MAX ? large.get(value) : undefined;
  if (known && known.looks-- > 0 && isAsListed(value, known)) return known;
  const first = Object.keys(value);
  const count = first.length;
  if (wanted > SMALL_MAX || count <= SMALL_MAX) return { first, count };
  const keys = { first: first.slice(0, SMALL_MAX), count, looks: count / LISTED_IN_A_LOOK };
  large.set(value, keys);
  return keys;
}

/** Whether nobody has emptied it. */
const isAsListed = (value: object, { first }: Keys): boolean =>
  Object.hasOwn(value, first[0]!) && Object.hasOwn(value, first.at(-1)!);
