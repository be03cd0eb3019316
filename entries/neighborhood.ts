/** `xstate-quiver/neighborhood`: local mutual exclusion. */
export {
  createNeighborhood,
  neighborhoodLogic,
  type Neighborhood,
  type NeighborhoodEvent,
  type NeighborhoodNotice,
} from '../adapters/neighborhood.js';
