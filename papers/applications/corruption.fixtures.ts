/**
 * Arbitrary states of an application and of the queue below it, for the checker: one layer at a time.
 *
 * The queue does not read the state of an application, so it repairs itself whatever that is (machines/queue/checked.test.ts). It is then
 * enough to search an arbitrary application on a legal queue, and an arbitrary queue below an application at its start.
 */
import type { Choose, Instance, NodeState, Protocol } from '../../machines/protocol.js';
import type { Message, NodeId } from '../../machines/effects.js';
import { queue } from '../../machines/queue/index.js';
import { queueCore } from '../../machines/queue/core.js';
import { OBSERVE } from '../../machines/queue/guardian.js';
import { GUARDIAN, POINTER } from '../../machines/queue/messages.js';
import type { QueueOptions } from '../../machines/queue/options.js';

/** A path whose second node and so on are children of the node before; all of them are arbitrary at the start. */
export const pathOf = (...nodes: readonly NodeId[]) => ({
  topology: { nodes, links: nodes.slice(1).map((node, i) => [nodes[i]!, node, 1] as const) },
  corrupt: nodes,
});

export const eachOnce = (command: string, ...nodes: readonly NodeId[]) =>
  nodes.map((node) => ({ do: 'command' as const, node, name: command, fields: {} }));

/** The legal queue of a start: every pointer leads to the root, and each guardian has estimated φ = 1. */
function legalQueue(node: NodeId, instance: Instance<QueueOptions>): NodeState {
  const starts = queueCore.roles(node, instance) as readonly {
    readonly role: string;
    readonly chart: string;
    readonly input: any;
  }[];
  const roles = starts.map(({ role, chart, input }) => {
    if (chart === POINTER) return [role, { chart, value: input.parent === null ? 'self' : 'up', context: input }] as const;
    return [role, { chart, value: 'correct', context: { ...input, sent: 0, est: 1, timely: false } }] as const;
  });
  const guardians = starts.filter(({ chart }) => chart === GUARDIAN);
  return {
    roles: Object.fromEntries(roles),
    timers: guardians.map(({ role, input }) => ({ role, timer: OBSERVE, delay: input.tau as number })),
  };
}

const join = (...parts: readonly NodeState[]): NodeState => ({
  roles: Object.assign({}, ...parts.map(({ roles }) => roles)),
  timers: parts.flatMap(({ timers }) => timers),
});

/** The part of a state that belongs to the application. */
function without({ roles, timers }: NodeState, below: NodeState): NodeState {
  const isOwn = (role: string) => !(role in below.roles);
  return {
    roles: Object.fromEntries(Object.entries(roles).filter(([role]) => isOwn(role))),
    timers: timers.filter(({ role }) => isOwn(role)),
  };
}

/** Only the application is arbitrary, with up to this many messages on each channel. */
export function arbitraryApplication<O extends QueueOptions>(protocol: Protocol<O>, messages: number): Protocol<O> {
  const { node, channel } = protocol.corruption!;
  const isOwn = ({ type }: { readonly type: string }) => !(type in queueCore.messages!);
  return {
    ...protocol,
    corruption: {
      node: (id, instance, choose) => {
        const below = legalQueue(id, instance);
        return join(without(node(id, instance, choose), below), below);
      },
      channel: (from, to, instance, choose) => channel(from, to, instance, choose).filter(isOwn).slice(0, messages),
    },
  };
}

/** The queue reads no origins, but an application does: an arbitrary find may be the request of any node, whether it made one or not. */
function withOrigin<M extends Message>(message: M, { topology: { nodes } }: Instance<any>, choose: Choose): M {
  return message.type === 'find' ? { ...message, origin: [null, ...nodes][choose(nodes.length + 1)] } : message;
}

/** Only the queue is arbitrary, with up to this many messages on each channel. The application is at its start, as `start` gives it. */
export function arbitraryQueue<O extends QueueOptions>(
  protocol: Protocol<O>,
  start: (node: NodeId, instance: Instance<O>) => NodeState,
  messages: number,
): Protocol<O> {
  const { node, channel } = queue.corruption!;
  return {
    ...protocol,
    corruption: {
      node: (id, instance, choose) => join(node(id, instance, choose), start(id, instance)),
      channel: (from, to, instance, choose) =>
        channel(from, to, instance, choose)
          .slice(0, messages)
          .map((message) => withOrigin(message, instance, choose)),
    },
  };
}
