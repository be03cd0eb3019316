/** A client that is in no list uses the actors of a cluster, and the members forget it. */
import { expect, onTestFinished, test } from 'vitest';
import { assign, setup } from 'xstate';
import { linked } from '../linked.js';
import { InProcessBus } from '../transports/in-process.js';
import { createCluster } from './cluster.js';

const counter = setup({ types: {} as { context: { n: number }; events: { type: 'ADD' } } }).createMachine({
  context: { n: 0 },
  on: { ADD: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
});
const peers = ['a', 'b', 'c'];

test('a client with a generated id uses an actor, and the members forget the client', async () => {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const membersLinked = peers.map((id) => linked(bus.transport(id), { peers, open: true }));
  const members = membersLinked.map((transport) => createCluster({ transport, peers, machines: { counter } }));
  onTestFinished(() => Promise.all(members.map((member) => member.close())).then(() => {}));
  const transport = linked(bus.transport(`client-${crypto.randomUUID()}`), { peers, client: true });
  const client = createCluster({ transport, peers, machines: { counter }, client: true });
  const visits = client.actor('counter', 'visits');
  await visits.send({ type: 'ADD' });
  await visits.ready;
  expect(visits.getSnapshot().context.n).toBe(1);
  expect(membersLinked.map((each) => each.peers.has(transport.id))).toEqual([true, true, true]);
  await client.close();
  await transport.close();
  await expect.poll(() => membersLinked.map((each) => each.peers.size)).toEqual([2, 2, 2]);
});
