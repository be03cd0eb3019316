/**
 * The number of locks that may be wanted at a voter, bounded by the size of a message (rule 8). A promise contains all locks that its voter
 * uses and has recorded, and all that the last epoch kept. A voter whose promise did not fit could no longer participate. Each voter
 * therefore has a share of the largest message, in bytes, which the names of locks use up. A client's lock counts twice, because it is also
 * recorded.
 */
import type { NodeId } from '../effects.js';
import { claimOf, type EpochsContext } from './knowledge.js';
import type { Recorded } from './messages.js';

/** Bytes that a kept lock takes in addition to its name and its voter's id, and bytes of its record. */
const NAME_EXTRA = 64;
const RECORD_EXTRA = 96;
/** Smaller lists have shares as if they had this many voters, so that a list can grow. */
const VOTERS_MIN = 3;
/** The part of the largest message for locks that clients gave back in this epoch. Their records stay until it ends. */
const GIVEN_BACK = 1 / 8;

/** An upper bound of the bytes of a client's lock, for any name and ids. */
const LOCK_BYTES_MAX = 8_000;

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(JSON.stringify(text)).length;

/**
 * The share of each voter, in bytes. All voters keep their locks, each reports the locks that it uses, and half of them may take over the
 * other half's locks.
 */
export const shareOf = (messageBytes: number, voters: readonly NodeId[]): number =>
  (messageBytes * (1 - GIVEN_BACK)) / (1.5 * Math.max(VOTERS_MIN, voters.length) + 1);

/** The bytes of the longest id: the holder of a lock is part of its report. */
export const bytesOfIds = (voters: readonly NodeId[]): number => Math.max(0, ...voters.map(bytesOf));

/** The bytes that these locks need in a message. */
export function bytesOfLocks(locks: readonly string[], voters: readonly NodeId[]): number {
  const extra = NAME_EXTRA + bytesOfIds(voters);
  return locks.reduce((sum, lock) => sum + bytesOf(lock) + extra, 0);
}

/** The additional bytes of clients' locks: each lock once, even if several clients want it. */
export function bytesOfRecords({ id, wants }: Pick<EpochsContext, 'id' | 'wants'>): number {
  const records = new Map<string, number>();
  for (const { node, lock } of wants) {
    if (node === id) continue;
    records.set(lock, Math.max(records.get(lock) ?? 0, bytesOf(lock) + RECORD_EXTRA + 2 * bytesOf(node)));
  }
  return [...records.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** True if there is room for a client's lock next to all wanted locks. */
export function hasRoomForClient(c: EpochsContext, lock: string, client: NodeId): boolean {
  const { id, claims, wants, bounds, membership } = c;
  const claim = claimOf(c, lock);
  // The lock already has its place because of another client.
  if (claim && claim.user !== id) return true;
  const share = shareOf(bounds.bytes, membership.voters);
  if ((claims.length + wants.length + 1) * LOCK_BYTES_MAX <= share) return true;
  const locks = claims.map((each) => each.lock);
  if (!claim) locks.push(lock);
  const bytes = bytesOfLocks(locks, membership.voters) + bytesOfRecords({ id, wants: [...wants, { node: client, lock }] });
  return bytes <= share;
}

/** Cache by list of records. Lists are immutable and may have thousands of records, and each grant to a client makes another list. */
const givenBack = new WeakMap<readonly Recorded[], number>();
const bytesGivenBackOf = ({ lock, client }: Recorded): number => (client === null ? bytesOf(lock) + RECORD_EXTRA : 0);

function bytesGivenBack(records: readonly Recorded[]): number {
  const bytes = givenBack.get(records) ?? records.reduce((sum, record) => sum + bytesGivenBackOf(record), 0);
  givenBack.set(records, bytes);
  return bytes;
}

/** Inserts a record at its place, or replaces an earlier one of its lock. */
export function withRecord(record: Recorded, place: number, records: readonly Recorded[]): readonly Recorded[] {
  const earlier = records[place]?.lock === record.lock ? records[place] : undefined;
  const after = records.toSpliced(place, earlier ? 1 : 0, record);
  givenBack.set(after, bytesGivenBack(records) + bytesGivenBackOf(record) - (earlier ? bytesGivenBackOf(earlier) : 0));
  return after;
}

/** True if this part of the room for locks that were given back is full. */
export const isGivenBackFull = ({ records, bounds }: Pick<EpochsContext, 'records' | 'bounds'>, part: number): boolean =>
  bytesGivenBack(records) >= bounds.bytes * GIVEN_BACK * part;
