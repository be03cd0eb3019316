/**
 * The states found so far: an arena of small integers, a hash table over it, and where each state was reached from.
 *
 * A state is a row of integers of any length. The arena holds them in two bytes each, in four once a number needs more, and before each
 * row its length and the index of its state. The table is open-addressed and has one word a slot: the place of a state in the arena in
 * as many bits as the arena needs, and in the bits above them those of the hash, so that a probe for another state seldom touches the
 * arena, and one for the same state nothing else.
 */
import { grown } from './ints.js';

/** The parent of a state from which the search began. */
export const NO_PARENT = 0xffffffff;

/** What is before each row: its length, and the index in two halves. */
const HEAD = 3;

/** One bit at least is left for the hash. */
const PLACE_BITS_MAX = 31;

/** The states of a search, as whoever looks at them afterward needs them. */
export interface States {
  readonly size: number;
  /** The length of the longest row. */
  readonly longest: number;
  /** What is allocated, in bytes. */
  readonly bytes: number;
  /** Copies a state into `row` and says how long it is. */
  load(state: number, row: Int32Array): number;
  /** The environment of a state: the first number of its row. */
  environment(state: number): number;
  /** The state from which it was found first, `NO_PARENT` where the search began in it. */
  parent(state: number): number;
  /** True if the state of this number is in `row`. */
  is(state: number, row: Int32Array, start: number, length: number): boolean;
}

export class StateStore implements States {
  size = 0;
  /** The length of the longest row. */
  longest = 0;
  /** True if the last `add` met a new state. */
  added = false;
  private words: Uint16Array | Uint32Array = new Uint16Array(1 << 12);
  private used = 0;
  /** The place of each state in the arena. */
  private places = new Uint32Array(1 << 10);
  private parents = new Uint32Array(1 << 10);
  /** Each slot: the upper bits of the hash, then the place + 1; 0 when free. */
  private table = new Int32Array(1 << 11);
  private slots = (1 << 11) - 1;
  private placeMask = (1 << 16) - 1;
  private hashes = new Int32Array(64);
  /** Keeps the early reads of `addAll` from being optimized away. */
  private read = 0;

  /** The index of the state that is in `row`, which is recorded as new, with its parent, if it is. */
  add(row: Int32Array, start: number, length: number, parent: number): number {
    return this.addHashed(hashOf(row, start, length), row, start, length, parent);
  }

  /**
   * The same for many states that stand one after the other. What each will be compared with is read for all of them first: these reads
   * do not wait for each other, and in a table larger than the cache waiting is what a search does most.
   */
  addAll(rows: Int32Array, starts: Int32Array, count: number, parent: number, into: Int32Array): void {
    if (this.hashes.length < count) this.hashes = new Int32Array(2 * count);
    const { hashes, table, slots, placeMask, words } = this;
    for (let i = 0; i < count; i++) hashes[i] = hashOf(rows, starts[i]!, starts[i + 1]! - starts[i]!);
    for (let i = 0; i < count; i++) into[i] = table[hashes[i]! & slots]! & placeMask;
    for (let i = 0; i < count; i++) this.read ^= words[into[i]!]!;
    for (let i = 0; i < count; i++) {
      const start = starts[i]!;
      into[i] = this.addHashed(hashes[i]!, rows, start, starts[i + 1]! - start, parent);
    }
  }

  /** Copies a state into `row` and says how long it is. */
  load(index: number, row: Int32Array): number {
    const place = this.places[index]!;
    const length = this.words[place]!;
    for (let i = 0; i < length; i++) row[i] = this.words[place + HEAD + i]!;
    return length;
  }

  /** The environment of a state: the first number of its row. */
  environment(index: number): number {
    return this.words[this.places[index]! + HEAD]!;
  }

  parent(index: number): number {
    return this.parents[index]!;
  }

  /** What is allocated, in bytes. */
  get bytes(): number {
    return this.words.byteLength + this.places.byteLength + this.parents.byteLength + this.table.byteLength;
  }

  /** True if the state of this index is in `row`. */
  is(index: number, row: Int32Array, start: number, length: number): boolean {
    return this.holds(this.places[index]!, row, start, length);
  }

  private holds(place: number, row: Int32Array, start: number, length: number): boolean {
    const { words } = this;
    if (words[place] !== length) return false;
    const first = place + HEAD;
    for (let i = 0; i < length; i++) if (words[first + i] !== row[start + i]) return false;
    return true;
  }

  private addHashed(hash: number, row: Int32Array, start: number, length: number, parent: number): number {
    const { table, slots, placeMask, words } = this;
    const tag = hash & ~placeMask;
    let slot = hash & slots;
    for (let word = table[slot]!; word !== 0; word = table[slot]!) {
      const place = (word & placeMask) - 1;
      if ((word & ~placeMask) === tag && this.holds(place, row, start, length)) {
        this.added = false;
        return words[place + 1]! | (words[place + 2]! << 16);
      }
      slot = (slot + 1) & slots;
    }
    table[slot] = tag | (this.used + 1);
    this.added = true;
    return this.append(row, start, length, parent);
  }

  private append(row: Int32Array, start: number, length: number, parent: number): number {
    const index = this.size++;
    if (length > this.longest) this.longest = length;
    if (index >= this.places.length) {
      this.places = grown(this.places, index + 1);
      this.parents = grown(this.parents, index + 1);
    }
    const place = this.used;
    this.used += HEAD + length;
    if (this.used > this.words.length) this.words = grown(this.words, this.used);
    this.words[place] = length;
    this.words[place + 1] = index & 0xffff;
    this.words[place + 2] = index >>> 16;
    for (let i = 0; i < length; i++) {
      const word = row[start + i]!;
      if (word > 0xffff && this.words instanceof Uint16Array) this.words = Uint32Array.from(this.words);
      this.words[place + HEAD + i] = word;
    }
    this.places[index] = place;
    this.parents[index] = parent;
    if (4 * this.size > 3 * this.slots) this.rebuild(4 * this.slots + 3);
    else if (this.used > this.placeMask) this.rebuild(this.slots);
    return index;
  }

  /** Grows four times as large at once: putting every state in its place again costs a miss of the cache each. */
  private rebuild(slots: number): void {
    this.slots = slots;
    this.placeMask = 2 ** Math.min(PLACE_BITS_MAX, 35 - Math.clz32(this.used)) - 1;
    if (this.used > this.placeMask) throw new RangeError(`more than ${this.size} states of this length cannot be kept`);
    const table = new Int32Array(slots + 1);
    const row = new Int32Array(this.longest);
    for (let index = 0; index < this.size; index++) {
      const hash = hashOf(row, 0, this.load(index, row));
      let slot = hash & slots;
      while (table[slot] !== 0) slot = (slot + 1) & slots;
      table[slot] = (hash & ~this.placeMask) | (this.places[index]! + 1);
    }
    this.table = table;
  }
}

export function hashOf(row: Int32Array, start: number, length: number): number {
  let hash = length;
  for (let i = start; i < start + length; i++) {
    hash = Math.imul(hash ^ row[i]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
