/** Rehearsals: the code that ships, and an application on it, under faults in virtual time. It needs Node and fast-check, an optional peer. */
export { rehearse, type Rehearsal, type RehearseOptions } from './rehearse.js';
export { tellFailure, type RehearsalFailure } from './failure.js';
export { rehearsalMatchers } from './matchers.js';
export { RehearsalReporter } from './reporter.js';
export type { Main, RehearsedPeer } from './peer.js';
export { diskStorage } from './disk-storage.js';
export { natsBroker } from './nats-broker.js';
export type { RehearsalFault } from './scenario.js';
export { alone, fences, invariant, lockJudges, noErrors, settles, undisturbed, type RehearsalJudge } from './judges.js';
export { bounded, delivery, linearizable, noLeaks, oneLeader, unique, withinBudget } from './object-judges.js';
export { sequentialRegister, type ObjectOperation, type SequentialObject } from './linearizability.js';
export { StaleFenceError, type FencedStore } from './belongings.js';
