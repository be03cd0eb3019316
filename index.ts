/**
 * Quiver: distributed coordination as XState statecharts.
 *
 * `simulate` runs a scenario and returns its report. The rest is in the subpaths: `xstate-quiver/network`, `/test`, `/inspector`,
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
/**
 * Checks for the fields of messages, for the `messages` of a description.
 *
 * @public
 */
export * as shapes from './machines/shapes.js';
export { STORAGE, storageMachine } from './machines/storage.js';
export { nobodyIsStuck } from './machines/stuck.js';
export type { Report } from './network/report.js';
export { compile } from './network/world/compile.js';
export { Simulation, type SimulationOptions } from './network/simulation.js';
export { parseScenario };

/**
 * Runs a scenario to its end and reports what came of it: verdict, properties, messages and measurements. The same scenario gives
 * the same run, byte for byte.
 *
 * @param scenario the JSON of the documentation, parsed.
 * @throws UsageError that names what is wrong with it.
 * @example
 * ```ts
 * import { simulate } from 'xstate-quiver';
 *
 * const { verdict, messages } = simulate({
 *   protocol: 'directory',
 *   topology: { kind: 'ring', n: 8 },
 *   workload: { concurrent: 4, requests: 100 },
 * });
 * console.log(verdict, messages.total);
 * ```
 * @public
 */
export const simulate = (scenario: unknown, options?: SimulationOptions): Report =>
  new Simulation(parseScenario(scenario, protocols), options).run();
