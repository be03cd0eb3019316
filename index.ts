/**
 * Quiver: distributed coordination as XState statecharts.
 *
 * `simulate` runs a scenario and returns its report. The rest stands in the subpaths: `xstate-quiver/network`, `/test`, `/inspector`,
 * `/machines/<protocol>` and `/adapters/<name>`.
 */
import { protocols } from './machines/index.js';
import type { Report } from './network/report.js';
import { parseScenario } from './network/scenario/parse.js';
import { Simulation, type SimulationOptions } from './network/simulation.js';

export {
  arm,
  close,
  disarm,
  draw,
  effects,
  open,
  send,
  store,
  tell,
  withEvent,
  type Message,
  type NodeId,
} from './machines/effects.js';
export { ProtocolError, UsageError } from './machines/errors.js';
export { protocols } from './machines/index.js';
export { defineCore, defineProtocol } from './machines/define.js';
export type {
  Checks,
  Configuration,
  Core,
  Flight,
  Instance,
  NetworkGraph,
  NodeView,
  Observer,
  Property,
  Protocol,
  RoleView,
  Step,
  View,
} from './machines/protocol.js';
export * as shapes from './machines/shapes.js';
export { STORAGE, storageMachine } from './machines/storage.js';
export { nobodyIsStuck } from './machines/stuck.js';
export type { Report } from './network/report.js';
export { compile } from './network/world/compile.js';
export { Simulation, type SimulationOptions } from './network/simulation.js';
export { parseScenario };

/** Runs a scenario (the JSON of the documentation, parsed) to its end. Throws a `UsageError` that names what is wrong with it. */
export const simulate = (scenario: unknown, options?: SimulationOptions): Report =>
  new Simulation(parseScenario(scenario, protocols), options).run();
