/** Amoebots on top of local mutual exclusion: matter that moves on a triangular lattice, and hexagon formation. */
export { Hexagon, type Action, type Cell } from './hexagon.js';
export { keyOf, spiral, type Direction, type Point } from './lattice.js';
export { Matter, type Body, type Bond, type LinkChange } from './matter.js';
