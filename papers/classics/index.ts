/** The classics: every textbook's algorithms, each a file of charts and one of description. docs/classics.md lists them. */
export { bakery } from './bakery.js';
export { benOr } from './ben-or.js';
export { chandyLamport } from './chandy-lamport.js';
export { dijkstraRing } from './dijkstra-ring.js';
export { dijkstraScholten } from './dijkstra-scholten.js';
export { echo } from './echo.js';
export { gCounter } from './g-counter.js';
export { hirschbergSinclair } from './hirschberg-sinclair.js';
export { naimiTrehel } from './naimi-trehel.js';
export { paxos } from './paxos.js';
export { raftElection } from './raft-election.js';
export { ricartAgrawala } from './ricart-agrawala.js';
export { suzukiKasami } from './suzuki-kasami.js';
export { twoPhaseCommit } from './two-phase-commit.js';
export { ring as changRoberts } from '../../examples/own-protocol/index.js';
