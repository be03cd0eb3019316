/** Types follow from the machines: these lines compile, and those below `@ts-expect-error` do not. */
import { expect, test } from 'vitest';
import { assign, createActor, setup } from 'xstate';
import { clusterLogic, type Cluster, type createCluster } from './cluster.js';
import { counter, testCluster } from './cluster.fixture.js';

const order = setup({
  types: {
    input: {} as { customer: string },
    context: {} as { customer: string; paid: number },
    events: {} as { type: 'PAY'; amount: number },
  },
}).createMachine({
  context: ({ input }) => ({ customer: input.customer, paid: 0 }),
  on: { PAY: { actions: assign({ paid: ({ context, event }) => context.paid + event.amount }) } },
});

test('events, inputs, snapshots and emitted events are typed', async () => {
  const { peers } = await testCluster({ counter, order });
  const { cluster } = peers[0]!;
  const ref = cluster.actor('order', '42', { input: { customer: 'ann' } });
  await ref.send({ type: 'PAY', amount: 10 });
  const paid: number = ref.getSnapshot().context.paid;
  expect(paid).toBe(10);
  const wrong = () => [
    // @ts-expect-error a misspelled event
    ref.send({ type: 'PAYY', amount: 10 }),
    // @ts-expect-error an event without its field
    ref.send({ type: 'PAY' }),
    // @ts-expect-error an unknown kind
    cluster.actor('oder', '42'),
    // @ts-expect-error an input of another type
    cluster.actor('order', '42', { input: { customer: 7 } }),
    // @ts-expect-error an event that is never emitted
    cluster.actor('counter', 'x').on('addded', () => {}),
  ];
  expect(wrong).toBeTypeOf('function');
});

test('the types of options and references can be named', async () => {
  const machines = { counter, order };
  type Options = Parameters<typeof createCluster<typeof machines>>[0];
  type Order = ReturnType<Cluster<{ order: typeof order }>['actor']>;
  const options = { placement: 'balance' } satisfies Partial<Options>;
  const { peers } = await testCluster(machines, options);
  const pay = (ref: Order) => ref.send({ type: 'PAY', amount: 1 });
  await pay(peers[0]!.cluster.actor('order', '42', { input: { customer: 'ann' } }));
  // @ts-expect-error a reference to another machine
  const wrong = () => pay(peers[0]!.cluster.actor('counter', 'x'));
  expect(wrong).toBeTypeOf('function');
});

test('a machine invokes a cluster actor as a child', async () => {
  const { peers } = await testCluster({ counter });
  const page = setup({ actors: { counter: clusterLogic(peers[0]!.cluster, 'counter') } }).createMachine({
    invoke: { src: 'counter', id: 'visits', input: { id: 'x' } },
  });
  const actor = createActor(page).start();
  const child = actor.getSnapshot().children['visits']!;
  child.send({ type: 'ADD' });
  await peers[1]!.cluster.actor('counter', 'x').send({ type: 'ADD' });
  await expect.poll(() => (child.getSnapshot() as { actor?: { context: { n: number } } }).actor?.context.n).toBe(2);
  await peers[1]!.cluster.actor('counter', 'x').send({ type: 'STOP' });
  await expect.poll(() => child.getSnapshot().status).toBe('done');
  actor.stop();
});
