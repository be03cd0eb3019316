/**
 * `xstate-quiver/neighborhood`: local mutual exclusion, a lock on a peer together with all peers that are connected to it.
 *
 * @module xstate-quiver/neighborhood
 */
export { createNeighborhood, neighborhoodLogic, type Neighborhood, type NeighborhoodNotice } from '../adapters/neighborhood.js';
