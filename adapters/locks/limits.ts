/**
 * Limits of locks: how often each can be granted in an epoch, and how many can be in use. Rehearsals may use smaller ones to reach them.
 */
import { BOUNDS } from '../../machines/locks/epoch.js';
import { chosenHere } from '../limits.js';

interface LockLimits {
  /** The fences of an epoch for each lock. */
  readonly grants: number;
  /** The largest number of locks in use at a peer, and of locks for which an epoch has room in addition to those that its members want. */
  readonly openLocks: number;
}

const SHIPPED: LockLimits = { grants: BOUNDS.grants, openLocks: BOUNDS.locks };

/** The limits for locks that are created now. */
export const lockLimitsHere = (): LockLimits => chosenHere(SHIPPED);
