/** Stores several sets of states compactly. Each set is a plane: one bit for each state. */
import { grown } from './ints.js';

export class Planes {
  bits: Int32Array | Uint8Array;
  /** Number of words of `bits` for each state. */
  readonly words: number;
  size = 0;

  constructor(readonly count: number) {
    this.words = Math.ceil(count / 32);
    // Up to 8 planes use one byte for each state, so that more states fit into the cache.
    this.bits = new (count <= 8 ? Uint8Array : Int32Array)(1 << 8);
  }

  /** Makes room for the next state, which is in no plane. */
  add(): void {
    this.size++;
    if (this.size * this.words > this.bits.length) this.bits = grown(this.bits, this.size * this.words);
  }

  set(state: number, plane: number): void {
    this.bits[state * this.words + (plane >> 5)]! |= 1 << (plane & 31);
  }

  /** Adds a state to all of these planes. */
  join(state: number, planes: Int32Array): void {
    for (let word = 0; word < this.words; word++) this.bits[state * this.words + word]! |= planes[word]!;
  }

  has(state: number, plane: number): boolean {
    return ((this.bits[state * this.words + (plane >> 5)]! >>> (plane & 31)) & 1) === 1;
  }

  /** True if the state is in any plane. */
  hasAny(state: number): boolean {
    for (let word = 0; word < this.words; word++) if (this.bits[state * this.words + word] !== 0) return true;
    return false;
  }

  /** The planes that contain a state. */
  *of(state: number): Generator<number> {
    for (let word = 0; word < this.words; word++)
      for (let left = this.bits[state * this.words + word]!; left !== 0; left &= left - 1)
        yield 32 * word + 31 - Math.clz32(left & -left);
  }

  /** A copy in which these planes contain every state. */
  with(everywhere: Int32Array): Planes {
    const planes = new Planes(this.count);
    planes.size = this.size;
    planes.bits = this.bits.slice(0, this.size * this.words);
    for (let i = 0; i < planes.bits.length; i++) planes.bits[i]! |= everywhere[i % this.words]!;
    return planes;
  }

  get bytes(): number {
    return this.bits.byteLength;
  }
}
