/**
 * `xstate-quiver/neighborhood`: local mutual exclusion.
 *
 * @module xstate-quiver/neighborhood
 */
export { createNeighborhood, neighborhoodLogic, type Neighborhood, type NeighborhoodNotice } from '../adapters/neighborhood.js';
