/** Numbers of epochs: which fencing tokens belong to an epoch, how many locks it has room for, and where each lock begins. */
import type { NodeId, Open } from '../effects.js';
import { hash } from '../hash.js';
import type { DirectoryInput } from '../directory/machine.js';
import { DIRECTORY } from '../directory/view.js';
import { directoryRole, type Beginning, type Held } from './messages.js';

export const isMajority = (count: number, voters: readonly NodeId[]): boolean => 2 * count > voters.length;

/**
 * Limits of an epoch: fences for the grants of each lock, locks in addition to those that its members want, and bytes of a message
 * (room.ts).
 */
export interface EpochBounds {
  readonly grants: number;
  readonly locks: number;
  readonly bytes: number;
}

/**
 * Later epochs have larger fences. With 8,192 fences for each epoch, the milliseconds of a clock can be epochs for 34 years, and fences are
 * exact numbers.
 */
export const BOUNDS: EpochBounds = { grants: 2 ** 13, locks: 10_000, bytes: 2 ** 23 };
export const EPOCH_MAX = 2 ** 53 / BOUNDS.grants;

/** An epoch is unreasonable if it exceeds the known ones by more than the milliseconds of a year. */
const YEAR = 366 * 24 * 60 * 60 * 1000;
/** A floor leaves room for this many epochs above it. */
export const FLOOR_MAX = EPOCH_MAX - YEAR;
export const isBeyondReason = (epoch: number, known: number): boolean => epoch > known + YEAR;

export const firstFence = (epoch: number, grants: number): number => epoch * grants;
/** True for a number that belongs to the next epoch. It is never granted in this one. */
export const isBeyond = (fence: number, epoch: number, grants: number): boolean => fence >= firstFence(epoch + 1, grants);
export const isHalfSpent = (fence: number, epoch: number, grants: number): boolean =>
  fence >= firstFence(epoch, grants) + grants / 2;

/**
 * The initial node of a lock's token in an epoch: its holder or one of its readers if the lock is kept; otherwise a member that the name
 * determines.
 */
export const rootOf = (lock: string, { members, kept }: Beginning): NodeId =>
  kept.find((held) => held.lock === lock)?.node ?? members[hash(lock) % members.length]!;

export const isKeptBy = ({ kept }: Beginning, node: NodeId, { lock, fence }: Held): boolean =>
  kept.some((held) => held.lock === lock && held.node === node && held.fence === fence);

/** The readers that keep the lock together as the epoch begins. */
export const readersOf = (lock: string, { kept }: Beginning): NodeId[] =>
  kept.filter((held) => held.lock === lock && held.mode === 'shared').map(({ node }) => node);

/** Opens a lock's directory at one member: all members point to the token. */
export function directoryOf(lock: string, id: NodeId, beginning: Beginning, grants: number): Open {
  const { epoch } = beginning;
  const input: DirectoryInput = {
    id,
    parent: rootOf(lock, beginning),
    edge: 'tree',
    policy: 'ivy',
    fence: firstFence(epoch, grants),
    copyset: readersOf(lock, beginning),
  };
  return { role: directoryRole(epoch, lock), chart: DIRECTORY, input };
}

export const byName = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** The index of a name in a sorted list of `count` names, or the index at which to insert it. */
export function bisect(name: string, count: number, nameAt: (place: number) => string): number {
  let [low, high] = [0, count];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (nameAt(middle) < name) low = middle + 1;
    else high = middle;
  }
  return low;
}
const placeAmong = (name: string, sorted: readonly string[]): number => bisect(name, sorted.length, (place) => sorted[place]!);
export const isAmong = (name: string, sorted: readonly string[]): boolean => sorted[placeAmong(name, sorted)] === name;
export const withName = (name: string, sorted: readonly string[]): readonly string[] =>
  isAmong(name, sorted) ? sorted : sorted.toSpliced(placeAmong(name, sorted), 0, name);
export const withoutName = (name: string, sorted: readonly string[]): readonly string[] =>
  isAmong(name, sorted) ? sorted.toSpliced(placeAmong(name, sorted), 1) : sorted;

/** The voters in the order in which a client tries them. Each client starts at another voter, which distributes the clients. */
export function turnsOf(client: NodeId, voters: readonly NodeId[]): NodeId[] {
  const first = hash(client) % (voters.length || 1);
  return [...voters.slice(first), ...voters.slice(0, first)];
}
