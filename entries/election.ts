/** `xstate-quiver/election`: one leader among peers. */
export { createElection, type Election } from '../adapters/election.js';
export { electionLogic, type ElectionNotice } from '../adapters/election-logic.js';
