/**
 * A budget for another protocol: it stops after M messages, or after M nodes, wherever they are spent.
 *
 * Paper: Afek, Awerbuch, Plotkin, Saks, section 1. The protocol's charts are unchanged. Each node also has the roles of the resource
 * controller, and in between a purse (messages) or a gate (nodes) that requests a permit and waits for it. The controller's tree spans the
 * network, so that any number of nodes may begin (section 3: its cost then depends on all nodes, including those that do not participate).
 * The depth of a node is known from the start, so no join is requested.
 *
 * Fault model: that of the controller and that of the protocol together: FIFO links, nodes and links of the tree that do not fail.
 * Promises: at most M units are spent. If any request is rejected, at least M - W are spent in the end. Until then the protocol keeps its
 * own promises. If a link of the tree goes down, the nodes below it receive no more permits, and from then on nothing is promised about the
 * protocol.
 *
 * Limitations: nothing is promised about the protocol after its stop. Unsent messages are lost, so nodes that wait for them wait forever.
 */
import type { NodeId } from '../../effects.js';
import { UsageError } from '../../errors.js';
import { defineProtocol } from '../../define.js';
import type {
  Instance,
  NetworkGraph,
  OutsideEvent,
  Protocol,
  RoleStart,
  Configuration,
  Meter,
  Observer,
  Step,
} from '../../protocol.js';
import { isObject } from '../../checks.js';
import { controllerCore } from '../core.js';
import type { ControllerOptions } from '../options.js';
import { controllerVariants } from '../variants.js';
import { GATE, gateMachine } from './gate.js';
import { budgetProperties, spent } from './properties.js';
import { purseMachine } from './purse.js';
import { controlledPart, isOfController, LAYER, layerOf, PURSE, type BudgetOptions, isOfLayer, isStopped } from './view.js';

/** Unit of the budget: every message that the protocol sends to a node, or every node that participates in it. */
export type BudgetUnit = 'messages' | 'nodes';

type Node = { has(role: string): boolean };

const inController = (instance: Instance<BudgetOptions>): Instance<ControllerOptions> => ({
  ...instance,
  options: instance.options.budget,
});
const inControlled = (instance: Instance<BudgetOptions>): Instance => ({ ...instance, options: instance.options.controlled });

/**
 * Puts a budget on a protocol. The result is called `budget-` plus the name of the protocol. Its scenarios contain `options.budget` (`M`,
 * `W`, `kind` and other options of the controller) next to the options of the protocol.
 *
 * @param controlled any protocol with named nodes that does not run the resource controller itself.
 * @param unit meaning of a permit: a message to one node, or the participation of a node.
 * @returns the same protocol under a budget.
 * @throws `UsageError` if the protocol does not support a budget.
 * @example
 * ```ts
 * import { budgetOver, directory } from 'xstate-quiver/machines';
 * import { parseScenario, Simulation } from 'xstate-quiver/network';
 *
 * const frugal = budgetOver(directory, 'messages');
 * const scenario = {
 *   protocol: 'budget-directory',
 *   topology: { kind: 'ring', n: 8 },
 *   options: { budget: { kind: 'modified', M: 100 } },
 *   workload: { concurrent: 4, requests: 1000 },
 * };
 * new Simulation(parseScenario(scenario, { 'budget-directory': frugal })).run(); // ends after 100 messages of the directory
 * ```
 * @experimental
 */
export function budgetOver(controlled: Protocol, unit: BudgetUnit): Protocol<BudgetOptions> {
  refuseUnfit(controlled, unit);
  const isCounted = (role: string) => !isOfController(role) && role !== PURSE && role !== GATE;
  const asker = unit === 'messages' ? PURSE : GATE;
  return defineProtocol<BudgetOptions>(
    {
      name: `budget-${controlled.name}`,
      charts: { ...controlled.charts, ...controllerCore.charts, [asker]: askerOver(controlled, unit) },
      network: { ...controlled.network, order: 'fifo' },
      options: (raw, graph) => optionsOf(controlled, raw, graph),
      roles: (id, instance) => rolesOf(controlled, unit, id, instance),
      route: (event, node) => routeOf(controlled, event, node),
      wiring: {
        listener: (role) => (role === 'R.request' ? asker : controlled.wiring?.listener?.(role)),
        label: (role) => (isOfController(role) ? { [LAYER]: true } : controlled.wiring?.label?.(role)),
        takers: (event, node) => takersOf(controlled, event, node),
        carrier: (role) => (unit === 'messages' && isCounted(role) ? PURSE : undefined),
        isInner: (role) => role === 'R.request' || (controlled.wiring?.isInner?.(role) ?? false),
      },
      accepts: (message, instance) => accepts(controlled, message, instance),
      commands: controlled.commands,
      reactions: ({ controlled: options }) => controlled.reactions(options),
      ...(controlled.draws && { draws: ({ controlled: options }: BudgetOptions) => controlled.draws!(options) }),
    },
    { properties: (instance) => budgetProperties(controlled, instance) },
    {
      paper: `${controlled.paper}; under a budget: Afek, Awerbuch, Plotkin, Saks (J. ACM 43, 1996)`,
      observe: (instance) => new BudgetAccount(instance),
      ...(controlled.overlay && {
        overlay: (node, id, links, c) =>
          controlled.overlay!(controlledPart(node), id, links, layerOf(c as never, controlledPart, 'controlled')),
      }),
    },
  );
}

function refuseUnfit({ name, network, charts, wiring }: Protocol, unit: string): void {
  const refuse = (why: string): never => {
    throw new UsageError(`Protocol ${name} cannot run with a budget: ${why}`);
  };
  if (unit !== 'messages' && unit !== 'nodes') refuse(`"${unit}" is not a unit. Choose messages or nodes.`);
  if (network.addressing === 'ports')
    refuse('its nodes have no names, which the tree of the controller needs. Choose another protocol.');
  if (wiring?.carrier) refuse('its own link layer carries its messages. Put the budget under that layer.');
  const twice = Object.keys(charts).find((chart) => chart in controllerCore.charts);
  if (twice !== undefined) refuse(`both it and the controller have a chart "${twice}". Rename the chart.`);
}

function askerOver({ messages = {}, commands, route }: Protocol, unit: BudgetUnit) {
  if (unit === 'messages') return purseMachine();
  const asked = Object.values(commands).map((command) => command.event({}).type);
  return gateMachine([...new Set([...Object.keys(messages), ...asked])], route);
}

function optionsOf(controlled: Protocol, raw: Readonly<Record<string, unknown>>, graph: NetworkGraph): BudgetOptions {
  const { budget, ...rest } = raw;
  if (!isObject(budget))
    throw new UsageError('options.budget must be an object with at least the number of permits. Set "budget": { "M": 100 }.');
  const { kind } = budget;
  if (kind === 'names' || kind === 'bank')
    throw new UsageError(
      `options.budget.kind "${kind}" grants no permits. Choose naive, bins, basic, main, modified or adaptive.`,
    );
  return { budget: budgetRead(() => controllerVariants(budget, graph)), controlled: controlled.options(rest, graph) };
}

function rolesOf(controlled: Protocol, unit: BudgetUnit, id: NodeId, instance: Instance<BudgetOptions>): RoleStart[] {
  const behind = controlled.roles(id, inControlled(instance));
  const asker: RoleStart =
    unit === 'messages'
      ? { role: PURSE, chart: PURSE, input: undefined }
      : { role: GATE, chart: GATE, input: { behind: behind.map(({ role }) => role) } };
  return [...controllerCore.roles(id, inController(instance)), asker, ...behind];
}

function routeOf(controlled: Protocol, event: OutsideEvent, node: Node): string {
  if (LAYER in event) return controllerCore.route(event, node);
  // The links of a node exist independent of its participation.
  return node.has(GATE) && !isOfLink(event) ? GATE : controlled.route(event, node);
}

const isOfLink = ({ type }: OutsideEvent): boolean => type === 'link.up' || type === 'link.down';

/** Both layers are notified of links: the controller is cut off where a link of its tree goes down. */
function takersOf(controlled: Protocol, event: OutsideEvent, node: Node): readonly string[] {
  if (!isOfLink(event)) return [routeOf(controlled, event, node)];
  const above = controlled.wiring?.takers?.(event, node) ?? [controlled.route(event, node)];
  return [...above, controllerCore.route(event, node)].filter((role) => node.has(role));
}

function accepts(controlled: Protocol, message: unknown, instance: Instance<BudgetOptions>): boolean {
  if (!isObject(message) || !(LAYER in message)) return controlled.accepts(message, inControlled(instance));
  const { [LAYER]: layer, ...rest } = message;
  return layer === true && controllerCore.accepts(rest, inController(instance));
}

/** Reads the controller's options. Errors name them with their path in the scenario. */
function budgetRead<T>(read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UsageError) throw new UsageError(error.message.replace(/\boptions\./, 'options.budget.'));
    throw error;
  }
}

/** Counts the units that a protocol under a budget has spent, and the messages that the controller needed in addition. */
class BudgetAccount implements Observer {
  private controllerMessages = 0;
  private ownMessages = 0;
  private exhausted = false;

  constructor(private readonly instance: Instance<BudgetOptions>) {}

  record({ sent, emitted }: Step): void {
    for (const flight of sent) {
      if (isOfLayer(flight)) this.controllerMessages++;
      else this.ownMessages++;
    }
    this.exhausted ||= emitted.some(({ type }) => type === 'exhausted');
  }

  summary(c: Configuration): Readonly<Record<string, unknown>> {
    const stopped: NodeId[] = [...c.nodes].filter(([, node]) => isStopped(node)).map(([id]) => id);
    return {
      spent: spent(c as Configuration<BudgetOptions>),
      messages: { own: this.ownMessages, controller: this.controllerMessages },
      exhausted: this.exhausted,
      stopped,
    };
  }

  meters(c: Configuration): readonly Meter[] {
    const { M } = this.instance.options.budget;
    const units = spent(c as Configuration<BudgetOptions>);
    const perUnit = units === 0 ? 0 : this.controllerMessages / units;
    return [
      { name: 'units spent', measured: units, bound: M, ratio: M === 0 ? null : units / M },
      { name: "controller's messages per unit", measured: perUnit, bound: null, ratio: null },
    ];
  }
}
