/** Clusters of three peers in one process, for tests: a bus, members that can be killed, and machines. */
import { assign, emit, setup } from 'xstate';
import { onTestFinished } from 'vitest';
import { createTransport } from '../transports/driver.js';
import { inProcessGuarantees } from '../transports/guarantees.js';
import { InProcessBus } from '../transports/in-process.js';
import type { Linked, Transport } from '../transports/transport.js';
import { createCluster, type Cluster, type ClusterOptions, type Machines } from './cluster.js';

export const counter = setup({
  types: {
    context: {} as { n: number; seen: readonly string[] },
    events: {} as { type: 'ADD'; by?: number; tag?: string } | { type: 'FAIL' } | { type: 'STOP' },
    emitted: {} as { type: 'added'; n: number },
  },
}).createMachine({
  id: 'counter',
  context: { n: 0, seen: [] },
  initial: 'on',
  states: {
    on: {
      on: {
        ADD: {
          actions: [
            assign({
              n: ({ context, event }) => context.n + (event.by ?? 1),
              seen: ({ context, event }) => (event.tag === undefined ? context.seen : [...context.seen, event.tag]),
            }),
            emit(({ context }) => ({ type: 'added' as const, n: context.n })),
          ],
        },
        FAIL: {
          actions: assign(() => {
            throw new Error('this event is not for me');
          }),
        },
        STOP: 'off',
      },
    },
    off: { type: 'final' },
  },
});

/** A transport whose process can be killed: from then on, no message leaves or reaches it. */
export function mortal(transport: Transport<Linked>): Transport<Linked> & { kill(): void } {
  let isDead = false;
  const made = createTransport(transport.id, inProcessGuarantees, async (medium, signal) => {
    transport.events.subscribe((event) => {
      if (isDead) return;
      if (event.type === 'message') medium.received(event.from, event.message);
      else if (event.type !== 'closed') medium[event.type](event.peer);
      else if (event.error) medium.lost(event.error);
    });
    await transport.connect({ signal });
    medium.opened({
      send: (to, message) => {
        if (!isDead) transport.send(to, message);
      },
      close: () => transport.close(),
    });
  });
  const kill = () => {
    isDead = true;
    void transport.close();
  };
  return Object.assign(made, { kill });
}

export interface TestPeer<M extends Machines> {
  readonly id: string;
  readonly cluster: Cluster<M>;
  kill(): void;
}

export interface TestCluster<M extends Machines> {
  readonly bus: InProcessBus;
  readonly peers: readonly TestPeer<M>[];
  /** The peer of this id. */
  of(id: string): TestPeer<M>;
  start(id: string, more?: Partial<ClusterOptions<M>>): TestPeer<M>;
}

export async function testCluster<M extends Machines>(
  machines: M,
  more: Partial<ClusterOptions<M>> | ((id: string) => Partial<ClusterOptions<M>>) = {},
  ids: readonly string[] = ['a', 'b', 'c'],
): Promise<TestCluster<M>> {
  const bus = new InProcessBus();
  const peers: TestPeer<M>[] = [];
  const all: Cluster<M>[] = [];
  const start = (id: string, own: Partial<ClusterOptions<M>> = {}): TestPeer<M> => {
    const transport = mortal(bus.transport(id));
    const shared = typeof more === 'function' ? more(id) : more;
    const cluster = createCluster<M>({ transport, peers: ids, machines, ...shared, ...own });
    all.push(cluster);
    const peer: TestPeer<M> = { id, cluster, kill: () => transport.kill() };
    const place = peers.findIndex((one) => one.id === id);
    if (place < 0) peers.push(peer);
    else peers[place] = peer;
    return peer;
  };
  for (const id of ids) start(id);
  onTestFinished(async () => {
    // Those of killed peers, too: they run on without a transport.
    await Promise.all(all.map((cluster) => cluster.close({ withinMs: 0 })));
    bus.close();
  });
  await Promise.all(peers.map(({ cluster }) => cluster.ready));
  return { bus, peers, start, of: (id) => peers.find((peer) => peer.id === id)! };
}
