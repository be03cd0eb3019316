/**
 * Prediction of the controller with the fewest messages, from the tree and the budget.
 *
 * The rule. Assume that all nodes request the permits evenly. A bin then needs its demand divided by its capacity as refills, and each
 * costs twice its distance to the supervisor. Its refills are the demand on the supervisor, and so on up. That sum is the price of per-node
 * bins and of BASIC. Halving pays it once per phase for half of the remaining permits, and three messages per link for the change. The
 * cheapest of the three runs.
 */
import { capacity, hierarchy, levelAt, LOCAL_LEVEL, supervisorDistance, type Scale } from './bins.js';

export interface Situation {
  readonly M: number;
  readonly W: number;
  readonly U: number;
  /** Depths of all participating nodes, including the root. */
  readonly depths: readonly number[];
}

export type AdaptiveKind = 'bins' | 'basic' | 'modified';

export function choose(situation: Situation): AdaptiveKind {
  const prices = predictCosts(situation);
  return (['bins', 'basic', 'modified'] as const).reduce((best, kind) => (prices[kind] < prices[best] ? kind : best));
}

/** The number of messages that each controller is predicted to need for all permits. */
export function predictCosts({ M, W, U, depths }: Situation): Record<AdaptiveKind, number> {
  const n = depths.length;
  return {
    bins: flatPrice(M, Math.max(1, Math.floor(W / U)), depths),
    basic: hierarchyPrice(M, hierarchy(W, U), depths),
    modified: halvingPrice(M, W, n, depths),
  };
}

const sum = (numbers: readonly number[]): number => numbers.reduce((total, x) => total + x, 0);

const flatPrice = (permits: number, size: number, depths: readonly number[]): number =>
  2 * sum(depths) * Math.ceil(permits / depths.length / size);

/** The demand on a bin of capacity one is passed on completely; a larger bin halves the number of requests. */
function hierarchyPrice(permits: number, scale: Scale, depths: readonly number[]): number {
  const n = depths.length;
  const refills = Math.ceil(permits / n / capacity(scale, LOCAL_LEVEL));
  let price = 0;
  for (const depth of depths) {
    let at = depth;
    let asked = refills;
    for (let level = LOCAL_LEVEL; at > 0; level++) {
      const distance = supervisorDistance(level, at);
      price += 2 * distance * asked;
      at -= distance;
      if (at === 0 || levelAt(at) !== level + 1) break;
      asked *= capacity(scale, level) / capacity(scale, level + 1);
    }
  }
  return price;
}

function halvingPrice(M: number, W: number, n: number, depths: readonly number[]): number {
  let price = 0;
  let rest = M;
  for (let half = Math.floor(rest / 2); half > Math.max(W, 1); half = Math.floor(rest / 2)) {
    price += hierarchyPrice(rest - half / 2, hierarchy(half, 3 * n), depths) + 3 * (n - 1);
    rest = Math.floor(half / 2);
  }
  return price + hierarchyPrice(rest, hierarchy(Math.min(W, rest), 3 * n), depths);
}
