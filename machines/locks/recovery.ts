/**
 * Forced recovery (rule 15): the state with which a voter starts as the only voter, after a majority of the voters is gone for good. An
 * operator decides it; no protocol can, because a majority that is gone and a majority that is cut off look the same.
 */
import type { NodeId } from '../effects.js';
import { listToBe, type Standing } from './knowledge.js';
import type { Membership } from './membership.js';

/** Larger than any number of epochs and of lists that the lost voters can have decided without this one. */
const EPOCHS_UNKNOWN = 2 ** 20;
const LISTS_UNKNOWN = 2 ** 10;

/** The largest epoch that the voter knows. */
export const largestEpochOf = ({ promised, served, pending }: Standing): number =>
  Math.max(served.epoch, ...[...pending, ...(promised ? [promised] : [])].map(({ epoch }) => epoch));

/** No lock is kept: a later epoch, which this voter does not know, may have granted it to another peer. */
export function recovered(id: NodeId, standing: Standing): Standing {
  const { promised, served, pending } = standing;
  const { origin, version } = listToBe(standing);
  const versions = [...pending, ...(promised ? [promised] : [])].map(({ next }) => next.version);
  const membership: Membership = { version: Math.max(version, ...versions) + LISTS_UNKNOWN, voters: [id], origin };
  return {
    memory: 'known',
    promised: { epoch: largestEpochOf(standing) + EPOCHS_UNKNOWN, proposer: id, members: [id], next: membership },
    served: { ...served, kept: [] },
    pending: [],
    membership,
  };
}
