/** `xstate-quiver/election`: one leader among peers. */
export { createElection, type Election } from '../adapters/election.js';
