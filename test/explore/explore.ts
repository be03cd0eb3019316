/**
 * The model checker. It explores every interleaving of deliveries, timers, reactions, commands and link changes of a small system, with
 * every result of its draws. It runs the protocol's production charts.
 *
 * The verdict is `valid` if every reachable state was found and no property is violated, and `unknown` if a bound was reached first. A
 * chart that violates its contract and a property that throws are reported as a `ProtocolError`, because no verdict would be reliable.
 * Examples of contract violations are a context that is not plain JSON, a message to an unknown node, and an impure guard.
 */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import type { Configuration, Property, Protocol, Instance, Topology } from '../../machines/protocol.js';
import { createMetric } from '../../network/topology/metric.js';
import { requireConnected, validateTopology } from '../../network/topology/validate.js';
import type { Bounds, Progress } from './bounds.js';
import { examine, type Exploration, type Question, type Reduction } from './examine.js';
import type { Budget } from '../../network/world/environment.js';
import type { Scripted } from '../../network/world/script.js';
import { corruptAtFirst, scriptOf } from './script.js';
import { requireProtocol } from '../../network/scenario/required.js';

/** A command that only one node may receive. */
export interface CommandAt {
  readonly node: NodeId;
  readonly command: string;
}

/** The questions of a search, its bounds and its methods. */
export interface SearchOptions {
  /**
   * Properties to check.
   *
   * @defaultValue the protocol's own
   */
  readonly properties?: readonly Property[];
  /** A condition that every state must be able to reach. States that cannot are doomed. */
  readonly goal?: (c: Configuration) => boolean;
  /** Limits of the search. A search that reaches one has the verdict `unknown`. @defaultValue the defaults of `Bounds` */
  readonly bounds?: Bounds;
  /**
   * Order of the search. Breadth-first search finds a shortest counterexample.
   *
   * @defaultValue `'breadth'`
   */
  readonly search?: 'breadth' | 'depth';
  /** A reduction of the states to search. @defaultValue none */
  readonly reduce?: Reduction;
  /**
   * Store 64 bits of each state instead of the whole state, to search larger systems. States may be missed: `chanceOfMiss` of the result is
   * an upper bound for the probability. Requires breadth-first search and excludes liveness properties.
   *
   * @defaultValue false
   */
  readonly compact?: boolean;
  /** The host's clock in milliseconds. Bounds in seconds and the seconds of the progress require it. */
  readonly now?: () => number;
  readonly onProgress?: (progress: Progress) => void;
}

/**
 * Options for `explore`: the network, what may happen in it, and how far to search.
 *
 * @public
 */
export interface ExploreOptions extends SearchOptions {
  readonly topology: Topology;
  /** The protocol's options, as in a scenario. @defaultValue `{}` */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Several options to begin with, in one search. Properties must not depend on what differs between them. */
  readonly initials?: readonly Readonly<Record<string, unknown>>[];
  /**
   * Commands that can happen.
   *
   * - `'unlimited'`: any command without fields, at every node, whenever its chart accepts it.
   * - `{ unlimited: [...] }`: the same for the listed commands, at every node or at one.
   * - A list of events: each can happen at any moment. Events of one node or one channel keep their order.
   *
   * @defaultValue no commands
   */
  readonly commands?: 'unlimited' | { readonly unlimited: readonly (string | CommandAt)[] } | readonly Scripted[];
  /** Each event of the list waits until no message of the previous one is in flight. @defaultValue false */
  readonly oneByOne?: boolean;
  /**
   * Order of messages on a channel.
   *
   * @defaultValue the protocol's own
   */
  readonly order?: 'fifo' | 'unordered';
  /**
   * Number of messages that may be lost or duplicated.
   *
   * @defaultValue no faults
   */
  readonly faults?: Budget;
  /**
   * Nodes that begin in every state that the protocol's corruption can choose, with every content of the channels between them.
   *
   * @defaultValue no nodes
   */
  readonly corrupt?: readonly NodeId[];
  /** Count the goal only where it holds from then on, whatever happens. @defaultValue false */
  readonly goalLasts?: boolean;
}

/** The commands of a protocol that need no fields, or the listed ones. */
function unlimitedOf(protocol: Protocol, commands: 'unlimited' | { readonly unlimited: readonly (string | CommandAt)[] }) {
  const free = Object.entries(protocol.commands).filter(([, { fields = [] }]) => fields.every(({ optional }) => optional));
  const names = commands === 'unlimited' ? free.map(([name]) => name) : commands.unlimited;
  return names.map((one) => {
    const { command: name, node } = typeof one === 'string' ? { command: one } : one;
    const command = free.find(([known]) => known === name)?.[1];
    if (!command) {
      const known = free.map(([name]) => name).join(', ');
      throw new UsageError(`Protocol ${protocol.name} has no command "${name}" without fields. Use one of: ${known}.`);
    }
    return { name, event: command.event({}), node };
  });
}

/**
 * Checks the properties of a protocol in every reachable state of a small system, for every order of messages, timers, commands and
 * faults, on the protocol's production charts.
 *
 * @param protocol the protocol to check.
 * @param options the network, what can happen in it, and the limits of the search.
 * @returns the verdict, the size of the search, and a counterexample if a property is violated.
 * @throws UsageError for an invalid network, option or command; ProtocolError for a chart that breaks its contract and for a property
 * that throws.
 * @example
 * ```ts
 * import { directory } from 'xstate-quiver/machines';
 * import { explore } from 'xstate-quiver/check';
 *
 * const topology = { nodes: ['a', 'b', 'c'], links: [['a', 'b', 1], ['b', 'c', 1]] } as const;
 * const { verdict, states, counterexample } = explore(directory, { topology, options: { policy: 'ivy' }, commands: 'unlimited' });
 * console.log(verdict, states, counterexample?.steps);
 * ```
 * @public
 */
export function explore(protocol: Protocol, options: ExploreOptions): Exploration {
  requireProtocol('explore', protocol);
  const { initials, commands = [], order = protocol.network.order, faults = {}, bounds = {} } = options;
  const graph = createMetric(validateTopology(options.topology));
  if (protocol.network.reach === 'routed') requireConnected(graph, `protocol ${protocol.name} sends from any node to any other`);
  const instanceOf = (raw: Readonly<Record<string, unknown>>): Instance => ({ ...graph, options: protocol.options(raw, graph) });
  const [first, ...others] = initials ?? [options.options ?? {}];
  if (!first) throw new UsageError('initials is an empty list. Leave it out, or list options to begin with.');
  const instance = instanceOf(first);
  const isScript = Array.isArray(commands);
  const script = scriptOf(isScript ? commands : [], protocol, graph);
  const question: Question = {
    protocol,
    instances: [instance, ...others.map(instanceOf)],
    corrupt: options.corrupt ?? corruptAtFirst(script),
    unlimited: isScript ? [] : unlimitedOf(protocol, commands as Exclude<typeof commands, readonly Scripted[]>),
    plan: { protocol, script, workload: undefined, budget: faults, oneByOne: options.oneByOne ?? false },
    order,
    properties: options.properties ?? protocol.properties(instance),
    goal: options.goal,
    goalLasts: options.goalLasts ?? false,
    bounds,
    search: options.search ?? 'breadth',
    reduce: options.reduce,
    compact: options.compact ?? false,
    now: options.now,
    onProgress: options.onProgress,
  };
  return examine(question);
}
