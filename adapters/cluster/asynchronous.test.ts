/** Effects that take time: actions that return a promise, invoked promises, and events for other actors. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { assign, fromPromise, sendTo, setup, type AnyActorRef } from 'xstate';
import { ClusterActorRef, delivery, type Delivery } from './cluster.js';
import { counter, testCluster } from './cluster.fixture.js';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/** A machine whose action and invoked promise end when the test ends them. */
function slow() {
  const begun: (Delivery & { readonly what: string })[] = [];
  const ends: ((error?: Error) => void)[] = [];
  const work = (what: string) => {
    begun.push({ ...delivery(), what });
    return new Promise<void>((resolve, reject) => ends.push((error) => (error ? reject(error) : resolve())));
  };
  const machine = setup({
    types: { context: {} as { n: number }, events: {} as { type: 'WORK' | 'ADD' | 'INVOKE' } },
    actions: { work: () => work('action') },
    actors: { promise: fromPromise(() => work('promise')) },
  }).createMachine({
    context: { n: 0 },
    initial: 'idle',
    states: { idle: {}, busy: { invoke: { src: 'promise', onDone: 'idle' } } },
    on: { WORK: { actions: 'work' }, ADD: { actions: assign({ n: ({ context }) => context.n + 1 }) }, INVOKE: '.busy' },
  });
  return { machine, begun, ends };
}

/** The reference of a member that does not host the actor, and a function that ends the host. */
async function remote(machine: ReturnType<typeof slow>['machine']) {
  const { peers, of } = await testCluster({ machine });
  await peers[0]!.cluster.actor('machine', 'x').ready;
  const host = (await peers[0]!.cluster.where('machine', 'x'))!;
  const ref = peers.find(({ id }) => id !== host)!.cluster.actor('machine', 'x');
  await ref.ready;
  return { ref, kill: () => of(host).kill() };
}

test('later events do not wait for an action that returns a promise', async () => {
  const { machine, begun, ends } = slow();
  const { ref } = await remote(machine);
  await ref.send({ type: 'WORK' });
  for (let i = 0; i < 5; i++) await ref.send({ type: 'ADD' });
  await ref.send({ type: 'WORK' });
  expect(ref.getSnapshot().context.n).toBe(5);
  expect(begun).toHaveLength(2);
  for (const end of ends) end();
});

test('only actions that have not settled are repeated, in order and with their keys', async () => {
  const { machine, begun, ends } = slow();
  const { ref, kill } = await remote(machine);
  for (let i = 0; i < 3; i++) await ref.send({ type: 'WORK' });
  await expect.poll(() => begun).toHaveLength(3);
  ends[1]!();
  await ref.send({ type: 'ADD' });
  kill();
  await ref.send({ type: 'ADD' });
  await expect.poll(() => begun).toHaveLength(5);
  const [first, , third, ...again] = begun;
  expect(again.map(({ key }) => key)).toEqual([first!.key, third!.key]);
  expect(again[0]!.fence).toBeGreaterThan(first!.fence);
});

test('an action whose promise rejects is reported, and is not repeated', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const { machine, begun, ends } = slow();
  const { ref, kill } = await remote(machine);
  await ref.send({ type: 'WORK' });
  await expect.poll(() => begun).toHaveLength(1);
  ends[0]!(new Error('no money'));
  await expect.poll(() => warn.mock.calls.join()).toContain('action "work" of machine/x: no money');
  await ref.send({ type: 'ADD' });
  kill();
  await ref.send({ type: 'ADD' });
  await sleep(200);
  expect(begun).toHaveLength(1);
});

test('an invoked promise has a key, which it has again at the next host, and the fence', async () => {
  const { machine, begun, ends } = slow();
  const { ref, kill } = await remote(machine);
  await ref.send({ type: 'INVOKE' });
  await expect.poll(() => begun).toHaveLength(1);
  kill();
  await ref.send({ type: 'ADD' });
  await expect.poll(() => begun).toHaveLength(2);
  const [first, second] = begun;
  expect(second!.key).toBe(first!.key);
  expect(second!.fence).toBeGreaterThan(first!.fence);
  ends[1]!();
  await expect.poll(() => ref.send({ type: 'ADD' }).then(() => ref.getSnapshot().value)).toBe('idle');
  await ref.send({ type: 'INVOKE' });
  await expect.poll(() => begun).toHaveLength(3);
  expect(begun[2]!.key).not.toBe(first!.key);
});

test('an event for another actor is sent again if the host ends before it is applied', async () => {
  const targets: AnyActorRef[] = [];
  const sending = setup({ types: { events: {} as { type: 'GO' | 'OTHER' } } }).createMachine({
    on: { GO: { actions: sendTo(() => targets[0]!, { type: 'ADD' }) } },
  });
  const { peers, of } = await testCluster({ counter, parent: sending });
  targets.push(peers[0]!.cluster.actor('counter', 'x'));
  const parent = peers[0]!.cluster.actor('parent', 'x');
  await parent.ready;
  expect(await parent.where()).toBe('a');
  // The host can store its versions, and its event for the counter does not leave it.
  const sent = vi.spyOn(ClusterActorRef.prototype, '_send').mockReturnValue(new Promise(() => {}));
  onTestFinished(() => sent.mockRestore());
  await peers[1]!.cluster.actor('parent', 'x').send({ type: 'GO' });
  await peers[1]!.cluster.actor('parent', 'x').send({ type: 'OTHER' });
  await expect.poll(() => sent.mock.calls.length).toBe(1);
  sent.mockRestore();
  of('a').kill();
  await peers[1]!.cluster.actor('parent', 'x').send({ type: 'OTHER' });
  const ofCounter = peers[1]!.cluster.actor('counter', 'x');
  ofCounter.subscribe(() => {});
  await expect.poll(() => ofCounter.getSnapshot().context.n).toBe(1);
});

test('a process is killed while an action waits: the next one runs the action again', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'quiver-cluster-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const program = `
    import { setup } from 'xstate';
    import { createCluster, delivery } from 'xstate-quiver/cluster';
    import { folderStorage } from 'xstate-quiver/storage/node';
    import { InProcessBus } from 'xstate-quiver/transports';
    const [folder, run] = process.argv.slice(1);
    const charge = async () => {
      const { key } = delivery();
      await new Promise((resolve) => setTimeout(resolve, run === '1' ? 60_000 : 10));
      process.stdout.write('charged ' + key, () => process.kill(process.pid, 'SIGKILL'));
    };
    const payment = setup({ actions: { charge } }).createMachine({ on: { PAY: { actions: 'charge' } } });
    const transport = new InProcessBus().transport('a');
    const cluster = createCluster({ transport, peers: ['a'], machines: { payment }, storage: folderStorage(folder) });
    if (run === '1') {
      await cluster.actor('payment', '1').send({ type: 'PAY' });
      setTimeout(() => process.kill(process.pid, 'SIGKILL'), 100);
    }
    setTimeout(() => {}, 60_000);
  `;
  const run = (number: string) =>
    promisify(execFile)(process.execPath, ['--input-type=module', '-e', program, folder, number], {
      cwd: import.meta.dirname,
      timeout: 80_000,
    }).then(
      () => 'was not killed',
      ({ signal, stdout }: { signal: string; stdout: string }) => `${signal} ${stdout}`,
    );
  expect(await run('1')).toBe('SIGKILL ');
  expect(await run('2')).toMatch(/^SIGKILL charged payment\/1\/\d+\/2\/0$/);
});
