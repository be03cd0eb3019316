/** Growing arrays of integers. The search uses them instead of objects, because they need less time and memory. */

export class Ints {
  data = new Int32Array(256);
  length = 0;

  /** Appends a value and returns its index. */
  push(value: number): number {
    if (this.length === this.data.length) this.data = grown(this.data, this.length + 1);
    this.data[this.length] = value;
    return this.length++;
  }
}

/** A copy of an array with room for at least `length` numbers. */
export function grown<A extends Int32Array | Uint32Array | Uint16Array | Uint8Array>(array: A, length: number): A {
  const larger = new (array.constructor as new (length: number) => A)(Math.max(length, Math.ceil(array.length * 1.5)));
  larger.set(array);
  return larger;
}

/** Numbers from 1 for ids that count from 0: ids with equal keys have the same number. */
export class KeyNumbers {
  private numbers = new Int32Array(1 << 8);

  constructor(
    private readonly keyOf: (id: number) => unknown,
    private readonly known = new Map<unknown, number>(),
  ) {}

  of(id: number): number {
    const number = this.numbers[id];
    if (number) return number;
    if (id >= this.numbers.length) this.numbers = grown(this.numbers, id + 1);
    return (this.numbers[id] = numberOf(this.known, this.keyOf(id)));
  }
}

/** The number of a key; a new key gets the next one. */
export function numberOf(known: Map<unknown, number>, key: unknown): number {
  const number = known.get(key) ?? known.size + 1;
  known.set(key, number);
  return number;
}

/** A map from pairs of non-negative integers to non-negative integers that needs no objects or strings. */
export class PairMap {
  private table = new Int32Array(3 * 1024).fill(-1);
  private mask = 1023;
  size = 0;

  /** Returns -1 for a pair that is not in the map. */
  get(a: number, b: number): number {
    const { table, mask } = this;
    for (let slot = hash(a, b) & mask; ; slot = (slot + 1) & mask) {
      const found = table[3 * slot]!;
      if (found === -1) return -1;
      if (found === a && table[3 * slot + 1] === b) return table[3 * slot + 2]!;
    }
  }

  set(a: number, b: number, value: number): void {
    if (2 * (this.size + 1) > this.mask) this.grow();
    const { table, mask } = this;
    let slot = hash(a, b) & mask;
    while (table[3 * slot] !== -1 && (table[3 * slot] !== a || table[3 * slot + 1] !== b)) slot = (slot + 1) & mask;
    if (table[3 * slot] === -1) this.size++;
    table[3 * slot] = a;
    table[3 * slot + 1] = b;
    table[3 * slot + 2] = value;
  }

  private grow(): void {
    const old = this.table;
    this.mask = 2 * this.mask + 1;
    this.table = new Int32Array(3 * (this.mask + 1)).fill(-1);
    this.size = 0;
    for (let i = 0; i < old.length; i += 3) if (old[i] !== -1) this.set(old[i]!, old[i + 1]!, old[i + 2]!);
  }
}

function hash(a: number, b: number): number {
  const h = Math.imul(a, 0x9e3779b1) ^ Math.imul(b, 0x85ebca6b);
  return (h ^ (h >>> 15)) >>> 0;
}
