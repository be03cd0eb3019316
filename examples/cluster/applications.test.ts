/** The three applications of examples/cluster with their faults: a killed host, a deadline, a customer without a payment. */
import { expect, test } from 'vitest';
import { testCluster } from '../../adapters/cluster/cluster.fixture.js';
import { orderMachine, PaymentService } from './order.js';
import { roomMachine } from './room.js';
import { jobMachine, Worker } from './scheduler.js';

test('an order whose host is killed during the charge is charged once', async () => {
  const payments = new PaymentService();
  const { peers, of } = await testCluster({ order: orderMachine(payments) });
  const [ann] = peers.map(({ cluster }) => cluster.actor('order', '42', { input: { id: '42' } }));
  await ann!.send({ type: 'PAY', amount: 10 });
  const host = (await ann!.where())!;
  of(host).kill();
  const other = peers.find(({ id }) => id !== host)!.cluster.actor('order', '42');
  await new Promise<void>((resolve) => other.subscribe({ complete: resolve }));
  expect(other.getSnapshot().value).toBe('paid');
  expect([...payments.charges]).toEqual([['42', 10]]);
});

test('an order that is not paid is canceled at its time', async () => {
  const { peers } = await testCluster({ order: orderMachine(new PaymentService(), 80) });
  const order = peers[0]!.cluster.actor('order', '43', { input: { id: '43' } });
  await new Promise<void>((resolve) => order.subscribe({ complete: resolve }));
  expect(order.getSnapshot().value).toBe('canceled');
});

test('a room moves to its players, and no player loses a step', async () => {
  const { peers } = await testCluster({ room: roomMachine }, { placement: 'sender' });
  const [a, b] = peers.map(({ cluster }) => cluster.actor('room', 'r'));
  await a!.send({ type: 'JOIN', player: 'ann' });
  await b!.send({ type: 'JOIN', player: 'bob' });
  for (let i = 0; i < 30; i++) await b!.send({ type: 'STEP', player: 'bob', by: 1 });
  await expect.poll(() => peers[1]!.cluster.hosted).toEqual(['room/r']);
  await a!.send({ type: 'STEP', player: 'nobody', by: 1 });
  expect(a!.getSnapshot().context.places).toEqual({ ann: 0, bob: 30 });
});

test('a job fires once at its time, even if its host was killed', async () => {
  const worker = new Worker();
  const { peers, of } = await testCluster({ job: jobMachine(worker) });
  const jobs = ['x', 'y'].map((job) => peers[0]!.cluster.actor('job', job, { input: { job, inMs: 400 } }));
  for (const job of jobs) await job.ready;
  of((await jobs[0]!.where())!).kill();
  await expect.poll(() => [...worker.done.values()].toSorted()).toEqual(['x', 'y']);
});
