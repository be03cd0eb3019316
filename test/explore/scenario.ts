/**
 * A scenario checked exhaustively: its times are dropped. Every listed event may happen at any moment, those of one node, one channel
 * or one link in their order; a workload's commands when it may issue them; with a chance of loss any message may be lost, with one of
 * reordering no channel keeps an order. A corruption that stands first is where the search begins, in every state that it can choose; a
 * later one may come at any moment, too.
 *
 * The choices of a counterexample can be made in a simulation of the same scenario without its workload, whose commands are choices.
 */
import { UsageError } from '../../machines/errors.js';
import type { Configuration, Property } from '../../machines/protocol.js';
import type { Scenario } from '../../network/scenario/types.js';
import type { Bounds, Progress } from './bounds.js';
import { faultBudget } from '../../network/world/environment.js';
import { corruptAtFirst, scriptOf } from './script.js';
import { examine, type Exploration, type Question, type Reduction } from './examine.js';
import { requireScenario } from '../../network/scenario/required.js';

export interface CheckOptions {
  readonly bounds?: Bounds;
  readonly search?: 'breadth' | 'depth';
  readonly reduce?: Reduction;
  /** Keeps 64 bits of each state instead of the whole: a state may be missed, and `chanceOfMiss` of the answer says how likely. */
  readonly compact?: boolean;
  /** The host's clock in milliseconds: bounds in seconds and the seconds of the progress need one. */
  readonly now?: () => number;
  readonly onProgress?: (progress: Progress) => void;
  /** The properties to check; the protocol's own unless told. */
  readonly properties?: readonly Property<any>[];
  /** Leaves out promises on endless runs. */
  readonly safety?: boolean;
  /** What every state must be able to lead to; states that cannot are doomed. */
  readonly goal?: (c: Configuration<any>) => boolean;
}

/**
 * A scenario checked exhaustively: its times are dropped, and whatever order its events, messages and timers can come in is tried.
 *
 * @throws UsageError for a scenario with `contacts`, which are about times, and for options that make no sense.
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
    throw new UsageError(
      'topology.contacts tells when links are there, and the checker drops times; list cuts and joins as events',
    );
  }
  const instance = { ...graph, options: scenario.options };
  const properties = options.properties ?? protocol.properties(instance);
  const script = scriptOf(events, protocol, graph);
  return {
    protocol,
    instances: [instance],
    corrupt: corruptAtFirst(script),
    unlimited: [],
    plan: {
      protocol,
      script,
      workload,
      budget: faultBudget(network),
    },
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
