/** The guarantees of docs/cluster.md about actions, time, children, moves, errors and storage. */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { asyncScheduler, type SchedulerLike } from 'rxjs';
import { assign, fromPromise, sendTo, setup } from 'xstate';
import { MapStorage } from '../storage/map.fixture.js';
import { createCluster, delivery, type Delivery, type StoredSnapshot } from './cluster.js';
import { counter, mortal, testCluster } from './cluster.fixture.js';

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

describe('actions', () => {
  const ran: (Delivery & { readonly n: number })[] = [];
  const mailer = setup({
    types: { context: {} as { n: number }, events: {} as { type: 'MAIL' } },
    actions: { mail: ({ context }) => void ran.push({ ...delivery(), n: context.n }) },
  }).createMachine({
    context: { n: 0 },
    on: { MAIL: { actions: [assign({ n: ({ context }) => context.n + 1 }), 'mail'] } },
  });

  test('run once their version is durable, with a key and the fence of the activation', async () => {
    ran.length = 0;
    const { peers } = await testCluster({ mailer });
    const ref = peers[0]!.cluster.actor('mailer', 'x');
    await Promise.all([ref.send({ type: 'MAIL' }), ref.send({ type: 'MAIL' })]);
    await expect.poll(() => ran.map(({ n }) => n)).toEqual([1, 2]);
    expect(new Set(ran.map(({ key }) => key)).size).toBe(2);
    expect(ran.every(({ fence }) => fence > 0)).toBe(true);
    expect(() => delivery()).toThrow('delivery() works only in actions and invoked promises of cluster actors');
  });

  test('do not run without a majority', async () => {
    ran.length = 0;
    const { peers, of } = await testCluster({ mailer });
    const ref = peers[0]!.cluster.actor('mailer', 'x');
    await ref.ready;
    const host = (await ref.where())!;
    for (const { id } of peers) if (id !== host) of(id).kill();
    const sent = of(host).cluster.actor('mailer', 'x').send({ type: 'MAIL' });
    sent.catch(() => {});
    await sleep(300);
    expect(ran).toEqual([]);
  });
});

describe('time and children', () => {
  const alarm = setup({
    types: { events: {} as { type: 'SET' } },
    delays: { soon: 3_600_000 },
  }).createMachine({
    initial: 'off',
    states: { off: { on: { SET: 'set' } }, set: { after: { soon: 'rung' } }, rung: {} },
  });

  test('a delayed transition keeps its deadline when the host is killed', async () => {
    let aheadMs = 0;
    const schedule = asyncScheduler.schedule.bind(asyncScheduler);
    const clock = { now: () => Date.now() + aheadMs, schedule } as SchedulerLike;
    const { peers, of } = await testCluster({ alarm }, { clock });
    const ref = peers[0]!.cluster.actor('alarm', 'x');
    await ref.send({ type: 'SET' });
    const host = (await ref.where())!;
    const [other] = peers.filter(({ id }) => id !== host);
    const watching = other!.cluster.actor('alarm', 'x');
    const rung = new Promise<void>((resolve) => watching.subscribe((snapshot) => snapshot.matches('rung') && resolve()));
    await watching.ready;
    expect(watching.getSnapshot().value).toBe('set');
    // An hour passes; a timer that was restarted would need another one.
    aheadMs = 3_600_000;
    of(host).kill();
    await rung;
    expect(await watching.where()).not.toBe(host);
  });

  test('a child machine persists with its parent, and a promise starts again', async () => {
    let starts = 0;
    const child = setup({ types: { context: {} as { n: number }, events: {} as { type: 'ADD' } } }).createMachine({
      context: { n: 0 },
      on: { ADD: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
    });
    const parent = setup({
      types: { context: {} as { isDone: boolean }, events: {} as { type: 'ADD' } },
      actors: {
        child,
        slow: fromPromise(async () => {
          starts++;
          await (starts === 1 ? new Promise(() => {}) : sleep(1));
        }),
      },
    }).createMachine({
      context: { isDone: false },
      invoke: [
        { src: 'child', id: 'child' },
        { src: 'slow', onDone: { actions: assign({ isDone: true }) } },
      ],
      on: { ADD: { actions: sendTo('child', { type: 'ADD' }) } },
    });
    const { peers, of } = await testCluster({ parent });
    const ref = peers[0]!.cluster.actor('parent', 'x');
    await ref.send({ type: 'ADD' });
    await ref.send({ type: 'ADD' });
    const host = (await ref.where())!;
    of(host).kill();
    const [other] = peers.filter(({ id }) => id !== host);
    const again = other!.cluster.actor('parent', 'x');
    again.subscribe(() => {});
    await again.send({ type: 'ADD' });
    await expect.poll(() => again.getSnapshot().context.isDone).toBe(true);
    expect(again.getSnapshot().children['child']!.getSnapshot()).toMatchObject({ context: { n: 3 } });
    expect(starts).toBe(2);
  });
});

describe('moves', () => {
  test('a member that closes hands its actors over: no event is lost or delayed for long', async () => {
    const { peers, of } = await testCluster({ counter });
    const ref = peers[0]!.cluster.actor('counter', 'x');
    await ref.send({ type: 'ADD' });
    const host = (await ref.where())!;
    const [other] = peers.filter(({ id }) => id !== host);
    const mine = other!.cluster.actor('counter', 'x');
    await mine.send({ type: 'ADD' });
    let longest = 0;
    let isOver = false;
    let acknowledged = 2;
    const sending = (async () => {
      while (!isOver) {
        const since = performance.now();
        await mine.send({ type: 'ADD' });
        acknowledged++;
        longest = Math.max(longest, performance.now() - since);
        await sleep(1);
      }
    })();
    await sleep(30);
    await of(host).cluster.close();
    await sleep(50);
    isOver = true;
    await sending;
    expect(mine.getSnapshot().context.n).toBe(acknowledged);
    expect(await mine.where()).not.toBe(host);
    // The promise is 100 ms; machines that run tests are busy.
    expect(longest).toBeLessThan(400);
  });

  test('placement sender: the actor moves to the member that uses it', async () => {
    const { peers } = await testCluster({ counter }, { placement: 'sender' });
    const [a, b] = peers.map(({ cluster }) => cluster.actor('counter', 'x'));
    await a!.send({ type: 'ADD' });
    expect(await a!.where()).toBe('a');
    for (let i = 0; i < 20; i++) await b!.send({ type: 'ADD' });
    await expect.poll(() => peers[1]!.cluster.hosted).toEqual(['counter/x']);
    expect(b!.getSnapshot().context.n).toBe(21);
  });

  test('placement balance: actors are spread over the members, without one that is down', async () => {
    const { peers, of } = await testCluster({ counter }, { placement: 'balance' });
    const use = async (prefix: string) => {
      for (let i = 0; i < 30; i++) await peers[0]!.cluster.actor('counter', `${prefix}${i}`).send({ type: 'ADD' });
      return peers.map(({ cluster }) => cluster.hosted.filter((key) => key.startsWith(`counter/${prefix}`)).length);
    };
    for (const hosted of await use('x')) expect(hosted).toBeGreaterThan(3);
    of('c').kill();
    await expect.poll(() => peers[0]!.cluster.actor('counter', 'probe').send({ type: 'ADD' })).toBeUndefined();
    const [a, b] = await use('y');
    expect(a! + b!).toBe(30);
    expect(Math.min(a!, b!)).toBeGreaterThan(3);
  });

  test('an idle actor ends, and continues with its state when it is used again', async () => {
    const { peers } = await testCluster({ counter }, { idleMs: 40 });
    const [a, b] = peers.map(({ cluster }) => cluster.actor('counter', 'x'));
    await a!.send({ type: 'ADD' });
    await expect.poll(() => peers.flatMap(({ cluster }) => cluster.hosted)).toEqual([]);
    await sleep(100);
    await b!.send({ type: 'ADD' });
    await a!.send({ type: 'ADD' });
    expect(a!.getSnapshot().context.n).toBe(3);
  });

  test('a client hosts nothing, and uses actors as peers do', async () => {
    const { bus, peers } = await testCluster({ counter });
    const transport = mortal(bus.transport('x'));
    const client = createCluster({ transport, peers: ['a', 'b', 'c'], machines: { counter }, client: true });
    const ref = client.actor('counter', 'x');
    await ref.send({ type: 'ADD', by: 2 });
    expect(ref.getSnapshot().context.n).toBe(2);
    const host = (await ref.where())!;
    peers.find(({ id }) => id === host)!.kill();
    await ref.send({ type: 'ADD', by: 2 });
    expect(ref.getSnapshot().context.n).toBe(4);
    expect(client.hosted).toEqual([]);
    await client.close();
  });
});

describe('errors', () => {
  test('a machine that throws an error fails only that event', async () => {
    const { peers } = await testCluster({ counter });
    const ref = peers[1]!.cluster.actor('counter', 'x');
    const results = await Promise.allSettled([ref.send({ type: 'ADD' }), ref.send({ type: 'FAIL' }), ref.send({ type: 'ADD' })]);
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect((results[1] as PromiseRejectedResult).reason).toMatchObject({
      name: 'ActorError',
      reason: 'machine',
      message: 'Actor "counter/x" threw an error: this event is not for me',
    });
    expect(ref.getSnapshot().context.n).toBe(2);
  });

  test('a snapshot that is not JSON fails only that event, and the error names the place', async () => {
    const odd = setup({
      types: { context: {} as { at: unknown; n: number }, events: {} as { type: 'ADD' | 'DATE' } },
    }).createMachine({
      context: { at: null, n: 0 },
      on: {
        ADD: { actions: assign({ n: ({ context }) => context.n + 1 }) },
        DATE: { actions: assign({ at: () => new Date(0) }) },
      },
    });
    const { peers } = await testCluster({ odd });
    const ref = peers[0]!.cluster.actor('odd', 'x');
    const sent = [ref.send({ type: 'ADD' }), ref.send({ type: 'DATE' }), ref.send({ type: 'ADD' })];
    await expect(sent[1]).rejects.toMatchObject({
      reason: 'snapshot',
      message:
        'Actor "odd/x" would have a snapshot that is not JSON: snapshot.context.at is a Date. Keep plain data in the context.',
    });
    await Promise.all([sent[0], sent[2]]);
    expect(ref.getSnapshot().context).toEqual({ at: null, n: 2 });
  });

  test('a child that is spawned without a name fails only that event, with a remedy', async () => {
    const child = setup({}).createMachine({});
    const parent = setup({ types: { context: {} as { child: unknown } } }).createMachine({
      context: { child: null },
      on: { SPAWN: { actions: assign({ child: ({ spawn }) => (spawn as Function)(child, { id: 'child' }) }) } },
    });
    const { peers } = await testCluster({ parent });
    const ref = peers[0]!.cluster.actor('parent', 'x');
    await expect(ref.send({ type: 'SPAWN' })).rejects.toMatchObject({
      reason: 'snapshot',
      message: expect.stringMatching(/Name the logic of the child in setup\(\{ actors \}\), and spawn it by that name\.$/),
    });
    await ref.send({ type: 'OTHER' });
  });

  test('and outside of development, where XState persists the logic of such a child', async () => {
    const program = `
      import { assign, createMachine } from 'xstate';
      import { createCluster } from 'xstate-quiver/cluster';
      import { InProcessBus } from 'xstate-quiver/transports';
      const child = createMachine({});
      const parent = createMachine({ on: { SPAWN: { actions: assign({ child: ({ spawn }) => spawn(child, { id: 'child' }) }) } } });
      const bus = new InProcessBus();
      const peers = ['a', 'b', 'c'];
      const clusters = peers.map((id) => createCluster({ transport: bus.transport(id), peers, machines: { parent } }));
      const ref = clusters[0].actor('parent', 'x');
      await ref.send({ type: 'SPAWN' }).catch((error) => console.log(error.reason, error.message));
      process.exit();
    `;
    const args = ['--input-type=module', '-e', program];
    const env = { ...process.env, NODE_ENV: 'production' };
    const { stdout } = await promisify(execFile)(process.execPath, args, { cwd: import.meta.dirname, env, timeout: 60_000 });
    expect(stdout).toMatch(
      /^snapshot .* is not JSON: snapshot\.children\.child\.src.* Name the logic of the child in setup\(\{ actors \}\), and spawn it by that name\.\n$/,
    );
  });

  test('unknown kinds and ids, events that are not JSON or too large', async () => {
    const { peers } = await testCluster({ counter });
    const { cluster } = peers[0]!;
    expect(() => cluster.actor('order' as never, 'x')).toThrow('unknown kind "order". Use one of counter');
    const absent = cluster.actor('counter', 'absent', { create: false });
    await expect(absent.send({ type: 'ADD' })).rejects.toMatchObject({ reason: 'unknown' });
    const ref = cluster.actor('counter', 'x');
    await expect(ref.send({ type: 'ADD', by: Number.NaN })).rejects.toMatchObject({ reason: 'event' });
    await expect(ref.send({ type: 'ADD', tag: 'x'.repeat(10_000_000) })).rejects.toMatchObject({ reason: 'event' });
    await ref.send({ type: 'ADD' });
    expect(ref.getSnapshot().context.n).toBe(1);
  });
});

describe('storage', () => {
  test('state survives a stop of all processes, and a new machine version reads it', async () => {
    const stores = new Map(['a', 'b', 'c'].map((id) => [id, new MapStorage()]));
    const stored = (id: string) => ({ storage: stores.get(id)! });
    const first = await testCluster({ counter }, stored);
    await first.peers[0]!.cluster.actor('counter', 'x').send({ type: 'ADD', by: 7 });
    for (const { kill } of first.peers) kill();
    const second = await testCluster({ counter }, stored);
    const ref = second.peers[1]!.cluster.actor('counter', 'x');
    await ref.send({ type: 'ADD' });
    expect(ref.getSnapshot().context.n).toBe(8);
    for (const { kill } of second.peers) kill();
    const migrate = vi.fn((snapshot: StoredSnapshot) => ({
      ...snapshot,
      context: { ...snapshot.context, n: Number(snapshot.context['n']) * 10 },
    }));
    const third = await testCluster({ counter }, (id) => ({ ...stored(id), versions: { counter: { version: 2, migrate } } }));
    const upgraded = third.peers[2]!.cluster.actor('counter', 'x');
    await upgraded.ready;
    expect(upgraded.getSnapshot().context.n).toBe(80);
    expect(migrate).toHaveBeenCalledTimes(1);
    for (const { kill } of third.peers) kill();
    const older = await testCluster({ counter }, stored);
    await expect(older.peers[0]!.cluster.actor('counter', 'x').send({ type: 'ADD' })).rejects.toMatchObject({
      reason: 'version',
    });
  });

  test('during a rolling deploy members of both versions serve an actor', async () => {
    const stores = new Map(['a', 'b', 'c'].map((id) => [id, new MapStorage()]));
    const migrate = ({ context, ...rest }: StoredSnapshot) => ({
      ...rest,
      context: { ...context, n: Number(context['n']) * 10 },
    });
    const versions = { counter: { version: 2, migrate } };
    const isNew = new Set(['c']);
    const warnings = vi.spyOn(console, 'warn').mockImplementation(() => {});
    onTestFinished(() => warnings.mockRestore());
    const { peers, of, start } = await testCluster({ counter }, (id) => ({
      storage: stores.get(id)!,
      ...(isNew.has(id) && { versions }),
    }));
    const [a, b, c] = peers.map(({ cluster }) => cluster.actor('counter', 'x'));
    await a!.send({ type: 'ADD' });
    await c!.ready;
    expect(c!.getSnapshot().context.n).toBe(10);
    of('a').kill();
    await c!.send({ type: 'ADD' });
    expect(c!.getSnapshot().context.n).toBe(11);
    await b!.send({ type: 'ADD' });
    expect(warnings.mock.calls.flat().join()).toContain('was stored by version 2 of "counter", and this process has version 1');
    isNew.add('a');
    const newA = start('a', { versions }).cluster;
    await newA.ready;
    of('c').kill();
    // The old member refuses to activate the actor, unless its sender has asked the new one in time.
    const error: unknown = await b!.send({ type: 'ADD' }).then(
      () => null,
      (thrown: unknown) => thrown,
    );
    if (error !== null) expect(error).toMatchObject({ name: 'ActorError', reason: 'version' });
    const applied = error === null ? 1 : 0;
    const ofA = newA.actor('counter', 'x');
    await ofA.send({ type: 'ADD' });
    expect(ofA.getSnapshot().context.n).toBe(13 + applied);
    await b!.send({ type: 'ADD' });
    await ofA.send({ type: 'ADD' });
    expect(ofA.getSnapshot().context.n).toBe(15 + applied);
  });
});
