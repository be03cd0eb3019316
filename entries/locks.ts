/**
 * `xstate-quiver/locks`: distributed locks by name with fencing tokens, as an object and as XState actor logic, also between browser tabs.
 *
 * @module xstate-quiver/locks
 */
export { createLocks, type Lock, type LockSet, type Locks, type LocksOptions } from '../adapters/locks/locks.js';
export { lockLogic, lockLogicOf, type LockNotice } from '../adapters/locks/lock.js';
export { operatorListener } from '../adapters/locks/operator.js';
export { traced } from '../adapters/locks/traced.js';
export { createTabLocks } from '../adapters/locks/tab-locks.js';
export { ClosedError, LostError } from '../adapters/transports/errors.js';
