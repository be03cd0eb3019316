/** `xstate-quiver/check/swarm`: random scenarios with faults. It needs the package `fast-check`. */
export { swarm } from '../test/swarm/swarm.js';
