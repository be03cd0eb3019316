/**
 * The states found so far in shared memory: their rows, an open-addressed table over them, and their parents.
 *
 * A thread first writes the row of a state at its own place and then puts that place into a free slot of the table by an atomic exchange.
 * A thread that reads the place can therefore read the row. If another thread was faster, the slot is checked again, and the next state
 * overwrites the row.
 *
 * A state receives its id only at the end of its level. Until then its head contains a mark: the smallest state from which it was found.
 * The states of a level are numbered in the order of these marks, which is the order of one thread, so that ids do not depend on timing.
 */
import { grown, Ints } from './ints.js';
import { Cell, makeRoom, raise, type SharedMemory } from './shared-memory.js';
import { hashOf, NO_PARENT, type States } from './store.js';

/** The mark of a state found from this parent. The smallest parent has the largest mark, and ids are larger than all marks. */
const markOf = (parent: number): number => -1 - parent;
/** Marks a state that has been counted. */
const COUNTED = -0x80000000;

/** Words before each row: the id or mark in two words, and the length. */
const HEAD = 3;
/** A row starts at an even place, so that its id can be exchanged atomically. */
const blockOf = (length: number): number => (HEAD + length + 1) & ~1;

/** Number of slots in the first hash table. It grows when more states are stored. */
export const SLOTS = 1 << 13;

/** Number of words and table entries that a thread reserves at a time. */
const CHUNK = 1 << 13;
const ENTRIES = 1 << 8;

/** Initial number of words, and the maximum that a place can address. */
const WORDS = 1 << 16;
const WORDS_MAX = 2 ** 31;

export class SharedStates implements States {
  size = 0;
  longest = 0;
  /** Pairs of parent and place of the states found in this level from this thread's states. They may be new. */
  private readonly candidates = new Ints();
  /** Places of the states that this thread added to the table. */
  private readonly inserted = new Ints();
  private kept = 0;
  private words!: Uint16Array;
  private marks!: Int32Array;
  private places!: Uint32Array;
  private parents!: Uint32Array;
  private table!: Int32Array;
  private slots = 0;
  /** The bits of a slot that contain half a place plus 1. The other bits are those of the hash. */
  private placeMask = 0;
  /** This thread's reserve: the words from `place` to `end`, and table entries. */
  private place = 0;
  private end = 0;
  private entries = 0;
  private hashes = new Int32Array(64);
  private early = new Int32Array(64);
  /** Keeps the early reads from being optimized away. */
  private read = 0;

  constructor(private readonly memory: SharedMemory) {
    this.refresh();
  }

  get bytes(): number {
    const { words, places, parents, table } = this.memory;
    return words.byteLength + places.byteLength + parents.byteLength + table.byteLength;
  }

  /** Updates the views of the memory, which other threads may have grown. */
  refresh(): void {
    const { cells, words, places, parents, table } = this.memory;
    this.words = new Uint16Array(words, 0, words.byteLength / 2);
    this.marks = new Int32Array(words, 0, words.byteLength / 4);
    this.places = new Uint32Array(places, 0, places.byteLength / 4);
    this.parents = new Uint32Array(parents, 0, parents.byteLength / 4);
    this.table = new Int32Array(table, 0, table.byteLength / 4);
    this.slots = this.table.length - 1;
    this.placeMask = 2 ** Atomics.load(cells, Cell.placeBits) - 1;
    this.longest = Atomics.load(cells, Cell.longest);
  }

  /** True if some thread has run out of memory. */
  get isFull(): boolean {
    const { cells } = this.memory;
    return Atomics.load(cells, Cell.wordsWanted) + Atomics.load(cells, Cell.entriesWanted) > 0;
  }

  /** Grows the memory. One thread does this while the others wait; afterward all of them refresh and reinsert the states. */
  grow(): void {
    const { cells, words, table } = this.memory;
    makeRoom(words, Math.max(2 * cells[Cell.wordsWanted]!, WORDS));
    const bits = 32 - Math.clz32(words.byteLength / 4);
    let slots = Math.max(table.byteLength / 4, SLOTS);
    while (4 * cells[Cell.entriesWanted]! > 3 * (slots - 1)) slots *= 4;
    if (bits <= cells[Cell.placeBits]! && 4 * slots === table.byteLength) return;
    // More bits than needed now, because reinserting every state costs a cache miss each.
    if (bits > cells[Cell.placeBits]!) cells[Cell.placeBits] = Math.min(31, bits + 2);
    this.table.fill(0);
    table.grow(4 * slots);
  }

  /** Makes room for the ids of this many states. */
  makeRoomFor(size: number): void {
    makeRoom(this.memory.places, 4 * size);
    makeRoom(this.memory.parents, 4 * size);
  }

  hasRoomFor(size: number): boolean {
    return size <= this.places.length;
  }

  /** Inserts this thread's share of the states into a table that has grown. */
  reinsert(mine: number, of: number): void {
    const { slots, placeMask } = this;
    this.refresh();
    if (slots === this.slots && placeMask === this.placeMask) return;
    const [first, end] = [Math.floor((this.size * mine) / of), Math.floor((this.size * (mine + 1)) / of)];
    for (let state = first; state < end; state++) this.put(this.places[state]!);
    for (let i = 0; i < this.inserted.length; i++) this.put(this.inserted.data[i]!);
  }

  /** Resets the requests for memory after it has grown. */
  clearRequests(): void {
    const { cells } = this.memory;
    Atomics.store(cells, Cell.wordsWanted, 0);
    Atomics.store(cells, Cell.entriesWanted, 0);
  }

  /** Adds a first state while no other thread is running. Returns true if it is new. */
  begin(row: Int32Array): boolean {
    const begins = Int32Array.of(0, row.length);
    while (!this.addAll(row, begins, 1, 0)) {
      this.grow();
      this.reinsert(0, 1);
      this.clearRequests();
    }
    const isNew = this.inserted.length > 0;
    if (isNew) {
      if (!this.hasRoomFor(this.size + 1)) {
        this.makeRoomFor(this.size + 1);
        this.refresh();
      }
      const place = this.inserted.data[0]!;
      this.marks[place >> 1] = this.size;
      this.places[this.size] = place;
      this.parents[this.size] = NO_PARENT;
      Atomics.store(this.memory.cells, Cell.size, ++this.size);
      raise(this.memory.cells, Cell.longest, this.longest);
    }
    this.candidates.length = this.inserted.length = 0;
    return isNew;
  }

  /**
   * Adds adjacent states found from the same parent. Returns false if memory is full; some of the states may have been added then. As in
   * `StateStore.addAll`, the words to compare with are read for all states first.
   */
  addAll(rows: Int32Array, starts: Int32Array, count: number, parent: number): boolean {
    if (!this.reserve(starts[count]! + 4 * count, count)) return false;
    if (this.hashes.length < count) {
      this.hashes = grown(this.hashes, count);
      this.early = new Int32Array(this.hashes.length);
    }
    const { hashes, early, table, slots, placeMask, words } = this;
    for (let i = 0; i < count; i++) hashes[i] = hashOf(rows, starts[i]!, starts[i + 1]! - starts[i]!);
    for (let i = 0; i < count; i++) early[i] = table[hashes[i]! & slots]! & placeMask;
    for (let i = 0; i < count; i++) this.read ^= words[2 * early[i]!]!;
    const mark = markOf(parent);
    for (let i = 0; i < count; i++) {
      const start = starts[i]!;
      this.add(hashes[i]!, rows, start, starts[i + 1]! - start, mark);
    }
    return true;
  }

  /** Counts the states whose smallest parent belongs to this thread. */
  count(counted: (parent: number) => void): void {
    const { candidates, marks } = this;
    let kept = 0;
    for (let i = 0; i < candidates.length; i += 2) {
      const [parent, place] = [candidates.data[i]!, candidates.data[i + 1]!];
      if (marks[place >> 1] !== markOf(parent)) continue;
      marks[place >> 1] = COUNTED;
      candidates.data[kept++] = parent;
      candidates.data[kept++] = place;
      counted(parent);
    }
    this.kept = kept;
    raise(this.memory.cells, Cell.longest, this.longest);
  }

  /** Assigns ids to them. */
  number(numberOf: (parent: number) => number): void {
    const { candidates, marks, places, parents, kept } = this;
    for (let i = 0; i < kept; i += 2) {
      const [parent, place] = [candidates.data[i]!, candidates.data[i + 1]!];
      const state = numberOf(parent);
      marks[place >> 1] = state;
      places[state] = place;
      parents[state] = parent;
      candidates.data[i] = state;
    }
  }

  /** Calls `look` for each state that this thread has numbered, and clears the list of new states. */
  eachNumbered(look: (state: number) => void): void {
    for (let i = 0; i < this.kept; i += 2) look(this.candidates.data[i]!);
    this.kept = this.candidates.length = this.inserted.length = 0;
  }

  load(state: number, row: Int32Array): number {
    const { words } = this;
    const place = this.places[state]! + HEAD - 1;
    const length = words[place]!;
    for (let i = 0; i < length; i++) row[i] = words[place + 1 + i]!;
    return length;
  }

  environment(state: number): number {
    return this.words[this.places[state]! + HEAD]!;
  }

  parent(state: number): number {
    return this.parents[state]!;
  }

  is(state: number, row: Int32Array, start: number, length: number): boolean {
    return this.holds(this.places[state]!, row, start, length);
  }

  private holds(place: number, row: Int32Array, start: number, length: number): boolean {
    const { words } = this;
    if (words[place + HEAD - 1] !== length) return false;
    const first = place + HEAD;
    for (let i = 0; i < length; i++) if (words[first + i] !== row[start + i]) return false;
    return true;
  }

  private add(hash: number, row: Int32Array, start: number, length: number, mark: number): void {
    const { table, slots, placeMask } = this;
    const tag = hash & ~placeMask;
    for (let slot = hash & slots; ; slot = (slot + 1) & slots) {
      let word = Atomics.load(table, slot);
      if (word === 0) {
        this.write(row, start, length, mark);
        word = Atomics.compareExchange(table, slot, 0, tag | ((this.place >> 1) + 1));
        if (word === 0) return this.keep(length, mark);
      }
      const place = 2 * ((word & placeMask) - 1);
      if ((word & ~placeMask) === tag && this.holds(place, row, start, length)) return this.meet(place, mark);
    }
  }

  /** Writes a row into this thread's reserve. The next state overwrites it if another thread was faster. */
  private write(row: Int32Array, start: number, length: number, mark: number): void {
    const { words, place } = this;
    this.marks[place >> 1] = mark;
    words[place + HEAD - 1] = length;
    const first = place + HEAD;
    for (let i = 0; i < length; i++) words[first + i] = row[start + i]!;
  }

  private keep(length: number, mark: number): void {
    const { place } = this;
    this.place += blockOf(length);
    this.entries--;
    if (length > this.longest) this.longest = length;
    this.inserted.push(place);
    this.candidates.push(-1 - mark);
    this.candidates.push(place);
  }

  /**
   * Handles a state that is already in the table. If it is new in this level, its parent becomes the smallest of all its parents.
   */
  private meet(place: number, mark: number): void {
    const { marks } = this;
    let known = marks[place >> 1]!;
    if (known >= 0) return;
    while (known < mark) {
      const seen = Atomics.compareExchange(marks, place >> 1, known, mark);
      if (seen === known) known = mark;
      else known = seen;
    }
    if (known > mark) return;
    this.candidates.push(-1 - mark);
    this.candidates.push(place);
  }

  /**
   * Reserves words and table entries for this many states, unless this thread has enough. Returns false if there are none left.
   */
  private reserve(words: number, states: number): boolean {
    const { cells } = this.memory;
    if (this.end - this.place < words) {
      const size = Math.max(words + (words & 1), CHUNK);
      const begin = Atomics.add(cells, Cell.words, size);
      if (begin + size > this.words.length) {
        Atomics.sub(cells, Cell.words, size);
        if (begin + size >= WORDS_MAX)
          throw new RangeError(
            `Cannot store more than ${this.size} states of this length. Set a smaller limit: bounds: { states: … }, or --states.`,
          );
        raise(cells, Cell.wordsWanted, begin + size);
        return false;
      }
      [this.place, this.end] = [begin, begin + size];
    }
    if (this.entries < states) {
      const entries = Math.max(states, ENTRIES);
      const given = Atomics.add(cells, Cell.entries, entries) + entries;
      if (4 * given > 3 * this.slots) {
        Atomics.sub(cells, Cell.entries, entries);
        raise(cells, Cell.entriesWanted, given);
        return false;
      }
      this.entries += entries;
    }
    return true;
  }

  private put(place: number): void {
    const { table, slots, placeMask, words } = this;
    const length = words[place + HEAD - 1]!;
    if (this.early.length < length) this.early = grown(this.early, length);
    for (let i = 0; i < length; i++) this.early[i] = words[place + HEAD + i]!;
    const hash = hashOf(this.early, 0, length);
    const word = (hash & ~placeMask) | ((place >> 1) + 1);
    let slot = hash & slots;
    while (table[slot] !== 0 || Atomics.compareExchange(table, slot, 0, word) !== 0) slot = (slot + 1) & slots;
  }
}
