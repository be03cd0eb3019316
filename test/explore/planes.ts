/** Sets of states, a plane each: one bit for each state and plane. */
import { grown } from './ints.js';

export class Planes {
  bits = new Int32Array(1 << 8);
  private readonly words: number;
  private size = 0;

  constructor(readonly count: number) {
    this.words = Math.ceil(count / 32);
  }

  /** Makes room for the next state, which is in no plane. */
  add(): void {
    this.size++;
    if (this.size * this.words > this.bits.length) this.bits = grown(this.bits, this.size * this.words);
  }

  set(state: number, plane: number): void {
    this.bits[state * this.words + (plane >> 5)]! |= 1 << (plane & 31);
  }

  has(state: number, plane: number): boolean {
    return ((this.bits[state * this.words + (plane >> 5)]! >>> (plane & 31)) & 1) === 1;
  }

  /** Whether the state is in any plane. */
  hasAny(state: number): boolean {
    for (let word = 0; word < this.words; word++) if (this.bits[state * this.words + word] !== 0) return true;
    return false;
  }

  /** Adds the bits of other planes of the same states. */
  absorb(bits: Int32Array): void {
    for (let i = 0; i < bits.length; i++) this.bits[i]! |= bits[i]!;
  }

  get bytes(): number {
    return this.bits.byteLength;
  }
}
