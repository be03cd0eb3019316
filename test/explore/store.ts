/**
 * The states found so far: an arena of small integers, a hash table over it, and where each state was reached from.
 *
 * A state is a row of integers of any length. The arena holds them in two bytes each, in four once a number needs more. The table is
 * open-addressed and has one word a slot: the index of a state in as many bits as the table's size needs, and in the bits above them
 * those of the hash, so that a probe for another state seldom touches the arena.
 */
import { grown } from './ints.js';

/** The parent of a state from which the search began. */
export const NONE = 0xffffffff;

export class Store {
  size = 0;
  /** The length of the longest row. */
  longest = 0;
  /** Whether the last `add` met a new state. */
  added = false;
  private words: Uint16Array | Uint32Array = new Uint16Array(1 << 12);
  /** Where each state's row begins; the next one's beginning is its end. */
  private begins = new Uint32Array(1 << 10);
  private parents = new Uint32Array(1 << 10);
  /** Each slot: the upper bits of the hash, then index + 1; 0 when free. */
  private table = new Int32Array(1 << 11);
  private mask = (1 << 11) - 1;

  /** The index of the state that stands in `row`, which is recorded as new, with its parent, if it is. */
  add(row: Int32Array, start: number, length: number, parent: number): number {
    const { table, mask } = this;
    const hash = hashOf(row, start, length);
    const tag = hash & ~mask;
    let slot = hash & mask;
    for (let word = table[slot]!; word !== 0; word = table[slot]!) {
      if ((word & ~mask) === tag && this.is((word & mask) - 1, row, start, length)) {
        this.added = false;
        return (word & mask) - 1;
      }
      slot = (slot + 1) & mask;
    }
    table[slot] = tag | (this.size + 1);
    this.added = true;
    return this.append(row, start, length, parent);
  }

  /** Copies a state into `row` and says how long it is. */
  load(index: number, row: Int32Array): number {
    const begin = this.begins[index]!;
    const length = this.begins[index + 1]! - begin;
    for (let i = 0; i < length; i++) row[i] = this.words[begin + i]!;
    return length;
  }

  /** The world of a state: the first number of its row. */
  world(index: number): number {
    return this.words[this.begins[index]!]!;
  }

  length(index: number): number {
    return this.begins[index + 1]! - this.begins[index]!;
  }

  parent(index: number): number {
    return this.parents[index]!;
  }

  /** What is allocated, in bytes. */
  get bytes(): number {
    return this.words.byteLength + this.begins.byteLength + this.parents.byteLength + this.table.byteLength;
  }

  /** Whether the state of this index stands in `row`. */
  is(index: number, row: Int32Array, start: number, length: number): boolean {
    const begin = this.begins[index]!;
    if (this.begins[index + 1]! - begin !== length) return false;
    const { words } = this;
    for (let i = 0; i < length; i++) if (words[begin + i] !== row[start + i]) return false;
    return true;
  }

  private append(row: Int32Array, start: number, length: number, parent: number): number {
    const index = this.size++;
    if (length > this.longest) this.longest = length;
    if (index + 2 > this.begins.length) {
      this.begins = grown(this.begins, index + 2);
      this.parents = grown(this.parents, index + 2);
    }
    const begin = this.begins[index]!;
    if (begin + length > this.words.length) this.words = grown(this.words, begin + length);
    for (let i = 0; i < length; i++) {
      const word = row[start + i]!;
      if (word > 0xffff && this.words instanceof Uint16Array) this.words = Uint32Array.from(this.words);
      this.words[begin + i] = word;
    }
    this.begins[index + 1] = begin + length;
    this.parents[index] = parent;
    if (4 * this.size > 3 * this.mask) this.rehash();
    return index;
  }

  /** Four times as large at once: putting every state in its place again costs a miss of the cache each. */
  private rehash(): void {
    this.mask = 4 * this.mask + 3;
    const { mask } = this;
    const table = new Int32Array(mask + 1);
    const row = new Int32Array(this.longest);
    for (let index = 0; index < this.size; index++) {
      const length = this.load(index, row);
      const hash = hashOf(row, 0, length);
      let slot = hash & mask;
      while (table[slot] !== 0) slot = (slot + 1) & mask;
      table[slot] = (hash & ~mask) | (index + 1);
    }
    this.table = table;
  }
}

function hashOf(row: Int32Array, start: number, length: number): number {
  let hash = length;
  for (let i = start; i < start + length; i++) {
    hash = Math.imul(hash ^ row[i]!, 0x9e3779b1);
    hash ^= hash >>> 15;
  }
  return hash;
}
