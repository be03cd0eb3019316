/** Rehearsals: the code that ships, and an application on it, under faults in virtual time. It needs Node and fast-check, an optional peer. */
export { rehearse, type Rehearsal, type RehearseOptions } from './rehearse.js';
export { tellFailure, type Failure } from './failure.js';
export { rehearsalMatchers } from './matchers.js';
export type { Main, Peer } from './peer.js';
export { FAULTS, type Fault, type FaultKind, type Scenario } from './scenario.js';
export {
  alone,
  fences,
  invariant,
  lockJudges,
  noErrors,
  settles,
  undisturbed,
  type Hearing,
  type Judge,
  type Setting,
  type Verdict,
} from './judges.js';
export { StaleFenceError, type Store } from './belongings.js';
export type { Happening } from './world.js';
