/** `xstate-quiver/rehearsal`: an application under faults in one process and in virtual time. */
export { StaleFenceError, type FencedStore } from '../test/rehearsal/belongings.js';
export { diskStorage } from '../test/rehearsal/disk-storage.js';
export { formatFailure } from '../test/rehearsal/failure.js';
/**
 * The judges that watch a rehearsal, such as `judges.alone` and `judges.linearizable`.
 *
 * @experimental
 */
export * as judges from '../test/rehearsal/judge-list.js';
export { invariant, lockJudges, type RehearsalJudge } from '../test/rehearsal/judges.js';
export { rehearsalMatchers } from '../test/rehearsal/matchers.js';
export { natsBroker } from '../test/rehearsal/nats-broker.js';
export type { Main, RehearsedPeer } from '../test/rehearsal/peer.js';
export type { RehearseOptions } from '../test/rehearsal/options.js';
export { rehearse } from '../test/rehearsal/rehearse.js';
export type { RehearsalFailure } from '../test/rehearsal/report.js';
export { RehearsalReporter } from '../test/rehearsal/reporter.js';
