/** Kinds that some members lack, as during a rolling deploy, and warnings that name createCluster. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { setup } from 'xstate';
import { clusterCore } from '../../machines/cluster/core.js';
import { SENDER } from '../../machines/cluster/messages.js';
import { senderMachine } from '../../machines/cluster/sender.js';
import { InProcessBus } from '../transports/in-process.js';
import { counter, testCluster } from './cluster.fixture.js';
import { createCluster, type Machines } from './cluster.js';

const old = setup({}).createMachine({});

/** Members, of which some have the kind `counter`, and a client that has it. */
async function mixed(withCounter: readonly string[]) {
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(console, 'warn').mockImplementation(() => {});
  const machinesOf = (id: string) => ({ machines: (withCounter.includes(id) ? { old, counter } : { old }) as Machines });
  const { bus, peers, of } = await testCluster<Machines>({ old }, machinesOf);
  const members = peers.map(({ id }) => id);
  const client = createCluster({ transport: bus.transport('x'), peers: members, machines: { old, counter }, client: true });
  onTestFinished(() => client.close());
  return { of, client };
}

const UNFIT = {
  name: 'ActorError',
  reason: 'unavailable',
  message: 'Actor "counter/x": no member has a machine of this kind. Give the members the machines that their clients use',
};

test('a kind that no member has: an error for the client, and its other actors work', async () => {
  const { client } = await mixed([]);
  const ref = client.actor('counter', 'x');
  await expect(ref.send({ type: 'ADD' })).rejects.toMatchObject(UNFIT);
  await expect(ref.ready).rejects.toMatchObject(UNFIT);
  await client.actor('old', 'x').send({ type: 'ADD' } as never);
});

test('and it waits without end if a sender ignores that', async () => {
  const charts = clusterCore.charts as Record<string, unknown>;
  charts[SENDER] = senderMachine.provide({ guards: { isLastUnfit: () => false } });
  onTestFinished(() => void (charts[SENDER] = senderMachine));
  const { client } = await mixed([]);
  const sent = client.actor('counter', 'x').send({ type: 'ADD' });
  const waited = new Promise((resolve) => setTimeout(resolve, 1_000, 'waits'));
  expect(await Promise.race([sent.catch((error: Error) => error), waited])).toBe('waits');
});

test('one member of three has a new kind: it hosts it, and the others keep copies', async () => {
  const { of, client } = await mixed(['b']);
  const refs = ['x', 'y', 'z'].map((id) => client.actor('counter', id));
  await Promise.all(refs.map((ref) => ref.send({ type: 'ADD' })));
  await of('b').cluster.actor('counter', 'x').send({ type: 'ADD' });
  expect(refs.map((ref) => ref.getSnapshot().context.n)).toEqual([1, 1, 1]);
  expect([...of('b').cluster.hosted].sort()).toEqual(['counter/x', 'counter/y', 'counter/z']);
});

test('the members that have a kind replace each other', async () => {
  const { of, client } = await mixed(['a', 'b']);
  const ref = client.actor('counter', 'x');
  await ref.send({ type: 'ADD' });
  const host = of((await ref.where())!);
  host.kill();
  await ref.send({ type: 'ADD' });
  expect([ref.getSnapshot().context.n, await ref.where()]).toEqual([2, host.id === 'a' ? 'b' : 'a']);
});

test('a peer without the cluster is named with the call that it lacks', async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.restoreAllMocks().useRealTimers());
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  const bus = new InProcessBus();
  const [a, b] = ['a', 'b'].map((id) => bus.transport(id));
  await b!.connect();
  const cluster = createCluster({ transport: a!, peers: ['a', 'b'], machines: { counter } });
  onTestFinished(async () => {
    await cluster.close();
    bus.close();
  });
  await vi.advanceTimersByTimeAsync(15_000);
  expect(warn.mock.calls.join('\n')).toContain(
    '(b: connected, without the cluster "cluster": call createCluster there, with this name)',
  );
});

test('a kind can have the name of a property that every object has', async () => {
  const { peers } = await testCluster({ constructor: counter }, {}, ['a']);
  await peers[0]!.cluster.actor('constructor', 'x').send({ type: 'ADD' });
  expect(peers[0]!.cluster.actor('constructor', 'x').getSnapshot().context.n).toBe(1);
});
