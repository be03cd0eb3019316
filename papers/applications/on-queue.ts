/**
 * An application on the self-stabilizing queue: each node has one further role for each chart of the application. The roles request places
 * and are notified when a request follows the latest one of their node. Pointer and application take a step together, so a notice always
 * concerns the latest request.
 *
 * Messages of applications are routed here, so that they run on any topology. The tree of the queue is fixed and its links stay.
 */
import { defineProtocol } from '../../machines/define.js';
import type { Message, NodeId } from '../../machines/effects.js';
import type {
  Choose,
  Configuration,
  Core,
  Flight,
  Instance,
  NodeState,
  Observer,
  Property,
  Protocol,
} from '../../machines/protocol.js';
import { queueCore } from '../../machines/queue/core.js';
import { queue } from '../../machines/queue/index.js';
import type { QueueOptions } from '../../machines/queue/options.js';
import { layerBelow, propertyBelow } from './layer.js';

export interface QueueApplication<O extends QueueOptions> {
  readonly core: Core<O>;
  readonly properties: (instance: Instance<O>) => readonly Property<O>[];
  readonly observe: (instance: Instance<O>) => Observer;
  /** Arbitrary state of the roles, and arbitrary messages of the application. */
  readonly corruption: {
    readonly isSurvived: boolean;
    node(node: NodeId, instance: Instance<O>, choose: Choose): NodeState;
    channel(from: NodeId, to: NodeId, instance: Instance<O>, choose: Choose): readonly Message[];
  };
  /** When a timer of the application may fire in a search, which does not model time. */
  readonly mayFire?: Protocol<O>['mayFire'];
  readonly isAtRest?: (c: Configuration<O>) => boolean;
}

export function onQueue<O extends QueueOptions>({ core, ...application }: QueueApplication<O>): Protocol<O> {
  const own = added(core.messages!, queueCore.messages!);
  const roles = Object.keys(added(core.charts, queueCore.charts));
  const below = (c: Configuration<any>) => layerBelow(c, own, roles);
  const { corruption, mayFire = () => true, isAtRest = () => true } = application;
  return defineProtocol<O>(
    { ...core, network: { reach: 'routed', order: 'fifo', keepsLinks: true } },
    {
      properties: (instance) => [
        ...queue.properties(instance).map((one) => propertyBelow('queue', one, own, roles)),
        ...application.properties(instance),
      ],
      atRest: (c) => isAtRest(c) && !c.flights.some(({ message }) => message.type in own) && queue.atRest!(below(c)),
      mayFire: (c, node, role, timer) =>
        roles.includes(role) ? mayFire(c, node, role, timer) : queue.mayFire!(below(c), node, role, timer),
      canonical: queue.canonical!,
      corruption: {
        isSurvived: corruption.isSurvived,
        node(node, instance, choose) {
          const [arrow, app] = [queue.corruption!.node(node, instance, choose), corruption.node(node, instance, choose)];
          return { roles: { ...arrow.roles, ...app.roles }, timers: [...arrow.timers, ...app.timers] };
        },
        channel: (from, to, instance, choose) => [
          ...(isOnTree(from, to, instance) ? queue.corruption!.channel(from, to, instance, choose) : []),
          ...corruption.channel(from, to, instance, choose),
        ],
      },
    },
    { paper: queue.paper, observe: application.observe },
  );
}

/** The members that an application adds to those of the queue. */
const added = <T>(all: Readonly<Record<string, T>>, below: object): Readonly<Record<string, T>> =>
  Object.fromEntries(Object.entries(all).filter(([key]) => !(key in below)));

const isOnTree = (a: NodeId, b: NodeId, { options: { parents } }: Instance<QueueOptions>): boolean =>
  parents[a] === b || parents[b] === a;

type Config = Configuration<any>;

/** Context of a role of each node. */
export const contextsOf = <T>({ nodes }: Config, role: string): T[] =>
  [...nodes.values()].map((node) => node[role]!.context as T);

/** Messages of one type in flight. */
export const inFlight = <M extends Message>({ flights }: Config, type: M['type']): (Flight & { readonly message: M })[] =>
  flights.filter((flight): flight is Flight & { readonly message: M } => flight.message.type === type);
