/**
 * `xstate-quiver/check/swarm`: random scenarios with faults. It needs the package `fast-check`.
 *
 * @module xstate-quiver/check/swarm
 */
export { swarm } from '../test/swarm/swarm.js';
