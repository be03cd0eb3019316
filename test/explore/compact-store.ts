/**
 * The states found so far under hash compaction: 64 bits of a hash and the parent for each state, instead of its row.
 *
 * This uses much less memory, so a search gets further. The price is a small chance to miss states: two states with the same hash are
 * taken for one (`chanceOfMiss`). The row of a state is kept only until the state is expanded. Breadth-first search expands states in the
 * order in which it finds them, so the rows are a queue. See Wolper and Leroy 1993, Stern and Dill 1995; TLC stores states the same way.
 */
import type { States } from './store.js';

/** Words for each state: two for its hash, one for its parent. */
const WORDS = 3;
const CHUNK_BITS = 18;
const CHUNK = 1 << CHUNK_BITS;
/** The first chunk grows up to its size: most searches are small, and large arrays make the garbage collector run often. */
const FIRST = 1 << 10;
/** Words of rows. */
const PIECE = 1 << 16;

/** At least one bit of a slot is left for the hash. */
const NUMBER_BITS_MAX = 31;

const HASH_BITS = 64;

/** An upper bound for the probability that two of this many states have the same hash, so that one of them was missed. */
export const chanceOfMiss = (states: number, bits = HASH_BITS): number => (states * (states - 1)) / 2 / 2 ** bits;

const rowMissing = (state: number): Error =>
  new Error(
    `Internal error: hash compaction no longer stores the row of state ${state}. Report this as a bug, or check without --compact.`,
  );

export class CompactStore implements States {
  size = 0;
  longest = 0;
  added = false;
  private readonly chunks: Uint32Array[] = [];
  private expanded = 0;
  private readonly waiting = new RowQueue();
  /** Each slot: upper bits of the hash, then the number of the state + 1; 0 when free. */
  private table = new Int32Array(1 << 11);
  private slots = (1 << 11) - 1;
  private numberMask = (1 << 12) - 1;
  /** The hashes of the states that are being added. */
  private lows = new Uint32Array(64);
  private highs = new Uint32Array(64);
  /** Keeps the early reads of `addAll` from being optimized away. */
  private read = 0;

  /** The masks shorten the hash; tests use them to provoke collisions. */
  constructor(
    private readonly lowMask = 0xffffffff,
    private readonly highMask = 0xffffffff,
  ) {}

  get bytes(): number {
    const hashes = this.chunks.reduce((bytes, chunk) => bytes + chunk.byteLength, 0);
    return hashes + this.table.byteLength + this.waiting.bytes;
  }

  add(row: Int32Array, start: number, length: number, parent: number): number {
    this.hash(0, row, start, length);
    return this.addHashed(0, row, start, length, parent);
  }

  /** Adds many states. As in `StateStore.addAll`, the words to compare with are read for all of them first. */
  addAll(rows: Int32Array, starts: Int32Array, count: number, parent: number, into: Int32Array): void {
    if (this.lows.length < count) [this.lows, this.highs] = [new Uint32Array(2 * count), new Uint32Array(2 * count)];
    const { lows, table, slots, numberMask } = this;
    for (let i = 0; i < count; i++) this.hash(i, rows, starts[i]!, starts[i + 1]! - starts[i]!);
    for (let i = 0; i < count; i++) into[i] = table[lows[i]! & slots]! & numberMask;
    for (let i = 0; i < count; i++) if (into[i]! > 0) this.read ^= this.word(into[i]! - 1, 0);
    for (let i = 0; i < count; i++) {
      const start = starts[i]!;
      into[i] = this.addHashed(i, rows, start, starts[i + 1]! - start, parent);
    }
  }

  /** Copies the row of the state to expand next into `row`, deletes it from the queue, and returns its length. */
  load(state: number, row: Int32Array): number {
    if (state !== this.expanded++) throw rowMissing(state);
    return this.waiting.shift(row);
  }

  environment(state: number): never {
    throw rowMissing(state);
  }

  parent(state: number): number {
    return this.word(state, 2);
  }

  is(state: number, row: Int32Array, start: number, length: number): boolean {
    this.hash(0, row, start, length);
    return this.holds(state, 0);
  }

  private word(state: number, word: number): number {
    return this.chunks[state >>> CHUNK_BITS]![WORDS * (state & (CHUNK - 1)) + word]!;
  }

  /** True if the state has the hash at this place. */
  private holds(state: number, place: number): boolean {
    return this.word(state, 0) === this.lows[place] && this.word(state, 1) === this.highs[place];
  }

  private addHashed(place: number, row: Int32Array, start: number, length: number, parent: number): number {
    const { table, slots, numberMask } = this;
    const tag = this.highs[place]! & ~numberMask;
    let slot = this.lows[place]! & slots;
    for (let word = table[slot]!; word !== 0; word = table[slot]!) {
      const state = (word & numberMask) - 1;
      if ((word & ~numberMask) === tag && this.holds(state, place)) {
        this.added = false;
        return state;
      }
      slot = (slot + 1) & slots;
    }
    table[slot] = tag | (this.size + 1);
    this.added = true;
    if (length > this.longest) this.longest = length;
    this.waiting.push(row, start, length);
    return this.append(this.lows[place]!, this.highs[place]!, parent);
  }

  private append(low: number, high: number, parent: number): number {
    const state = this.size++;
    if (state % CHUNK === 0) this.chunks.push(new Uint32Array(WORDS * (state === 0 ? FIRST : CHUNK)));
    else if (state === this.chunks[0]!.length / WORDS) this.growFirst();
    const chunk = this.chunks.at(-1)!;
    const first = WORDS * (state & (CHUNK - 1));
    chunk[first] = low;
    chunk[first + 1] = high;
    chunk[first + 2] = parent;
    if (4 * this.size > 3 * this.slots || this.size >= this.numberMask) this.rebuild();
    return state;
  }

  private growFirst(): void {
    const grown = new Uint32Array(2 * this.chunks[0]!.length);
    grown.set(this.chunks[0]!);
    this.chunks[0] = grown;
  }

  private rebuild(): void {
    const numberBits = Math.min(NUMBER_BITS_MAX, 34 - Math.clz32(this.size));
    this.numberMask = 2 ** numberBits - 1;
    if (this.size >= this.numberMask)
      throw new RangeError(
        `Hash compaction supports at most ${this.size} states. Set a smaller limit: bounds: { states: … }, or --states.`,
      );
    if (4 * this.size > 3 * this.slots) this.slots = 2 * this.slots + 1;
    const { slots, numberMask } = this;
    // Delete the old table first: there may not be enough memory for both.
    this.table = new Int32Array(0);
    const table = new Int32Array(slots + 1);
    for (let state = 0; state < this.size; state++) {
      let slot = this.word(state, 0) & slots;
      while (table[slot] !== 0) slot = (slot + 1) & slots;
      table[slot] = (this.word(state, 1) & ~numberMask) | (state + 1);
    }
    this.table = table;
  }

  /** Computes two words that depend on each other only at the end. */
  private hash(place: number, row: Int32Array, start: number, length: number): void {
    let low = length;
    let high = ~length;
    for (let i = start; i < start + length; i++) {
      const word = row[i]!;
      low = Math.imul(low ^ word, 0x9e3779b1);
      low ^= low >>> 15;
      high = Math.imul(high ^ word, 0x85ebca6b);
      high ^= high >>> 13;
    }
    low = mixed(low + Math.imul(high, 5));
    this.lows[place] = low & this.lowMask;
    this.highs[place] = mixed(high ^ low) & this.highMask;
  }
}

/** The last step of MurmurHash3: each bit of the result depends on all bits of the input. */
function mixed(word: number): number {
  let hash = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return hash ^ (hash >>> 16);
}

/** A queue of rows, each stored after its length. It consists of pieces that are deleted once they have been read. */
class RowQueue {
  private readonly pieces: (Uint16Array | Uint32Array)[] = [];
  /** Positions of writing in the last piece and of reading in the first piece. */
  private written = 0;
  private readTo = 0;

  get bytes(): number {
    return this.pieces.reduce((bytes, piece) => bytes + piece.byteLength, 0);
  }

  push(row: Int32Array, start: number, length: number): void {
    let piece = this.pieces.at(-1);
    if (!piece || this.written + length >= piece.length || (piece instanceof Uint16Array && isWide(row, start, length)))
      piece = this.begin(row, start, length);
    piece[this.written++] = length;
    for (let i = 0; i < length; i++) piece[this.written++] = row[start + i]!;
  }

  /** Copies the oldest row into `row` and returns its length. */
  shift(row: Int32Array): number {
    let piece = this.pieces[0]!;
    // A row is never empty: the word after the last row of a piece is missing or zero.
    while (!(piece[this.readTo]! > 0)) {
      this.pieces.shift();
      this.readTo = 0;
      piece = this.pieces[0]!;
    }
    const length = piece[this.readTo++]!;
    for (let i = 0; i < length; i++) row[i] = piece[this.readTo++]!;
    return length;
  }

  private begin(row: Int32Array, start: number, length: number): Uint16Array | Uint32Array {
    const size = Math.max(PIECE, length + 1);
    const piece = isWide(row, start, length) ? new Uint32Array(size) : new Uint16Array(size);
    this.written = 0;
    this.pieces.push(piece);
    return piece;
  }
}

/** True if a number does not fit into two bytes. */
function isWide(row: Int32Array, start: number, length: number): boolean {
  for (let i = start; i < start + length; i++) if (row[i]! > 0xffff) return true;
  return false;
}
