/** `xstate-quiver/network`: the simulator by its parts. */
export { VirtualClock } from '../network/clock.js';
export type { Medium } from '../network/medium.js';
export { Network } from '../network/network.js';
export { networkOn } from '../network/network-on.js';
export { Recorder, traceHeader } from '../network/recorder.js';
export type { Scenario } from '../network/scenario/types.js';
export { parseScenario } from '../network/scenario/parse.js';
export { Simulation, type SimulationOptions } from '../network/simulation.js';
export type { TraceLine } from '../network/trace.js';
