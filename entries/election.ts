/**
 * `xstate-quiver/election`: elects one leader among connected peers.
 *
 * @module xstate-quiver/election
 */
export { createElection, type Election } from '../adapters/election.js';
export { watchElection, type ElectionWatch } from '../adapters/election-watch.js';
export { electionLogic, type ElectionNotice } from '../adapters/election-logic.js';
