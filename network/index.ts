/** The network: simulate a protocol on a topology, on a virtual clock, with faults, all from one seed. */
export { VirtualClock } from './clock.js';
export type { Medium } from './medium.js';
export { Network, type Notification, type StepTaken } from './network.js';
export { Recorder, traceHeader } from './recorder.js';
export type { Report, Verdict } from './report.js';
export type { Scenario, ScenarioEvent } from './scenario/types.js';
export type { Choice } from './world/choice.js';
export type { Lost } from './world/driver.js';
export { parseScenario } from './scenario/parse.js';
export { Simulation, type SimulationOptions } from './simulation.js';
export type { TraceLine } from './trace.js';
