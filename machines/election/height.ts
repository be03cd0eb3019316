/**
 * Heights, their orders and the five ways in which a node changes its own (spec sections 2 and 3).
 *
 * A height is (tau, oid, r, delta, nlts, lid, id). Its reference level RL = (tau, oid, r) belongs to the search that the node takes part
 * in. delta is its distance from the leader or its place within a search. The leader pair is LP = (nlts, lid). All compare component by
 * component. A link points from the larger height to the smaller; a larger RL is more recent, a smaller LP is.
 */
import type { NodeId } from '../effects.js';

/** Identities are totally ordered: by place in a list that all nodes know, then by name. */
export type Identity = readonly [place: number, name: NodeId];

export interface Height {
  /** Start of the search; 0: no search. */
  readonly tau: number;
  /** Originator; `null` exactly when tau is 0. */
  readonly oid: Identity | null;
  /** 1 if the search has met a dead end and is on its way back. */
  readonly r: 0 | 1;
  readonly delta: number;
  /** Negated time of the leader's election. */
  readonly nlts: number;
  readonly lid: Identity;
  readonly id: Identity;
}

export type ReferenceLevel = Pick<Height, 'tau' | 'oid' | 'r'>;
export type LeaderPair = Pick<Height, 'nlts' | 'lid'>;

export function compareIdentities(a: Identity | null, b: Identity | null): number {
  if (a === null || b === null) return (a === null ? 0 : 1) - (b === null ? 0 : 1);
  return a[0] - b[0] || (a[1] < b[1] ? -1 : a[1] > b[1] ? 1 : 0);
}

export const isSame = (a: Identity | null, b: Identity | null): boolean => compareIdentities(a, b) === 0;

/** Compares two searches for a leader. Positive if `a` is the more recent one. */
export const compareReferenceLevels = (a: ReferenceLevel, b: ReferenceLevel): number =>
  a.tau - b.tau || compareIdentities(a.oid, b.oid) || a.r - b.r;

/** Compares two elections of a leader. Negative if `a` is the more recent one. */
export const compareLeaderPairs = (a: LeaderPair, b: LeaderPair): number => a.nlts - b.nlts || compareIdentities(a.lid, b.lid);

export const compareHeights = (a: Height, b: Height): number =>
  compareReferenceLevels(a, b) || a.delta - b.delta || compareLeaderPairs(a, b) || compareIdentities(a.id, b.id);

export const isReferenceLevelOf =
  (level: ReferenceLevel) =>
  (height: Height): boolean =>
    compareReferenceLevels(level, height) === 0;

/** Height of a node that is `delta` hops from an initial leader. */
export const oriented = (id: Identity, lid: Identity, delta: number): Height => ({
  tau: 0,
  oid: null,
  r: 0,
  delta,
  nlts: 0,
  lid,
  id,
});

/** The height of a node that elects itself. Negative zero is avoided, because equal states must have equal JSON. */
export const electSelf = ({ id }: Height, now: number): Height => ({ ...oriented(id, id, 0), nlts: 0 - now });

export const startNewRefLevel = (own: Height, now: number): Height => ({ ...own, tau: now, oid: own.id, r: 0, delta: 0 });

/** The height after a search has met a dead end: all neighbors have the same reference level. */
export function reflectRefLevel(own: Height, neighbors: readonly Height[]): Height {
  const { tau, oid } = neighbors[0]!;
  return { ...own, tau, oid, r: 1, delta: 0 };
}

/** Delta is one below the lowest neighbor with the most recent reference level, so that the search came from all of them. */
export function propagateLargestRefLevel(own: Height, neighbors: readonly Height[]): Height {
  const largest = neighbors.reduce((a, b) => (compareReferenceLevels(a, b) >= 0 ? a : b));
  const lowest = Math.min(...neighbors.filter(isReferenceLevelOf(largest)).map(({ delta }) => delta));
  return { ...own, tau: largest.tau, oid: largest.oid, r: largest.r, delta: lowest - 1 };
}

export const adoptLeaderPair = (own: Height, received: Height): Height => ({
  ...received,
  delta: received.delta + 1,
  id: own.id,
});
