/**
 * Places in the queue, and totally ordered multicast on top of them, as an application loads them. All nodes are linked with each other; the
 * queue uses the links of its tree.
 */
import type { AnyStateMachine } from 'xstate';
import { coreOf } from '../../core.js';
import { isIntegerOf } from '../../checks.js';
import type { NodeId } from '../../effects.js';
import { UsageError } from '../../errors.js';
import type { Core, CoreDescription, Instance, NetworkGraph } from '../../protocol.js';
import { convergenceTicks } from '../bounds.js';
import { queueCore } from '../core.js';
import { POINTER } from '../messages.js';
import { queueOptions, type QueueOptions } from '../options.js';
import { DELIVERY, deliveryMachine, deliveryMessages, type DeliveryInput } from './delivery.js';
import { PLACES, placesMachine, placesMessages, type PlacesInput } from './places.js';

/** Options of the applications: those of the queue with a fixed tree, and these. */
export interface PlacesOptions extends QueueOptions {
  /** Number of runs from which a node draws one when it starts. More than 1 if nodes restart. */
  readonly runs: number;
  /** True to keep all delivered messages in the state of each node, for the checks. */
  readonly log: boolean;
}

/** Largest number of runs. Live nodes use it. */
export const RUNS_MAX = 2 ** 32;

type Raw = Readonly<Record<string, unknown>>;

export function placesOptions({ runs = 1, log = true, ...raw }: Raw, graph: NetworkGraph): PlacesOptions {
  if (!isIntegerOf(runs, 1, RUNS_MAX))
    throw new UsageError(`options.runs is ${JSON.stringify(runs)}. Use an integer from 1 to ${RUNS_MAX}.`);
  if (typeof log !== 'boolean') throw new UsageError(`options.log is ${JSON.stringify(log)}. Use true or false.`);
  return { ...fixedQueueOptions(raw, graph), runs, log };
}

/** Options of the queue below an application, whose messages do not follow the tree. */
export function fixedQueueOptions(raw: Raw, graph: NetworkGraph): QueueOptions {
  if (raw['tree'] === 'stabilizing')
    throw new UsageError(
      'options.tree: an application of the queue needs tree "fixed", because its messages do not follow the tree. Omit the option.',
    );
  return queueOptions(raw, graph);
}

/**
 * Ticks after a fault within which the queue is legal and every older request is placed or destroyed: the repair, and the way of a request
 * through the tree with its answer.
 */
export const patienceTicks = (instance: Instance<PlacesOptions>): number =>
  convergenceTicks(instance) + instance.topology.nodes.length * instance.options.roundTrip;

const placesInput = (node: NodeId, instance: Instance<PlacesOptions>): PlacesInput => ({
  node,
  runs: instance.options.runs,
  patience: patienceTicks(instance),
});

const deliveryInput = (node: NodeId, instance: Instance<PlacesOptions>): DeliveryInput => ({
  node,
  others: instance.topology.nodes.filter((other) => other !== node),
  gap: instance.options.roundTrip,
  again: 2 * patienceTicks(instance),
  keepsLog: instance.options.log,
});

/** An application of a core on the queue: one more role on each node, which receives the notices of a role of the core below. */
interface Layer<O, N extends string> extends Pick<
  CoreDescription<O, N>,
  'name' | 'options' | 'messages' | 'notices' | 'commands' | 'reactions'
> {
  readonly role: string;
  readonly machine: AnyStateMachine;
  readonly input: (node: NodeId, instance: Instance<O>) => unknown;
  /** Messages and commands that the role receives. */
  readonly events: readonly string[];
  /** Role below whose notices go to the new role instead of the application. */
  readonly listensTo: string;
}

/** The core of an application on a core below, with the charts, messages and roles of both. */
export function stackedOn<B, O extends B, N extends string = string>(
  below: Core<B>,
  { role, machine, input, events, listensTo, messages, ...layer }: Layer<O, N>,
): Core<O, N> {
  const { listener, isInner } = below.wiring ?? {};
  return coreOf<O, N>({
    ...layer,
    charts: { ...below.charts, [role]: machine },
    network: below.network,
    roles: (node, instance) => [...below.roles(node, instance), { role, chart: role, input: input(node, instance) }],
    route: (event, node) => (events.includes(event.type) ? role : below.route(event, node)),
    wiring: {
      listener: (sender) => (sender === listensTo ? role : listener?.(sender)),
      isInner: (sender) => sender === listensTo || (isInner?.(sender) ?? false),
    },
    messages: { ...below.messages, ...messages },
  });
}

/**
 * Places in the queue, for `createNode`. `createQueue` uses it.
 *
 * @public
 */
export const placesCore = /* @__PURE__ */ stackedOn(queueCore, {
  name: 'places',
  role: PLACES,
  machine: placesMachine,
  input: placesInput,
  events: ['place', 'follows', 'ask'],
  listensTo: POINTER,
  options: placesOptions,
  notices: ['placed', 'followed'],
  messages: placesMessages,
  commands: { place: { waits: true, completedBy: ['placed'] } },
});

/**
 * Totally ordered multicast, for `createNode`. `createMulticast` uses it.
 *
 * @public
 */
export const multicastCore = /* @__PURE__ */ stackedOn(placesCore, {
  name: 'multicast',
  role: DELIVERY,
  machine: deliveryMachine,
  input: deliveryInput,
  events: ['multicast', 'deliver', 'gone'],
  listensTo: PLACES,
  options: placesOptions,
  notices: ['sent', 'delivered'],
  messages: deliveryMessages,
  commands: {
    multicast: { event: ({ message = null }) => ({ type: 'multicast', message }) as never, waits: true, completedBy: ['sent'] },
  },
});
