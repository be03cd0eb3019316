/**
 * Any value of a program as bounded JSON, whatever it does when it is read: what cannot be read is shown as such, what goes too deep or
 * is too much is cut, and says so. Nothing here throws, and no getter of a value is called.
 */
import { isAccessor, NOT_CALLED } from '../../network/accessors.js';

/** A context that goes deeper is no state that anybody reads. */
const DEPTH_MAX = 64;
/** So much of one value is shown. */
const CHARACTERS_MAX = 2_000_000;

/** Of sounds, pictures and other binary data so many numbers: nobody reads more. */
const BYTES_MAX = 100;

/** What is too much as a whole is read again with shorter texts and lists, so that what is small beside it stays. */
const CUTS = [
  { text: Infinity, items: Infinity },
  { text: 10_000, items: 1_000 },
  { text: 200, items: 50 },
  { text: 40, items: 10 },
] as const;

interface PlainOptions {
  /** About so many characters of JSON at most. */
  readonly charactersMax?: number;
  /** What is shown of a function; its text unless given. */
  readonly ofFunction?: (value: Function) => unknown;
}

/** The value as JSON has it, in a copy of its own. */
export function plain(value: unknown, { charactersMax = CHARACTERS_MAX, ofFunction = String }: PlainOptions = {}): unknown {
  let read: unknown;
  for (const cut of CUTS) {
    const reading = new Reading(charactersMax, cut, ofFunction);
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

  constructor(
    private left: number,
    private readonly cut: { readonly text: number; readonly items: number },
    private readonly ofFunction: (value: Function) => unknown,
  ) {}

  /** `undefined` for what JSON leaves out. */
  at(holder: object, key: string, depth: number): unknown {
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
    // What an error says is none of its enumerable fields.
    const said = value instanceof Error ? ['name', 'message'] : [];
    const keys = [...new Set([...said, ...Object.keys(value)])];
    const read: [string, unknown][] = [];
    this.take(null, 2);
    for (const [count, key] of keys.entries()) {
      if (count >= this.cut.items || this.isFull) {
        read.push(['…', `${keys.length - count} more`]);
        break;
      }
      const field = this.at(value, key, depth + 1);
      if (field === undefined) continue;
      this.take(null, key.length + 4);
      read.push([key, field]);
    }
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
