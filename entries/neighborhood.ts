/** `xstate-quiver/neighborhood`: local mutual exclusion. */
export { createNeighborhood, type Neighborhood } from '../adapters/neighborhood.js';
