/** The network: simulate a protocol on a topology, on a virtual clock, with faults, all from one seed. */
export type { Conditions } from './arrivals.js';
export { VirtualClock } from './clock.js';
export type { HostKind } from './world/hosts.js';
export type { Medium } from './medium.js';
export { Network, type NetworkOptions, type Notice, type StepTaken } from './network.js';
export { Random } from './random.js';
export { Recorder, traceHeader } from './recorder.js';
export type { Report, Verdict } from './report.js';
export type { Scenario, ScenarioEvent } from './scenario/types.js';
export type { Choice } from './world/choice.js';
export type { Workload } from './world/environment.js';
export type { Lost } from './world/driver.js';
export { parseScenario } from './scenario/parse.js';
export { Simulation, type SimulationOptions } from './simulation.js';
export { createMetric, type Metric } from './topology/metric.js';
export { timingOn, Untimed, type Timing } from './timing.js';
export { isStep, TRACE_VERSION, type NetworkLine, type StepLine, type TraceHeader, type TraceLine } from './trace.js';
