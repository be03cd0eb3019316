/**
 * `xstate-quiver/locks`: locks by name, as an object and as actor logic, and locks of browser tabs.
 *
 * @module xstate-quiver/locks
 */
export { createLocks, type Lock, type LockSet, type Locks, type LocksOptions } from '../adapters/locks/locks.js';
export { lockLogic, lockLogicOf, type LockNotice } from '../adapters/locks/lock.js';
export { createTabLocks } from '../adapters/locks/tab-locks.js';
export { ClosedError, LostError } from '../adapters/transports/errors.js';
