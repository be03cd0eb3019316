/**
 * Judges `adaptive` by runs: its choice, against the cheapest of per-node bins, BASIC and halving on the same load.
 *
 * The choice runs to its end. Each other kind runs until it has cost more than the choice did for all its permits: then it cannot be
 * cheaper. Without waste, bins have a capacity of one, and a permit costs twice the depth of its node for every requester.
 */
import { choose, type AdaptiveKind } from '../../../machines/controller/adaptive.js';
import { untilExhausted } from './run.js';
import { depthsOf, meanDepth, type TreeShape } from './trees.js';

export interface JudgedChoice {
  readonly chosen: AdaptiveKind;
  /** Messages per permit. */
  readonly cost: number;
  /** Cost of the choice relative to that of the cheapest; 1 if it is the cheapest itself. */
  readonly ratio: number;
}

const CHOICES: readonly AdaptiveKind[] = ['bins', 'basic', 'modified'];

export function judge(shape: TreeShape, M: number, W: number): JudgedChoice {
  const chosen = choose({ M, W, U: shape.parents.length, depths: depthsOf(shape) });
  const cost = costOf(shape, chosen, M, W, Infinity);
  const others = CHOICES.filter((kind) => kind !== chosen).map((kind) => costOf(shape, kind, M, W, cost * M));
  return { chosen, cost, ratio: Math.max(1, ...others.map((other) => cost / other)) };
}

/** Messages per permit, or infinity if their total exceeds `limit`. */
function costOf(shape: TreeShape, kind: AdaptiveKind, M: number, W: number, limit: number): number {
  if (W === 0 && kind !== 'modified') return 2 * meanDepth(shape);
  const { isExhausted, messages, permits } = untilExhausted(shape, { kind, M, W }, { messagesMax: limit });
  return isExhausted ? messages / permits : Infinity;
}
