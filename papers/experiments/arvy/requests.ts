/** The request sequences of the Arvy experiments, as indices of nodes on a ring of n (spec 1.9). */
import { Random } from '../../../network/random.js';

export const sweep = (n: number, repeats = 1): number[] => Array.from({ length: n * repeats }, (_, i) => i % n);

/** Node 0 and its neighbor across the gap of the tree, in turn. */
export const pair = (n: number, count: number): number[] => Array.from({ length: count }, (_, i) => (i % 2 === 0 ? 0 : n - 1));

/** The worst round for the bridge on an even ring: it costs 5n − 6 against an optimum of n + 2. */
export const tightRound = (n: number): number[] => [0, n - 1, 0, n / 2 - 1, n / 2, n / 2 - 1];

export function uniform(n: number, count: number, seed: number): number[] {
  const random = new Random(seed, 'uniform requests');
  return Array.from({ length: count }, () => random.below(n));
}

/** A third uniform, a third close to the last one, a third at the corners: the ends of the two sides. */
export function mixed(n: number, count: number, seed: number): number[] {
  const random = new Random(seed, 'mixed requests');
  const corners = [0, n - 1, Math.floor(n / 2) - 1, Math.floor(n / 2)];
  let last = 0;
  return Array.from({ length: count }, () => {
    const kind = random.below(3);
    last = kind === 0 ? random.below(n) : kind === 1 ? (last + n - 1 + random.below(3)) % n : random.pick(corners);
    return last;
  });
}
