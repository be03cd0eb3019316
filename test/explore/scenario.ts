/**
 * Exhaustive checking of a scenario without its times.
 *
 * Every listed event can happen at any moment; events of one node, one channel or one link keep their order. A workload's commands happen
 * when it may issue them. A chance of loss means that any message may be lost, a chance of reordering that no channel keeps its order. A
 * corruption at the start of the list means that the search starts in every state that it can choose; a later one can happen at any moment.
 *
 * The choices of a counterexample can be replayed in a simulation of the same scenario without its workload, because its commands are
 * choices.
 */
import { UsageError } from '../../machines/errors.js';
import type { Scenario } from '../../network/scenario/types.js';
import { faultBudget } from '../../network/world/environment.js';
import type { SearchOptions } from './explore.js';
import { corruptAtFirst, scriptOf } from './script.js';
import { examine, type Exploration, type Question } from './examine.js';
import { requireScenario } from '../../network/scenario/required.js';

/** The bounds and methods of a search, for `checkScenario`. */
export interface CheckOptions extends SearchOptions {
  /**
   * Leave out liveness properties.
   *
   * @defaultValue false
   */
  readonly safety?: boolean;
}

/**
 * Checks a scenario exhaustively: its times are dropped, and every possible order of its events, messages and timers is searched.
 *
 * @param scenario the scenario to check, from `parseScenario`.
 * @param options the limits of the search and the properties to check.
 * @returns the verdict, the size of the search, and a counterexample if a property is violated.
 * @throws UsageError for a scenario with `contacts`, which depend on times, and for invalid options.
 * @example
 * ```ts
 * import { parseScenario } from 'xstate-quiver/network';
 * import { protocols } from 'xstate-quiver/machines';
 * import { checkScenario } from 'xstate-quiver/check';
 *
 * const json = { protocol: 'directory', topology: { kind: 'path', n: 3 }, events: [{ at: 0, node: 'n2', do: 'request' }] };
 * console.log(checkScenario(parseScenario(json, protocols)).verdict);
 * ```
 * @public
 */
export function checkScenario(scenario: Scenario, options: CheckOptions = {}): Exploration {
  requireScenario('checkScenario', scenario);
  return examine(questionOf(scenario, options));
}

export function questionOf(scenario: Scenario, options: CheckOptions): Question {
  const { protocol, graph, network, events, workload } = scenario;
  if (scenario.contacts.length > 0) {
    throw new UsageError('topology.contacts depends on times, and the checker drops them. List "cut" and "join" events instead.');
  }
  const instance = { ...graph, options: scenario.options };
  const properties = options.properties ?? protocol.properties(instance);
  const script = scriptOf(events, protocol, graph);
  return {
    protocol,
    instances: [instance],
    corrupt: corruptAtFirst(script),
    unlimited: [],
    plan: { protocol, script, workload, budget: faultBudget(network) },
    order: network.reorder > 0 ? 'unordered' : network.order,
    properties: properties.filter(({ kind }) => !options.safety || (kind !== 'eventually' && kind !== 'converges')),
    goal: options.goal,
    bounds: options.bounds ?? {},
    search: options.search ?? 'breadth',
    reduce: options.reduce,
    compact: options.compact ?? false,
    now: options.now,
    onProgress: options.onProgress,
  };
}
