/**
 * An application on the self-stabilizing queue: each node has one more role, which requests a place and is notified when a request follows
 * the latest one of its node. The pointer and the application take a step together, so a notice always concerns the latest request.
 *
 * Messages of applications are routed, so the tree of the queue is fixed and its links stay.
 */
import type { AnyStateMachine } from 'xstate';
import { defineProtocol } from '../../machines/define.js';
import type { Message, NodeId } from '../../machines/effects.js';
import type {
  CommandDescription,
  Configuration,
  Flight,
  Instance,
  Observer,
  Property,
  Reaction,
} from '../../machines/protocol.js';

import { queue } from '../../machines/queue/index.js';
import { POINTER } from '../../machines/queue/messages.js';
import type { QueueOptions } from '../../machines/queue/options.js';
import { UsageError } from '../../machines/errors.js';
import { APPLICATION, layerBelow, propertyBelow } from './layer.js';

export interface QueueApplication {
  readonly name: string;
  readonly chart: AnyStateMachine;
  readonly input: (node: NodeId, instance: Instance<QueueOptions>) => unknown;
  readonly messages: Readonly<Record<string, object>>;
  readonly commands: Readonly<Record<string, CommandDescription>>;
  readonly reactions?: readonly Reaction[];
  readonly properties: readonly Property<QueueOptions>[];
  readonly observe: (instance: Instance<QueueOptions>) => Observer;
}

export function onQueue({ name, chart, input, messages, commands, reactions, properties, observe }: QueueApplication) {
  const isOwn = (type: string): boolean => type in messages || type in commands;
  return defineProtocol<QueueOptions>(
    {
      name,
      charts: { ...queue.charts, [APPLICATION]: chart },
      network: { reach: 'routed', order: 'fifo', keepsLinks: true },
      options: (raw, graph) => {
        if (raw['tree'] === 'stabilizing')
          throw new UsageError(`options.tree: ${name} needs tree "fixed", because its messages are routed. Omit the option.`);
        return queue.options(raw, graph);
      },
      roles: (node, instance) => [
        ...queue.roles(node, instance),
        { role: APPLICATION, chart: APPLICATION, input: input(node, instance) },
      ],
      route: (event, node) => (isOwn(event.type) ? APPLICATION : queue.route(event, node)),
      wiring: { listener: (role) => (role === POINTER ? APPLICATION : undefined), isInner: (role) => role === POINTER },
      messages: { ...queue.messages, ...messages } as never,
      commands,
      ...(reactions && { reactions: () => reactions }),
    },
    {
      properties: (instance) => [
        ...queue.properties(instance).map((one) => propertyBelow('queue', one, messages)),
        ...properties,
      ],
      atRest: (c) => !c.flights.some(({ message }) => message.type in messages) && queue.atRest!(layerBelow(c, messages)),
      mayFire: (c, node, role, timer) => role === APPLICATION || queue.mayFire!(layerBelow(c, messages), node, role, timer),
    },
    { paper: queue.paper, observe },
  );
}

type Config = Configuration<any>;

/** Context of the application's role of each node. */
export const applications = <T>({ nodes }: Config): T[] => [...nodes.values()].map((node) => node[APPLICATION]!.context as T);

/** Messages of one type in flight. */
export const inFlight = <M extends Message>({ flights }: Config, type: M['type']): (Flight & { readonly message: M })[] =>
  flights.filter((flight): flight is Flight & { readonly message: M } => flight.message.type === type);
