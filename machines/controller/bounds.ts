/** The paper's bounds on messages as code, for the meters of a report. */
import { capacity, levelAt, lg, LOCAL, type Scale } from './bins.js';
import type { ControllerOptions } from './options.js';

/** What a run came to. */
export interface Outcome {
  /** Participants at the end; names given to applications count as such. */
  readonly n: number;
  /** Units that were withdrawn or taken, and deposited. */
  readonly withdrawn: number;
  readonly deposited: number;
  /** Nodes that were rejected. */
  readonly rejecting: number;
}

/**
 * Lemma 4.4.4 with the constants of its proof: a bin of level l is refilled at most M / Cap(l) times in all, each refill and each
 * refusal (one a node and level) comes over at most 3 · 2^l links, there and back. And no permit costs more than a way to the root and
 * back, so where bins are flat or of capacity one that is the bound.
 */
export function messageBound({ kind, M, U, depths, terms }: ControllerOptions, { n, rejecting }: Outcome): number | null {
  if (kind !== 'naive' && kind !== 'bins' && kind !== 'basic') return null;
  const deepest = Math.max(...Object.values(depths));
  const refills = (level: number): number => Math.floor(M / capacity(terms.R, level));
  const straight = 2 * deepest * (refills(LOCAL) + rejecting);
  if ('flat' in terms.R) return straight;
  let climbing = 2 * (refills(LOCAL) + n);
  for (let level = 0; 2 ** level <= U; level++) climbing += 2 * 3 * 2 ** level * (refills(level) + n);
  return Math.min(straight, climbing);
}

/** Where the paper gives an order of growth and no constant: measured over this is the constant of the run. */
export function messageOrder({ kind, M, W }: ControllerOptions, { n, withdrawn, deposited }: Outcome) {
  const area = n * lg(n + 1) ** 2;
  if (kind === 'main' && W > 0) return { name: 'messages, order of Theorem 5.2', bound: (area * M) / W };
  if (kind === 'modified' && M > 0) return { name: 'messages, order of Lemma 6.1.1', bound: area * lg(M / (W + 1) + 1) };
  if (kind === 'names') return { name: 'messages, order of Lemma 6.2.1', bound: area };
  if (kind === 'bank' && W > 0) {
    return { name: 'messages, order of Lemma 6.3.1', bound: (area * (M + withdrawn + deposited)) / W };
  }
  return null;
}

/** The most that a leaf's bins hold, with what may be on its way to them. */
export const leafHoldsAtMost = (scale: Scale, depth: number): number =>
  capacity(scale, LOCAL) + ('flat' in scale ? 0 : capacity(scale, levelAt(depth)));
