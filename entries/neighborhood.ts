/** `xstate-quiver/neighborhood`: local mutual exclusion. */
export { createNeighborhood, neighborhoodLogic, type Neighborhood, type NeighborhoodNotice } from '../adapters/neighborhood.js';
