/** Amoebots on top of local mutual exclusion: matter that moves on a triangular lattice, hexagon formation, and a train. */
export { Hexagon, type Cell } from './hexagon.js';
export { keyOf, spiral, type Point } from './lattice.js';
export { Matter, type Body } from './matter.js';
export { Operations } from './operations.js';
export { Train, type Carriage } from './train.js';
