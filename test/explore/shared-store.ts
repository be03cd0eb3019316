/**
 * The states found so far, in memory that several threads share: rows, an open-addressed table over them, and where each was reached from.
 *
 * A thread writes the row of a state at its own place and then puts that place into a free slot of the table by one exchange: whoever
 * sees the place sees the row. Where another thread was faster, the slot is looked at again, and the row is written over by the next.
 *
 * A state has its number only when its level is done. Until then its head holds a mark: which state it was found from, the least of them.
 * The states of a level are numbered in the order of these, as one thread finds them, so that numbers do not depend on who was faster.
 */
import { grown, Ints } from './ints.js';
import { Cell, makeRoom, raise, type SharedMemory } from './shared-memory.js';
import { hashOf, NO_PARENT, type States } from './store.js';

/** The mark of a state that was found from this one; the least state has the greatest mark, and numbers are greater still. */
const markOf = (parent: number): number => -1 - parent;
/** Marks a state that has been counted. */
const COUNTED = -0x80000000;

/** Before each row: the number or mark in two words, and the length. */
const HEAD = 3;
/** A row is at an even place, so that its number can be exchanged at once. */
const blockOf = (length: number): number => (HEAD + length + 1) & ~1;

/** Of the smallest table. */
export const SLOTS = 1 << 13;

/** Words and seats that a thread takes at a time. */
const CHUNK = 1 << 13;
const SEATS = 1 << 8;

/** The first words, and as many as a place can say. */
const WORDS = 1 << 16;
const WORDS_MAX = 2 ** 31;

export class SharedStates implements States {
  size = 0;
  longest = 0;
  /** What was found in this level from states of this thread, and may be new: the state that it was found from, and its place. */
  private readonly candidates = new Ints();
  /** Those that this thread put into the table. */
  private readonly inserted = new Ints();
  private kept = 0;
  private words!: Uint16Array;
  private marks!: Int32Array;
  private places!: Uint32Array;
  private parents!: Uint32Array;
  private table!: Int32Array;
  private slots = 0;
  /** The bits of a slot that hold half a place and 1; the others are the hash's. */
  private placeMask = 0;
  /** This thread's room: the words from `place` to `end`, and seats in the table. */
  private place = 0;
  private end = 0;
  private seats = 0;
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

  /** Looks at the memory as it is now: other threads may have let it grow. */
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

  /** True if somebody has met an end of the memory. */
  get isFull(): boolean {
    const { cells } = this.memory;
    return Atomics.load(cells, Cell.wordsWanted) + Atomics.load(cells, Cell.seatsWanted) > 0;
  }

  /** Lets the memory grow, in one thread while the others wait. All look at it again afterward, and put in again what was there. */
  grow(): void {
    const { cells, words, table } = this.memory;
    makeRoom(words, Math.max(2 * cells[Cell.wordsWanted]!, WORDS));
    const bits = 32 - Math.clz32(words.byteLength / 4);
    let slots = Math.max(table.byteLength / 4, SLOTS);
    while (4 * cells[Cell.seatsWanted]! > 3 * (slots - 1)) slots *= 4;
    if (bits <= cells[Cell.placeBits]! && 4 * slots === table.byteLength) return;
    // Some more than is needed now: to put every state in its place again costs a miss of the cache each.
    if (bits > cells[Cell.placeBits]!) cells[Cell.placeBits] = Math.min(31, bits + 2);
    this.table.fill(0);
    table.grow(4 * slots);
  }

  /** Room for the numbers of so many states. */
  makeRoomFor(size: number): void {
    makeRoom(this.memory.places, 4 * size);
    makeRoom(this.memory.parents, 4 * size);
  }

  hasRoomFor(size: number): boolean {
    return size <= this.places.length;
  }

  /** Puts this thread's share of the states into a table that has grown. */
  putAgain(mine: number, of: number): void {
    const { slots, placeMask } = this;
    this.refresh();
    if (slots === this.slots && placeMask === this.placeMask) return;
    const [first, end] = [Math.floor((this.size * mine) / of), Math.floor((this.size * (mine + 1)) / of)];
    for (let state = first; state < end; state++) this.put(this.places[state]!);
    for (let i = 0; i < this.inserted.length; i++) this.put(this.inserted.data[i]!);
  }

  /** The memory has grown: nothing is wanted any more. */
  grew(): void {
    const { cells } = this.memory;
    Atomics.store(cells, Cell.wordsWanted, 0);
    Atomics.store(cells, Cell.seatsWanted, 0);
  }

  /** Adds a state in which the search begins, while no other thread is there; whether it is new. */
  begin(row: Int32Array): boolean {
    const begins = Int32Array.of(0, row.length);
    while (!this.addAll(row, begins, 1, 0)) {
      this.grow();
      this.putAgain(0, 1);
      this.grew();
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
   * Adds states that stand one after the other and were found from the same state; false when there is no room, and then some of them may
   * stand there already. As in `StateStore.addAll`, what each will be compared with is read for all of them first.
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

  /** Counts the states that were found from states of this thread first. */
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

  /** Gives them their numbers. */
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

  /** Looks at the states that this thread has given numbers, and forgets that they were new. */
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

  /** Writes a row where this thread has room, over what another thread put in before it. */
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
    this.seats--;
    if (length > this.longest) this.longest = length;
    this.inserted.push(place);
    this.candidates.push(-1 - mark);
    this.candidates.push(place);
  }

  /** A state that is there already: if it is new in this level, it is found from the least of all states from which it was found. */
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

  /** Takes room for so many words and states, unless this thread has it; false when there is none. */
  private reserve(words: number, states: number): boolean {
    const { cells } = this.memory;
    if (this.end - this.place < words) {
      const size = Math.max(words + (words & 1), CHUNK);
      const begin = Atomics.add(cells, Cell.words, size);
      if (begin + size > this.words.length) {
        Atomics.sub(cells, Cell.words, size);
        if (begin + size >= WORDS_MAX) throw new RangeError(`more than ${this.size} states of this length cannot be kept`);
        raise(cells, Cell.wordsWanted, begin + size);
        return false;
      }
      [this.place, this.end] = [begin, begin + size];
    }
    if (this.seats < states) {
      const seats = Math.max(states, SEATS);
      const given = Atomics.add(cells, Cell.seats, seats) + seats;
      if (4 * given > 3 * this.slots) {
        Atomics.sub(cells, Cell.seats, seats);
        raise(cells, Cell.seatsWanted, given);
        return false;
      }
      this.seats += seats;
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
