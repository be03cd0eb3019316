/**
 * Presence tables: the leaders of one level nearby, with their distance (spec section 8).
 *
 * Every Update carries the sender's tables. A neighbor's entry at distance d is a candidate at distance d + 1; entries beyond the level's
 * radius are dropped, so that entries for a lost leader grow too long and vanish. Seniority is the clock at which a leader first led this
 * level, never reset, then its identity.
 */
import type { NodeId } from '../effects.js';
import { compareIdentities, isSame, type Identity } from '../election/height.js';
import type { PresenceEntry, PresenceTable } from '../election/messages.js';

/** The last table that a neighbor has sent. */
export interface ReceivedTable {
  readonly peer: NodeId;
  readonly table: PresenceTable;
}

export const bySeniority = (a: PresenceEntry, b: PresenceEntry): number => a.birth - b.birth || compareIdentities(a.id, b.id);

const byDistance = (a: PresenceEntry, b: PresenceEntry): number => a.distance - b.distance || bySeniority(a, b);

/** Rule 1: the leaders that neighbors know of, one hop further. */
export function candidates(own: Identity, received: readonly ReceivedTable[], radius: number): PresenceTable {
  const near = new Map<NodeId, PresenceEntry>();
  for (const { table } of received) {
    for (const { birth, id, distance } of table) {
      const known = near.get(id[1])?.distance ?? radius + 1;
      if (distance + 1 < known && !isSame(id, own)) near.set(id[1], { birth, id, distance: distance + 1 });
    }
  }
  return [...near.values()].sort(bySeniority);
}

/** Rule 2: a more senior leader is within the separation. */
export const hasSenior = (own: PresenceEntry, near: PresenceTable, separation: number): boolean =>
  near.some((entry) => entry.distance <= separation && bySeniority(entry, own) < 0);

/** Rule 4: the table with the node itself, if it leads. */
export const withOwn = (own: PresenceEntry, near: PresenceTable): PresenceTable => [...near, own].sort(bySeniority);

/** Rule 5: the old leader while it is listed, else the nearest. */
export const memberOf = (old: Identity, table: PresenceTable): Identity =>
  table.some(({ id }) => isSame(id, old)) ? old : (table.toSorted(byDistance)[0]?.id ?? old);

export const isSameTable = (a: PresenceTable, b: PresenceTable): boolean =>
  a.length === b.length && a.every((entry, i) => bySeniority(entry, b[i]!) === 0 && entry.distance === b[i]!.distance);
