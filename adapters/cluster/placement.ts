/**
 * Placement `balance`: the order in which members are asked to host an actor. It differs for each actor, which distributes actors evenly.
 */
import type { NodeId } from '../../machines/effects.js';
import { hash } from '../../machines/hash.js';

/** The members in the order in which they are asked to host an actor. Members that are not connected come last. */
export function preferredFor(
  key: string,
  members: readonly NodeId[],
  isConnected: (member: NodeId) => boolean,
): readonly NodeId[] {
  const rank = (member: NodeId): number => mixed(hash(`${member} ${key}`)) + (isConnected(member) ? 0 : 2 ** 32);
  return members.toSorted((one, other) => rank(one) - rank(other));
}

/** Spreads a hash over 32 bits, because hashes of similar texts differ little. This is the finalizer of MurmurHash3. */
function mixed(h: number): number {
  let mix = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  mix = Math.imul(mix ^ (mix >>> 13), 0xc2b2ae35);
  return (mix ^ (mix >>> 16)) >>> 0;
}
