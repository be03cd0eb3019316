/**
 * Quiver: distributed coordination as XState statecharts.
 *
 * This entry defines and simulates protocols. Each product has its own entry, such as `xstate-quiver/locks`, `/test`, `/check`, `/inspector` and
 * `/machines`.
 *
 * @module xstate-quiver
 */
import { isObject } from './machines/checks.js';
import { UsageError } from './machines/errors.js';
import type { Protocol } from './machines/protocol.js';
import type { Report } from './network/report.js';
import { readScenario } from './network/scenario/scenario.js';
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
export { defineCore, defineProtocol } from './machines/define.js';
export type { Checks, Configuration, Core, NetworkGraph, Property, Protocol, RoleView, View } from './machines/protocol.js';
/**
 * Checks for the fields of messages, for the `messages` of a description.
 *
 * @public
 */
export * as shapes from './machines/shapes.js';
export type { Report } from './network/report.js';
export { compile } from './network/world/compile.js';

/**
 * Runs a scenario to its end and returns its report: verdict, properties, messages and measurements. The same scenario gives the same run,
 * byte for byte.
 *
 * @param scenario as in a scenario file, with the description of a protocol instead of its name.
 * @throws UsageError that names what is wrong with it.
 * @example
 * ```ts
 * import { simulate } from 'xstate-quiver';
 * import { directory } from 'xstate-quiver/machines';
 *
 * const { verdict, messages } = simulate({
 *   protocol: directory,
 *   topology: { kind: 'ring', n: 8 },
 *   workload: { concurrent: 4, requests: 100 },
 * });
 * console.log(verdict, messages.total);
 * ```
 * @public
 */
export function simulate(scenario: unknown, options?: SimulationOptions): Report {
  const protocol = isObject(scenario) ? scenario['protocol'] : undefined;
  if (typeof protocol === 'string')
    throw new UsageError(
      `simulate takes the description of a protocol, and protocol is the name "${protocol}". Import it: import { protocols } from 'xstate-quiver/machines', and give protocol: protocols.${protocol}`,
    );
  if (!isObject(protocol) || typeof protocol['name'] !== 'string')
    throw new UsageError(
      "simulate needs a scenario with the description of a protocol. Import one: import { directory } from 'xstate-quiver/machines', and give protocol: directory",
    );
  return new Simulation(
    readScenario(scenario, () => protocol as unknown as Protocol),
    options,
  ).run();
}

/**
 * Locks have their own entry, `xstate-quiver/locks`, so that this entry loads no protocol. A call of this function throws and names that entry.
 *
 * @throws UsageError always.
 * @public
 */
export function createLocks(..._: readonly unknown[]): never {
  throw new UsageError("createLocks has its own entry; write import { createLocks } from 'xstate-quiver/locks'");
}
