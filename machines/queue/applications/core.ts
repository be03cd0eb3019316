/**
 * Places in the queue, and totally ordered multicast on top of them, as an application loads them. All nodes are linked with each other; the
 * queue uses the links of its tree.
 */
import { coreOf } from '../../core.js';
import { isIntegerOf } from '../../checks.js';
import type { NodeId } from '../../effects.js';
import { UsageError } from '../../errors.js';
import type { Instance, NetworkGraph, NetworkNeeds, RoleStart } from '../../protocol.js';
import { stabilizationRoundTrips } from '../bounds.js';
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

export const RUNS_MAX = 2 ** 32;

type Raw = Readonly<Record<string, unknown>>;

export function placesOptions({ runs = 1, log = true, ...raw }: Raw, graph: NetworkGraph): PlacesOptions {
  if (!isIntegerOf(runs, 1, RUNS_MAX))
    throw new UsageError(`options.runs is ${JSON.stringify(runs)}. Use an integer from 1 to ${RUNS_MAX}.`);
  if (typeof log !== 'boolean') throw new UsageError(`options.log is ${JSON.stringify(log)}. Use true or false.`);
  return { ...fixedQueueOptions(raw, graph), runs: runs as number, log };
}

/** Options of the queue below an application, whose messages do not follow the tree. */
export function fixedQueueOptions(raw: Raw, graph: NetworkGraph): QueueOptions {
  if (raw['tree'] === 'stabilizing')
    throw new UsageError(
      'options.tree: an application of the queue needs tree "fixed", because its messages do not follow the tree. Omit the option.',
    );
  return queueOptions(raw, graph);
}

/** Longest time, in ticks, of a request's way through the tree and of its answer, counted from a fault: then the request is destroyed. */
const patienceTicks = ({ options, topology }: Instance<PlacesOptions>): number =>
  (stabilizationRoundTrips(options) + topology.nodes.length) * options.roundTrip;

const placesRole = (node: NodeId, instance: Instance<PlacesOptions>): RoleStart => ({
  role: PLACES,
  chart: PLACES,
  input: { node, runs: instance.options.runs, patience: patienceTicks(instance) } satisfies PlacesInput,
});

const deliveryRole = (node: NodeId, instance: Instance<PlacesOptions>): RoleStart => {
  const { nodes } = instance.topology;
  const input: DeliveryInput = {
    node,
    others: nodes.filter((other) => other !== node),
    gap: instance.options.roundTrip,
    again: 2 * patienceTicks(instance),
    keepsLog: instance.options.log,
  };
  return { role: DELIVERY, chart: DELIVERY, input };
};

const network = { reach: 'links', order: 'fifo' } satisfies Partial<NetworkNeeds>;
const OF_DELIVERY: readonly string[] = ['multicast', 'deliver', 'gone'];
const OF_PLACES: readonly string[] = ['place', 'follows', 'ask'];

/**
 * Places in the queue, for `createNode`. `createQueue` uses it.
 *
 * @public
 */
export const placesCore = /* @__PURE__ */ coreOf({
  name: 'places',
  charts: { ...queueCore.charts, [PLACES]: placesMachine },
  network,
  options: placesOptions,
  roles: (node, instance) => [...queueCore.roles(node, instance), placesRole(node, instance)],
  route: (event, node) => (OF_PLACES.includes(event.type) ? PLACES : queueCore.route(event, node)),
  wiring: { listener: (role) => (role === POINTER ? PLACES : undefined), isInner: (role) => role === POINTER },
  notices: ['placed', 'followed'],
  messages: { ...queueCore.messages, ...placesMessages },
  commands: { place: { waits: true, completedBy: ['placed'] } },
});

/**
 * Totally ordered multicast, for `createNode`. `createMulticast` uses it.
 *
 * @public
 */
export const multicastCore = /* @__PURE__ */ coreOf({
  name: 'multicast',
  charts: { ...placesCore.charts, [DELIVERY]: deliveryMachine },
  network,
  options: placesOptions,
  roles: (node, instance) => [...placesCore.roles(node, instance), deliveryRole(node, instance)],
  route: (event, node) => (OF_DELIVERY.includes(event.type) ? DELIVERY : placesCore.route(event, node)),
  wiring: {
    listener: (role) => (role === PLACES ? DELIVERY : placesCore.wiring!.listener!(role)),
    isInner: (role) => role === POINTER || role === PLACES,
  },
  notices: ['sent', 'delivered'],
  messages: { ...placesCore.messages, ...deliveryMessages },
  commands: {
    multicast: { event: ({ message = null }) => ({ type: 'multicast', message }) as never, waits: true, completedBy: ['sent'] },
  },
});
