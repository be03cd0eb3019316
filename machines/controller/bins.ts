/**
 * The bin hierarchy (paper section 4.1, spec section 2): levels, capacities, and the distance of a bin from its supervisor.
 *
 * Every node has a local bin of level -1; below the root it also has a global bin, whose level depends on its depth. A bin is refilled from
 * the nearest bin one level up on the way to the root, in one message of exactly its capacity.
 */

/** Capacities of bins. In a hierarchy they double with each level; flat bins have equal capacities and are refilled by the root. */
export type Scale = { readonly exponent: number | null } | { readonly flat: number };

export const LOCAL_LEVEL = -1;

/** Level of the global bin at a depth of at least 1: the exponent of 2 in the depth. */
export function levelAt(depth: number): number {
  let level = 0;
  for (let rest = depth; rest % 2 === 0; rest /= 2) level++;
  return level;
}

/** The base-2 logarithm, exact for powers of two, because an error of one in a quotient would move the whole hierarchy. */
export function lg(x: number): number {
  let power = 0;
  while (2 ** power < x) power++;
  return 2 ** power === x ? power : Math.log2(x);
}

/** Exponent of the paper's Lambda: the largest e with 2^e · 2U·lg(U+1) <= W. Without waste there is none: all capacities are 1. */
export function exponentFor(waste: number, nodesMax: number): number | null {
  if (waste <= 0) return null;
  const share = 2 * nodesMax * lg(nodesMax + 1);
  let exponent = 0;
  while (2 ** (exponent + 1) * share <= waste) exponent++;
  while (2 ** exponent * share > waste) exponent--;
  return exponent;
}

export const hierarchy = (waste: number, nodesMax: number): Scale => ({ exponent: exponentFor(waste, nodesMax) });

export function capacity(scale: Scale, level: number): number {
  if ('flat' in scale) return scale.flat;
  return scale.exponent === null ? 1 : Math.max(1, 2 ** (scale.exponent + level));
}

/** Amount that a global bin gives at a time: the capacity of the bins that it supervises. */
export const requestSize = (scale: Scale, level: number): number => capacity(scale, level - 1);

/**
 * Distance, in links of the tree, of a bin (a store of permits at a node) of this level to its supervisor: the nearest bin of the next level
 * above it, or the root.
 */
export function supervisorDistance(level: number, depth: number): number {
  const unit = 2 ** (level + 1);
  const at = level === LOCAL_LEVEL ? depth : depth - 2 ** level;
  for (let above = Math.floor(at / unit) * unit; above > 0; above -= unit) if (levelAt(above) === level + 1) return depth - above;
  return depth;
}
