/**
 * A minimal protocol with storage: each node counts requests, stores the count, and notifies its neighbors when it is durable.
 */
import { assign, emit, setup } from 'xstate';
import { defineProtocol } from '../../machines/define.js';
import { effects, send, store, type LinkEvent, type Message, type NodeId, type StoredEvent } from '../../machines/effects.js';
import { STORAGE, storageMachine, type StorageInput } from '../../machines/storage.js';

interface Context {
  readonly count: number;
  readonly links: readonly NodeId[];
  /** The number of notifications from neighbors. */
  readonly received: number;
}
type Event = { readonly type: 'count' | 'counted' } | LinkEvent<NodeId> | StoredEvent;
type In = { context: Context; event: Event };

const KEY = 'count';
const peerOf = ({ event }: In) => (event as LinkEvent<NodeId>).peer;

const counterMachine = setup({
  types: { context: {} as Context, events: {} as Event, input: {} as Context, emitted: {} as Message },
  actions: {
    ...effects(),
    add: assign({ count: ({ context }) => context.count + 1 }),
    receive: assign({ received: ({ context }) => context.received + 1 }),
    join: assign({ links: (args) => [...args.context.links, peerOf(args)].sort() }),
    part: assign({ links: (args) => args.context.links.filter((link) => link !== peerOf(args)) }),
  },
}).createMachine({
  id: 'counter',
  context: ({ input }) => input,
  on: {
    count: { actions: ['add', store(({ context }: In) => ({ key: KEY, value: context.count }))] },
    stored: {
      actions: [send(({ context }: In) => ({ to: context.links, message: { type: 'counted' } })), emit({ type: 'safe' })],
    },
    counted: { actions: 'receive' },
    'link.up': { actions: 'join' },
    'link.down': { actions: 'part' },
  },
});

const input = { stored: {}, delay: 3 } satisfies StorageInput;

export const counter = defineProtocol({
  name: 'counter',
  charts: { counter: counterMachine, [STORAGE]: storageMachine },
  network: { reach: 'links', order: 'fifo' },
  roles: (node, { topology }) => {
    const links = topology.links.flatMap(([u, v]) => (u === node ? [v] : v === node ? [u] : [])).sort();
    return [
      { role: STORAGE, chart: STORAGE, input },
      { role: 'counter', chart: 'counter', input: { count: 0, links, received: 0 } },
    ];
  },
  reload: (_, __, stored) => [{ role: 'counter', chart: 'counter', input: { count: stored[KEY] ?? 0, links: [], received: 0 } }],
  route: () => 'counter',
  messages: { counted: {} },
  commands: { count: {} },
});
