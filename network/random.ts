/**
 * Random numbers from a single seed.
 *
 * Each consumer has its own stream, named by a label: the initial state of its generator is a hash of seed and label. A new
 * consumer, or one that draws more, never changes the numbers of another. All operations except `exponential` are integer
 * arithmetic or exact powers of two and equal on every platform; `exponential` needs `Math.log`, whose last bit depends on the
 * engine.
 */
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64';
import { uniformInt } from 'pure-rand/distribution/uniformInt';
import { xoroshiro128plusFromState } from 'pure-rand/generator/xoroshiro128plus';
import { UsageError } from '../machines/errors.js';

export class Random {
  private generator;

  constructor(seed: number, stream: string) {
    this.generator = xoroshiro128plusFromState(stateOf(seed, stream));
  }

  /** Continues with the numbers that the other stream would draw. */
  takeOver({ generator }: Random): void {
    this.generator = generator.clone();
  }

  /** A uniform integer `0 <= value < bound`. */
  below(bound: number): number {
    if (!(Number.isSafeInteger(bound) && bound >= 1))
      throw new UsageError(`Cannot draw below ${bound}. Use an integer of at least 1.`);
    return uniformInt(this.generator, 0, bound - 1);
  }

  /** A uniform number `0 <= value < 1`, a multiple of 2^-53. */
  unit(): number {
    return uniformFloat64(this.generator);
  }

  /** True with probability `p`. Draws nothing for 0, so that a disabled fault does not change other draws. */
  chance(p: number): boolean {
    return p > 0 && this.unit() < p;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)]!;
  }

  /** A shuffled copy. */
  shuffle<T>(list: readonly T[]): T[] {
    const copy = [...list];
    for (let last = copy.length - 1; last > 0; last--) {
      const other = this.below(last + 1);
      [copy[last], copy[other]] = [copy[other]!, copy[last]!];
    }
    return copy;
  }

  exponential(mean: number): number {
    return -mean * Math.log(1 - this.unit());
  }
}

/** Two hash lanes over seed and label, each word of the 128-bit state mixed from both; 64 bits keep a million streams apart. */
function stateOf(seed: number, stream: string): [number, number, number, number] {
  let a = 0x9e3779b9 ^ seed;
  let b = 0x85ebca6b ^ Math.floor(seed / 0x100000000);
  for (let i = 0; i < stream.length; i++) {
    const code = stream.charCodeAt(i);
    a = mix(a ^ code);
    b = mix(Math.imul(b, 31) + code);
  }
  // The last word is odd, because the generator would stay at an all-zero state.
  return [mix(a), mix(b), mix(a + Math.imul(b, 5)), mix(b ^ (a >>> 7)) | 1];
}

/** A bijection of 32-bit words in which each input bit changes about half of the output bits. */
function mix(word: number): number {
  let h = word | 0;
  h = Math.imul(h ^ (h >>> 16), 0x7feb352d);
  h = Math.imul(h ^ (h >>> 15), 0x846ca68b);
  return h ^ (h >>> 16);
}
