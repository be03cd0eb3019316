/**
 * Memory that the threads of one search share: growable buffers, a few cells, and a barrier at which all threads wait for each other.
 *
 * Between two barriers, threads write to their own places or, where they may conflict, use one atomic exchange. Everything that a thread
 * has written before a barrier is visible to the others after it.
 */

/** The index of each value in the array that all threads share. */
export const Cell = {
  /** Number of threads that have arrived at the barrier, and number of barriers passed. */
  here: 0,
  round: 1,
  /** 1 if a thread has given up, so that no thread waits any longer. */
  over: 2,
  /** 1 if the search must stop because of its time or memory bound. */
  stop: 3,
  /** The next state to be claimed, and the number of states. */
  next: 4,
  size: 5,
  /** Length of the longest row. */
  longest: 6,
  /** Words and table entries that are in use, and the numbers that some thread needs. */
  words: 7,
  entries: 8,
  wordsWanted: 9,
  entriesWanted: 10,
  /** Number of states for which all threads run the charts. */
  statesToExpandSerially: 11,
  /** The smallest state known to violate a property, as a difference to `LATEST`; 0 if there is none. */
  violation: 12,
  /** Number of bits of a table slot that contain the place of a row. */
  placeBits: 13,
  /** 1 if no further level starts because the search has stopped. */
  ended: 14,
} as const;

const CELLS = 16;

/** Maximum size of a buffer. This reserves only addresses; memory is allocated when it is used. */
const BYTES_MAX = 2 ** 32;

export interface SharedMemory {
  readonly cells: Int32Array;
  readonly words: SharedArrayBuffer;
  /** For each state, the place of its row, and the state from which it was found. */
  readonly places: SharedArrayBuffer;
  readonly parents: SharedArrayBuffer;
  readonly table: SharedArrayBuffer;
  /** For each state of a level, the number of new states found from it, and of its transitions. */
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

/** Grows a buffer to this many bytes, or by half if that is more. */
export function makeRoom(buffer: SharedArrayBuffer, bytes: number): void {
  if (bytes <= buffer.byteLength) return;
  const wanted = Math.max(bytes, Math.min(BYTES_MAX, Math.ceil((1.5 * buffer.byteLength) / 4096) * 4096));
  if (wanted > BYTES_MAX)
    throw new RangeError(
      'The states do not fit into 4 GB of shared memory. Set a smaller limit: bounds: { states: … }, or --states.',
    );
  buffer.grow(wanted);
}

/** Raises a cell to a value unless it is already larger. */
export function raise(cells: Int32Array, cell: number, value: number): void {
  for (let known = Atomics.load(cells, cell); known < value;) {
    const seen = Atomics.compareExchange(cells, cell, known, value);
    if (seen === known) return;
    known = seen;
  }
}

/** A point in the search where each thread waits for all others, as one thread uses it. */
export class Barrier {
  constructor(
    private readonly cells: Int32Array,
    private readonly of: number,
  ) {}

  /** True if some thread has given up. */
  get isOver(): boolean {
    return Atomics.load(this.cells, Cell.over) === 1;
  }

  /** Counts this thread as arrived. The last thread opens the barrier; the others get the round to wait for. */
  private arrive(): number | undefined {
    const { cells, of } = this;
    const round = Atomics.load(cells, Cell.round);
    if (Atomics.add(cells, Cell.here, 1) + 1 < of) return round;
    Atomics.store(cells, Cell.here, 0);
    this.open();
    return undefined;
  }

  /** Blocks this thread until all threads have arrived. */
  wait(): void {
    const round = this.arrive();
    while (round !== undefined && !this.isOver && Atomics.load(this.cells, Cell.round) === round)
      Atomics.wait(this.cells, Cell.round, round);
  }

  /** Waits without blocking, for the thread that must notice when another one fails. */
  async waitAsync(): Promise<void> {
    const round = this.arrive();
    while (round !== undefined && !this.isOver && Atomics.load(this.cells, Cell.round) === round)
      await Atomics.waitAsync(this.cells, Cell.round, round).value;
  }

  /** Releases all waiting threads and ends the search. */
  giveUp(): void {
    Atomics.store(this.cells, Cell.over, 1);
    this.open();
  }

  private open(): void {
    Atomics.add(this.cells, Cell.round, 1);
    Atomics.notify(this.cells, Cell.round);
  }
}
