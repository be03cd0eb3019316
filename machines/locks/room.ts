/**
 * How many locks may be wanted at a voter: as many as one message can tell (rule 8). A promise tells what its voter uses and has recorded, and what
 * the last epoch kept for all of them; a voter that could not say it would take no part any more. So each has its share of the largest message,
 * in bytes, by the names. A client's lock is told twice, for it is recorded as well.
 */
import type { NodeId } from '../effects.js';
import { claimOf, type EpochsContext } from './knowledge.js';
import type { Recorded } from './messages.js';

/** What a lock takes next to its name and its voter's id where an epoch tells who keeps it, and what its record takes. */
const BESIDE_NAME = 64;
const BESIDE_RECORD = 96;
/** A list that is changed to a larger one has as many to begin with. */
const VOTERS_MIN = 3;
/** The part of the largest message that is for what clients gave back in this epoch, which is recorded until it ends. */
const GIVEN_BACK = 1 / 8;

/** No lock that a client wants takes more, whatever its name and the ids. */
const LOCK_BYTES_MAX = 8_000;

const encoder = new TextEncoder();
const bytesOf = (text: string): number => encoder.encode(JSON.stringify(text)).length;

/** The share of each voter, in bytes: all keep what was theirs, each tells again what it uses, and half of them may take the other half's place. */
export const shareOf = (messageBytes: number, voters: readonly NodeId[]): number =>
  (messageBytes * (1 - GIVEN_BACK)) / (1.5 * Math.max(VOTERS_MIN, voters.length) + 1);

/** Who keeps a lock is told with it: the longest of their ids. */
export const bytesOfIds = (voters: readonly NodeId[]): number => Math.max(0, ...voters.map(bytesOf));

/** What these locks take of it. */
export function bytesOfLocks(locks: readonly string[], voters: readonly NodeId[]): number {
  const beside = BESIDE_NAME + bytesOfIds(voters);
  return locks.reduce((sum, lock) => sum + bytesOf(lock) + beside, 0);
}

/** What clients' locks take too: each once, however many of them want it. */
export function bytesOfRecords({ id, wants }: Pick<EpochsContext, 'id' | 'wants'>): number {
  const records = new Map<string, number>();
  for (const { node, lock } of wants) {
    if (node === id) continue;
    records.set(lock, Math.max(records.get(lock) ?? 0, bytesOf(lock) + BESIDE_RECORD + 2 * bytesOf(node)));
  }
  return [...records.values()].reduce((sum, bytes) => sum + bytes, 0);
}

/** True if a client may want the lock here, beside all that is wanted. */
export function hasRoomForClient(c: EpochsContext, lock: string, client: NodeId): boolean {
  const { id, claims, wants, bounds, membership } = c;
  const claim = claimOf(c, lock);
  // Another client has its place already.
  if (claim && claim.user !== id) return true;
  const share = shareOf(bounds.bytes, membership.voters);
  if ((claims.length + wants.length + 1) * LOCK_BYTES_MAX <= share) return true;
  const locks = claims.map((each) => each.lock);
  if (!claim) locks.push(lock);
  const bytes = bytesOfLocks(locks, membership.voters) + bytesOfRecords({ id, wants: [...wants, { node: client, lock }] });
  return bytes <= share;
}

/** By lists of records, which nobody changes: there may be thousands, and each grant of a client makes another list. */
const givenBack = new WeakMap<readonly Recorded[], number>();
const bytesGivenBackOf = ({ lock, client }: Recorded): number => (client === null ? bytesOf(lock) + BESIDE_RECORD : 0);

function bytesGivenBack(records: readonly Recorded[]): number {
  const bytes = givenBack.get(records) ?? records.reduce((sum, record) => sum + bytesGivenBackOf(record), 0);
  givenBack.set(records, bytes);
  return bytes;
}

/** With a record at its place, in that of an earlier one of its lock. */
export function withRecord(record: Recorded, place: number, records: readonly Recorded[]): readonly Recorded[] {
  const earlier = records[place]?.lock === record.lock ? records[place] : undefined;
  const after = records.toSpliced(place, earlier ? 1 : 0, record);
  givenBack.set(after, bytesGivenBack(records) + bytesGivenBackOf(record) - (earlier ? bytesGivenBackOf(earlier) : 0));
  return after;
}

/** Of the room for what was given back, whether so much is full. */
export const isGivenBackFull = ({ records, bounds }: Pick<EpochsContext, 'records' | 'bounds'>, part: number): boolean =>
  bytesGivenBack(records) >= bounds.bytes * GIVEN_BACK * part;
