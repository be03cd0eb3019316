/**
 * What the threads of one search share: buffers that can grow, a few cells, and meetings at which all of them wait for each other.
 *
 * Between two meetings threads write to their own places or, where they may meet, by one atomic exchange. What one has written before
 * a meeting the others read after it.
 */

/** The cells, by what they say. */
export const Cell = {
  /** How many threads have come to the meeting, and how many meetings there were. */
  here: 0,
  round: 1,
  /** True if a thread has given up: nobody waits for anybody any more. */
  over: 2,
  /** True if the search stops, by the clock or for lack of memory. */
  stop: 3,
  /** The next state to be claimed, and how many states there are. */
  next: 4,
  size: 5,
  /** The longest row. */
  longest: 6,
  /** Words and seats in the table that are given away, and how many somebody wants. */
  words: 7,
  seats: 8,
  wordsWanted: 9,
  seatsWanted: 10,
  /** How many states are in the list of those from which all threads learn. */
  statesToExpandSerially: 11,
  /** Which is the least state known to violate a property; 0 where none is. */
  violation: 12,
  /** How many bits of a slot in the table say where a row stands. */
  placeBits: 13,
  /** True if no further level is begun, because the search has stopped. */
  ended: 14,
} as const;

const CELLS = 16;

/** Of addresses alone: memory is taken as it is needed. */
const BYTES_MAX = 2 ** 32;

export interface SharedMemory {
  readonly cells: Int32Array;
  /** The rows of states. */
  readonly words: SharedArrayBuffer;
  /** By the number of a state: where its row stands, and from which state it was found. */
  readonly places: SharedArrayBuffer;
  readonly parents: SharedArrayBuffer;
  readonly table: SharedArrayBuffer;
  /** For each state of a level: how many new ones were found from it, and how many transitions. */
  readonly made: SharedArrayBuffer;
  readonly statesToExpandSerially: SharedArrayBuffer;
}

export function sharedMemory(): SharedMemory {
  const growable = () => new SharedArrayBuffer(0, { maxByteLength: BYTES_MAX });
  return {
    cells: new Int32Array(new SharedArrayBuffer(4 * CELLS)),
    words: growable(),
    places: growable(),
    parents: growable(),
    table: growable(),
    made: growable(),
    statesToExpandSerially: growable(),
  };
}

/** Makes room for so many bytes and half as many more. */
export function makeRoom(buffer: SharedArrayBuffer, bytes: number): void {
  if (bytes <= buffer.byteLength) return;
  const wanted = Math.max(bytes, Math.min(BYTES_MAX, Math.ceil((1.5 * buffer.byteLength) / 4096) * 4096));
  if (wanted > BYTES_MAX) throw new RangeError('more states of this length than can be kept');
  buffer.grow(wanted);
}

/** Raises a cell to a value, unless it is larger already. */
export function raise(cells: Int32Array, cell: number, value: number): void {
  for (let known = Atomics.load(cells, cell); known < value;) {
    const seen = Atomics.compareExchange(cells, cell, known, value);
    if (seen === known) return;
    known = seen;
  }
}

/** One thread's seat at the meetings. */
export class Meeting {
  constructor(
    private readonly cells: Int32Array,
    private readonly of: number,
  ) {}

  /** True if the search is given up. */
  get isOver(): boolean {
    return Atomics.load(this.cells, Cell.over) === 1;
  }

  /** Tells that a thread is here, the last of them that all are; the meeting to wait for, if there are others to come. */
  private arrive(): number | undefined {
    const { cells, of } = this;
    const round = Atomics.load(cells, Cell.round);
    if (Atomics.add(cells, Cell.here, 1) + 1 < of) return round;
    Atomics.store(cells, Cell.here, 0);
    this.open();
    return undefined;
  }

  /** Waits until all threads are here, in a thread that has nothing else to do. */
  wait(): void {
    const round = this.arrive();
    while (round !== undefined && !this.isOver && Atomics.load(this.cells, Cell.round) === round)
      Atomics.wait(this.cells, Cell.round, round);
  }

  /** The same in a thread that must hear when another one fails. */
  async met(): Promise<void> {
    const round = this.arrive();
    while (round !== undefined && !this.isOver && Atomics.load(this.cells, Cell.round) === round)
      await Atomics.waitAsync(this.cells, Cell.round, round).value;
  }

  /** Nobody waits any more. */
  giveUp(): void {
    Atomics.store(this.cells, Cell.over, 1);
    this.open();
  }

  private open(): void {
    Atomics.add(this.cells, Cell.round, 1);
    Atomics.notify(this.cells, Cell.round);
  }
}
