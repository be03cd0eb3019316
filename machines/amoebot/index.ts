/** Amoebots on top of local mutual exclusion: matter that moves on a triangular lattice, and hexagon formation. */
export { Hexagon, type Cell } from './hexagon.js';
export { keyOf, spiral, type Point } from './lattice.js';
export { Matter, type Body } from './matter.js';
