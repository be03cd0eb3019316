/**
 * The states found so far: an arena of small integers, a hash table over it, and the parent of each state.
 *
 * A state is a row of integers of any length. The arena stores them in two bytes each, or in four as soon as a number needs more. Before
 * each row are its length and the id of its state. The table is open-addressed with one word for each slot: the lower bits contain the
 * place of a state in the arena, the upper bits a part of its hash. A probe for a different state therefore seldom reads the arena, and
 * a probe for the same state reads nothing else.
 */
import { grown } from './ints.js';

/** The parent of a state in which the search began. */
export const NO_PARENT = 0xffffffff;

/** Words before each row: its length, and the id in two halves. */
const HEAD = 3;

/** At least one bit of a slot is left for the hash. */
const PLACE_BITS_MAX = 31;

/** Read access to the states that a search has found. */
export interface States {
  readonly size: number;
  /** Length of the longest row. */
  readonly longest: number;
  /** Allocated bytes. */
  readonly bytes: number;
  /** Copies a state into `row` and returns its length. */
  load(state: number, row: Int32Array): number;
  /** The environment of a state, which is the first number of its row. */
  environment(state: number): number;
  /** The state from which it was first found, or `NO_PARENT` for a first state. */
  parent(state: number): number;
  /** True if `row` contains the state with this id. */
  is(state: number, row: Int32Array, start: number, length: number): boolean;
}

export class StateStore implements States {
  size = 0;
  /** Length of the longest row. */
  longest = 0;
  /** True if the last `add` found a new state. */
  added = false;
  private words: Uint16Array | Uint32Array = new Uint16Array(1 << 12);
  private used = 0;
  /** The place of each state in the arena. */
  private places = new Uint32Array(1 << 10);
  private parents = new Uint32Array(1 << 10);
  /** Each slot: the upper bits of the hash, then the place + 1; 0 if the slot is free. */
  private table = new Int32Array(1 << 11);
  private slots = (1 << 11) - 1;
  private placeMask = (1 << 16) - 1;
  private hashes = new Int32Array(64);
  /** Keeps the early reads of `addAll` from being optimized away. */
  private read = 0;

  /** Returns the id of the state in `row`, and adds it with its parent if it is new. */
  add(row: Int32Array, start: number, length: number, parent: number): number {
    return this.addHashed(hashOf(row, start, length), row, start, length, parent);
  }

  /**
   * Adds many adjacent states. The words to compare with are read for all of them first: these reads do not wait for each other, and with
   * a table larger than the cache, waiting for memory dominates the search.
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

  /** Copies a state into `row` and returns its length. */
  load(index: number, row: Int32Array): number {
    const place = this.places[index]!;
    const length = this.words[place]!;
    for (let i = 0; i < length; i++) row[i] = this.words[place + HEAD + i]!;
    return length;
  }

  /** The environment of a state, which is the first number of its row. */
  environment(index: number): number {
    return this.words[this.places[index]! + HEAD]!;
  }

  parent(index: number): number {
    return this.parents[index]!;
  }

  /** Allocated bytes. */
  get bytes(): number {
    return this.words.byteLength + this.places.byteLength + this.parents.byteLength + this.table.byteLength;
  }

  /** True if `row` contains the state with this id. */
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

  /** Grows the table by a factor of four, because reinserting every state costs a cache miss each. */
  private rebuild(slots: number): void {
    this.slots = slots;
    this.placeMask = 2 ** Math.min(PLACE_BITS_MAX, 35 - Math.clz32(this.used)) - 1;
    if (this.used > this.placeMask)
      throw new RangeError(
        `Cannot store more than ${this.size} states of this length. Set a smaller limit: bounds: { states: … }, or --states.`,
      );
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
