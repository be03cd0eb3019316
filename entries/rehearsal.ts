/**
 * `xstate-quiver/rehearsal`: runs all processes of an application in one process and in virtual time, under faults, to find violations.
 *
 * @module xstate-quiver/rehearsal
 */
export { StaleFenceError } from '../test/rehearsal/belongings.js';
export { diskStorage } from '../test/rehearsal/disk-storage.js';
export { formatFailure } from '../test/rehearsal/failure.js';
/**
 * The judges that watch a rehearsal, such as `judges.alone` and `judges.linearizable`.
 *
 * @experimental
 */
export * as judges from '../test/rehearsal/judge-list.js';
export { invariant, lockJudges } from '../test/rehearsal/judges.js';
export { rehearsalMatchers } from '../test/rehearsal/matchers.js';
export { natsBroker } from '../test/rehearsal/nats-broker.js';
export type { Main, RehearsedPeer } from '../test/rehearsal/peer.js';
export { rehearse } from '../test/rehearsal/rehearse.js';
export { RehearsalReporter } from '../test/rehearsal/reporter.js';
