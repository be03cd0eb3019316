/**
 * `xstate-quiver/election`: one leader among peers.
 *
 * @module xstate-quiver/election
 */
export { createElection, type Election } from '../adapters/election.js';
export { electionLogic, type ElectionNotice } from '../adapters/election-logic.js';
