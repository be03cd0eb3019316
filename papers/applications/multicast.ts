/**
 * Totally ordered multicast on the queue (section 1 of the paper): all nodes deliver the same messages in the same order, although no node
 * decides on the order.
 *
 * A node requests a place for its message. The node of the predecessor in the queue notifies it which message comes before, and it then sends
 * its message, with this predecessor, to all nodes. They deliver along the chain of predecessors. The queue begins with the message `start`,
 * which the root has sent.
 *
 * States of the application's role:
 *
 *   ready     has no message to place
 *   placing   its message is waiting for its predecessor
 * Invariant: `latest` is the last message of the node that has a place or requests one, and `before` the one before it.
 */
import { assign, emit, raise, setup } from 'xstate';
import { effects, send, tell, type NodeId, type Received } from '../../machines/effects.js';
import type { Property } from '../../machines/protocol.js';
import { POINTER, type Queued } from '../../machines/queue/messages.js';
import type { QueueOptions } from '../../machines/queue/options.js';
import { applications, inFlight, onQueue } from './on-queue.js';

/** A message is identified by its node and its number there. */
type MessageId = string;
export const START: MessageId = 'start';

interface Follows {
  readonly type: 'follows';
  readonly after: MessageId;
}
interface Deliver {
  readonly type: 'deliver';
  readonly id: MessageId;
  readonly after: MessageId;
}

export interface MulticastContext {
  readonly node: NodeId;
  readonly others: readonly NodeId[];
  readonly sent: number;
  readonly latest: MessageId;
  readonly before: MessageId;
  /** Delivered messages in their order. */
  readonly log: readonly MessageId[];
  /** Received messages whose predecessor is not delivered, as pairs of message and predecessor. */
  readonly held: readonly (readonly [MessageId, MessageId])[];
}

type Event = { type: 'multicast' } | Queued | Received<Follows> | Received<Deliver> | Follows;
type In<E = unknown> = { context: MulticastContext; event: E };

const isOfOthers = ({ context: { node }, event: { requester } }: In<Queued>) => requester !== null && requester !== node;

const predecessor = ({ context, event }: In<Queued>) => ({
  to: event.requester!,
  message: { type: 'follows' as const, after: context.latest },
});
const toOthers = ({ context, event }: In<Follows>) => ({
  to: context.others,
  message: { type: 'deliver' as const, id: context.latest, after: event.after },
});

/** Adds a message, and all that follow it without a gap. */
function delivered({ log, held }: Pick<MulticastContext, 'log' | 'held'>, id: MessageId, after: MessageId) {
  const waiting = [...held, [id, after] as const];
  const order = [...log];
  for (;;) {
    const last = order.at(-1) ?? START;
    const next = waiting.findIndex(([, before]) => before === last);
    if (next < 0) return { log: order, held: waiting };
    order.push(waiting.splice(next, 1)[0]![0]);
  }
}

export const multicastMachine = setup({
  types: {} as {
    context: MulticastContext;
    events: Event;
    input: Pick<MulticastContext, 'node' | 'others'> & { isRoot: boolean };
  },
  actions: {
    ...effects<Follows | Deliver>(),
    number: assign(({ context: { node, sent, latest } }) => ({ sent: sent + 1, before: latest, latest: `${node}#${sent + 1}` })),
    followOwn: raise(({ context }) => ({ type: 'follows' as const, after: context.before })),
    deliverOwn: assign(({ context, event }) => delivered(context, context.latest, (event as Follows).after)),
    deliver: assign(({ context, event }) => delivered(context, (event as Deliver).id, (event as Deliver).after)),
    announcePlaced: emit({ type: 'placed' as const }),
  },
  guards: {
    isOfOthers: ({ context, event }) => isOfOthers({ context, event: event as Queued }),
    isOwn: ({ context, event }) => (event as Queued).requester === context.node,
  },
}).createMachine({
  id: 'multicast',
  context: ({ input: { node, others, isRoot } }) => ({
    node,
    others,
    sent: 0,
    latest: isRoot ? START : '',
    before: '',
    log: [],
    held: [],
  }),
  initial: 'ready',
  on: {
    queued: [
      { guard: 'isOfOthers', actions: send(predecessor) },
      { guard: 'isOwn', actions: 'followOwn' },
    ],
    deliver: { actions: 'deliver' },
  },
  states: {
    ready: {
      on: {
        multicast: { target: 'placing', actions: ['number', tell(() => ({ role: POINTER, message: { type: 'request' } }))] },
      },
    },
    placing: {
      on: { follows: { target: 'ready', actions: [send(toOthers), 'deliverOwn', 'announcePlaced'] } },
    },
  },
});

const logs = (c: Parameters<typeof applications>[0]): (readonly MessageId[])[] =>
  applications<MulticastContext>(c).map(({ log }) => log);

export const multicastProperties: readonly Property<QueueOptions>[] = [
  {
    name: 'one order',
    kind: 'always',
    description: 'If two nodes have delivered different sequences, one sequence is the beginning of the other.',
    holds: (c) => {
      const longest = logs(c).reduce((a, b) => (b.length > a.length ? b : a));
      return logs(c).every((log) => log.every((id, i) => longest[i] === id));
    },
  },
  {
    name: 'a message is delivered once',
    kind: 'always',
    description: 'No node delivers a message twice, and none delivers a message that was not sent.',
    holds: (c) => {
      const sent = new Set(
        applications<MulticastContext>(c).flatMap(({ node, sent: count }) =>
          Array.from({ length: count }, (_, i) => `${node}#${i + 1}`),
        ),
      );
      return logs(c).every((log) => new Set(log).size === log.length && log.every((id) => sent.has(id)));
    },
  },
  {
    name: 'one successor',
    kind: 'always',
    description: 'No two messages on their way to a node follow the same message.',
    holds: (c) => {
      const coming = inFlight<Deliver>(c, 'deliver').map(({ to, message }) => `${to} ${message.after}`);
      return new Set(coming).size === coming.length;
    },
  },
  {
    name: 'every message is delivered everywhere',
    kind: 'eventually',
    description: 'Each node delivers every message of every node.',
    when: (c, node) => isBehind(c, node),
    holds: (c, node) => !isBehind(c, node),
  },
];

function isBehind(c: Parameters<typeof applications>[0], node: NodeId): boolean {
  const all = applications<MulticastContext>(c);
  const sent = all.reduce((sum, one) => sum + one.sent, 0);
  return all.find((one) => one.node === node)!.log.length < sent;
}

const isMessage = (value: unknown): boolean => typeof value === 'string' && value !== '';

/** Totally ordered multicast. Command: `multicast`. */
export const multicast = onQueue({
  name: 'multicast',
  chart: multicastMachine,
  input: (node, { topology: { nodes }, options: { root } }) => ({
    node,
    others: nodes.filter((other) => other !== node),
    isRoot: node === root,
  }),
  messages: { follows: { after: isMessage }, deliver: { id: isMessage, after: isMessage } },
  commands: { multicast: { waits: true, completedBy: ['placed'] } },
  properties: multicastProperties,
  observe: () => ({
    record: () => {},
    summary: (c) => ({
      order: applications<MulticastContext>(c).reduce((a, b) => (b.log.length > a.log.length ? b : a)).log,
    }),
    meters: () => [],
  }),
});
