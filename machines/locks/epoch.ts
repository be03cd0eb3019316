/** The arithmetic of epochs: how grants are numbered, for how many locks there is room, and where tokens lie at the start. */
import type { NodeId, Open } from '../effects.js';
import { hash } from '../hash.js';
import type { DirectoryInput } from '../directory/machine.js';
import { DIRECTORY } from '../directory/view.js';
import { directoryRole, type Beginning, type Held } from './messages.js';

export const isMajority = (count: number, voters: readonly NodeId[]): boolean => 2 * count > voters.length;

/**
 * How many numbers an epoch has for the grants of each lock, for how many locks it has room besides those that its members want, and how
 * many bytes a message may have (room.ts).
 */
export interface EpochBounds {
  readonly grants: number;
  readonly locks: number;
  readonly bytes: number;
}

/**
 * Later epochs number their grants higher. Eight thousand to an epoch: so the milliseconds of a clock can be epochs for 34 years, and
 * fences are exact.
 */
export const BOUNDS: EpochBounds = { grants: 2 ** 13, locks: 10_000, bytes: 2 ** 23 };
export const EPOCH_MAX = 2 ** 53 / BOUNDS.grants;

/** An epoch further above what is known than a year has milliseconds is beyond reason. */
const YEAR = 366 * 24 * 60 * 60 * 1000;
/** A floor leaves so many epochs above it. */
export const FLOOR_MAX = EPOCH_MAX - YEAR;
export const isBeyondReason = (epoch: number, known: number): boolean => epoch > known + YEAR;

export const firstFence = (epoch: number, grants: number): number => epoch * grants;
/** Beyond them the numbers are those of the next epoch: nothing is granted with one. */
export const isBeyond = (fence: number, epoch: number, grants: number): boolean => fence >= firstFence(epoch + 1, grants);
export const isHalfSpent = (fence: number, epoch: number, grants: number): boolean =>
  fence >= firstFence(epoch, grants) + grants / 2;

/** Where the token of a lock lies at the start of an epoch: with the user that is kept, or one of those who read, else with a member that the name gives. */
export const rootOf = (lock: string, { members, kept }: Beginning): NodeId =>
  kept.find((held) => held.lock === lock)?.node ?? members[hash(lock) % members.length]!;

export const isKeptBy = ({ kept }: Beginning, node: NodeId, { lock, fence }: Held): boolean =>
  kept.some((held) => held.lock === lock && held.node === node && held.fence === fence);

/** Who reads as the epoch begins: they keep the lock together. */
export const readersOf = (lock: string, { kept }: Beginning): NodeId[] =>
  kept.filter((held) => held.lock === lock && held.mode === 'shared').map(({ node }) => node);

/** Opens a lock's directory at one member: everybody points to the token. */
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

/** Where a name is in a sorted list of so many names, or would stand. */
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

/** The voters among whom a client seeks one, in its order: each client begins elsewhere, so that each voter has its share of them. */
export function turnsOf(client: NodeId, voters: readonly NodeId[]): NodeId[] {
  const first = hash(client) % (voters.length || 1);
  return [...voters.slice(first), ...voters.slice(0, first)];
}
