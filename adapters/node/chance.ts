/** Uniform integers from the platform's generator, for draws that no seed has to repeat. */

const WORDS = 2 ** 32;

/** `0 <= value < bound` for a bound up to 2^32; the words that would favour small values are drawn again. */
export function draw(bound: number): number {
  const fair = WORDS - (WORDS % bound);
  const word = new Uint32Array(1);
  do crypto.getRandomValues(word);
  while (word[0]! >= fair);
  return word[0]! % bound;
}
