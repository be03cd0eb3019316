/**
 * Explores every way in which a small system can go: all interleavings of deliveries, timers, reactions, commands and link changes,
 * and all answers to draws, on the protocol's real charts.
 *
 * `valid` says that every reachable state was seen and no property is violated; `unknown` that a bound was met first, and which.
 * A chart that breaks its contract (a context that is not a plain JSON, a message to nobody, a guard that is not pure) and a property
 * that throws are reported as a `ProtocolError`, for then there is no honest verdict.
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

/** A command that one node alone is given. */
export interface CommandAt {
  readonly node: NodeId;
  readonly command: string;
}

/**
 * Options for `explore`: the network, what may happen in it, and how far to search.
 *
 * @public
 */
export interface ExploreOptions {
  readonly topology: Topology;
  /** The protocol's options, as in a scenario. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** Several options to begin with, in one search: what differs between them must not matter to the properties. */
  readonly initials?: readonly Readonly<Record<string, unknown>>[];
  /**
   * `unlimited`: every node may be given any command without fields at any time that its chart accepts it; or those named, at every node
   * or at one. A list of events: each may happen at any moment, those of one node or one channel in their order. None unless told.
   */
  readonly commands?: 'unlimited' | { readonly unlimited: readonly (string | CommandAt)[] } | readonly Scripted[];
  /** Each event of the list waits until nothing is in flight any more after the one before. */
  readonly oneByOne?: boolean;
  /** The protocol's own unless told. */
  readonly order?: 'fifo' | 'unordered';
  readonly faults?: Budget;
  /** Nodes that begin in every state that the protocol's corruption can choose, with every content of the channels between them. */
  readonly corrupt?: readonly NodeId[];
  /** The properties to check; the protocol's own unless told. */
  readonly properties?: readonly Property<any>[];
  /** What every state must be able to lead to; states that cannot are doomed. */
  readonly goal?: (c: Configuration<any>) => boolean;
  /** The goal counts only where it holds from then on, whatever happens. */
  readonly goalLasts?: boolean;
  readonly bounds?: Bounds;
  /** Breadth first unless told: the way to a violation is a shortest one then. */
  readonly search?: 'breadth' | 'depth';
  readonly reduce?: Reduction;
  /**
   * Keeps 64 bits of each state instead of the whole, to go further than memory would let it. Some state may be missed then:
   * `chanceOfMiss` of the answer says how likely that is at most. Breadth first, and not for promises on endless runs.
   */
  readonly compact?: boolean;
  /** The host's clock in milliseconds: bounds in seconds and the seconds of the progress need one. */
  readonly now?: () => number;
  readonly onProgress?: (progress: Progress) => void;
}

/** The commands of a protocol that need no fields, or those named. */
function unlimitedOf(protocol: Protocol, commands: 'unlimited' | { readonly unlimited: readonly (string | CommandAt)[] }) {
  const free = Object.entries(protocol.commands).filter(([, { fields = [] }]) => fields.every(({ optional }) => optional));
  const names = commands === 'unlimited' ? free.map(([name]) => name) : commands.unlimited;
  return names.map((one) => {
    const { command: name, node } = typeof one === 'string' ? { command: one } : one;
    const command = free.find(([known]) => known === name)?.[1];
    if (!command) {
      throw new UsageError(
        `protocol ${protocol.name} has no command "${name}" without fields; it has ${free.map(([known]) => known).join(', ')}`,
      );
    }
    return { name, event: command.event({}), node };
  });
}

/**
 * Searches every state that a small system can reach, whatever the order of messages, timers, commands and faults, on the
 * protocol's real charts, and judges its properties.
 *
 * @throws UsageError for a network, an option or a command that makes no sense; ProtocolError for a chart that breaks its contract
 * and a property that throws.
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
  const instanceOf = (raw: Readonly<Record<string, unknown>>): Instance<any> => ({
    ...graph,
    options: protocol.options(raw, graph),
  });
  const [first, ...others] = initials ?? [options.options ?? {}];
  if (!first) throw new UsageError('initials is an empty list; leave it out or name options to begin with');
  const instance = instanceOf(first);
  const isScript = Array.isArray(commands);
  const script = scriptOf(isScript ? commands : [], protocol, graph);
  const question: Question = {
    protocol,
    instances: [instance, ...others.map(instanceOf)],
    corrupt: options.corrupt ?? corruptAtFirst(script),
    unlimited: isScript ? [] : unlimitedOf(protocol, commands as Exclude<typeof commands, readonly Scripted[]>),
    plan: {
      protocol,
      script,
      workload: undefined,
      budget: faults,
      oneByOne: options.oneByOne ?? false,
    },
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
