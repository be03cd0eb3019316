/**
 * `xstate-quiver/network`: the simulator: scenarios, topologies, virtual time, runs and their traces.
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
