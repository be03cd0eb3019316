/**
 * `xstate-quiver/network`: the simulator by its parts.
 *
 * @module xstate-quiver/network
 */
export { VirtualClock } from '../network/clock.js';
export type { Medium } from '../network/medium.js';
export { networkOn } from '../network/network-on.js';
export { Recorder, traceHeader } from '../network/recorder.js';
export { parseScenario } from '../network/scenario/parse.js';
export { Simulation } from '../network/simulation.js';
export type { TraceLine } from '../network/trace.js';
