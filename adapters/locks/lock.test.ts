import { getEventListeners } from 'node:events';
import { createActor, sendTo, setup, waitFor, type AnyActor } from 'xstate';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { UsageError } from '../../machines/errors.js';
import { InProcessBus } from '../transports/in-process.js';
import { createLocks, type Locks } from './locks.js';
import { lockLogic, lockLogicOf, type LockInput } from './lock.js';

const peers = ['a', 'b', 'c'];

function locksOf(): Record<string, Locks> {
  const bus = new InProcessBus();
  const all = Object.fromEntries(peers.map((id) => [id, createLocks({ transport: bus.transport(id), peers })]));
  onTestFinished(async () => {
    await Promise.all(Object.values(all).map((locks) => locks.close()));
    bus.close();
  });
  return all;
}

/** An application's machine: it works while it holds the lock. */
const worker = setup({ types: { input: {} as LockInput, context: {} as LockInput }, actors: { lock: lockLogic } }).createMachine({
  context: ({ input }) => input,
  invoke: { id: 'lock', src: 'lock', input: ({ context }) => context },
  initial: 'resting',
  states: {
    resting: { on: { work: { target: 'waiting', actions: sendTo('lock', { type: 'request' }) } } },
    waiting: {
      on: {
        granted: 'working',
        giveUp: { target: 'resting', actions: sendTo('lock', { type: 'release' }) },
      },
    },
    working: { on: { done: { target: 'resting', actions: sendTo('lock', { type: 'release' }) }, lost: 'broken' } },
    broken: {},
  },
});

function workers(all = locksOf()): AnyActor[] {
  return peers.map((id) => {
    const actor = createActor(worker, { input: { locks: all[id]!, name: 'printer' } }).start();
    onTestFinished(() => void actor.stop());
    return actor;
  });
}

const reaches = (actor: AnyActor, state: string) => waitFor(actor, (snapshot) => snapshot.matches(state), { timeout: 20_000 });
const lockOf = (actor: AnyActor): AnyActor => actor.getSnapshot().children.lock;

test('a machine that leaves the invoking state at the grant causes a warning', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const all = locksOf();
  const editor = setup({
    types: { input: {} as LockInput, context: {} as LockInput },
    actors: { lock: lockLogic },
  }).createMachine({
    context: ({ input }) => input,
    initial: 'locking',
    states: {
      locking: {
        entry: sendTo('lock', { type: 'request' }),
        invoke: { id: 'lock', src: 'lock', input: ({ context }) => context },
        on: { granted: 'editing' },
      },
      editing: {},
    },
  });
  const actor = createActor(editor, { input: { locks: all['a']!, name: 'page' } }).start();
  await reaches(actor, 'editing');
  await expect
    .poll(() => warn.mock.calls.map(([text]) => String(text).split('. ')[0]))
    .toEqual(['lock "page" was released immediately after its grant, because the state that invokes lockLogic was left']);
  // A release at once is intended by the machine, and so is the end of a longer hold.
  const own = createActor(lockLogic, { input: { locks: all['a']!, name: 'page' } });
  own.on('granted', () => own.send({ type: 'release' }));
  own.start().send({ type: 'request' });
  await waitFor(own, (snapshot) => snapshot.matches('granted'), { timeout: 20_000 }).catch(() => {});
  const held = createActor(lockLogic, { input: { locks: all['a']!, name: 'other' } }).start();
  held.send({ type: 'request' });
  await reaches(held, 'granted');
  await Promise.resolve();
  held.stop();
  expect(warn).toHaveBeenCalledTimes(1);
});

/** The error with which an actor ends. */
const errorOf = (actor: AnyActor) =>
  new Promise<any>((resolve) => {
    actor.subscribe({ error: resolve });
    actor.start();
  });

/** The notices of an actor. */
function noticesOf(actor: AnyActor): any[] {
  const notices: any[] = [];
  actor.on('*', (notice) => notices.push(notice));
  return notices;
}

test('it is ready with a majority, and done when its locks close', async () => {
  const locks = locksOf()['a']!;
  const parent = setup({ actors: { lock: lockLogic } }).createMachine({
    invoke: { src: 'lock', input: { locks, name: 'printer' }, onDone: '.over' },
    initial: 'waiting',
    states: { waiting: { on: { ready: 'ready' } }, ready: {}, over: {} },
  });
  const actor = createActor(parent).start();
  await reaches(actor, 'ready');
  await locks.close();
  await reaches(actor, 'over');
  const late = createActor(lockLogic, { input: { locks, name: 'printer' } });
  const notices = noticesOf(late);
  late.start().send({ type: 'request' });
  await waitFor(late, ({ status }) => status === 'done');
  expect(notices).toEqual([]);
});

test('the error that ends its locks ends the actor as well', async () => {
  const bus = new InProcessBus();
  const transport = bus.transport('a');
  const locks = createLocks({ transport, peers: ['a'] });
  const lock = createActor(lockLogic, { input: { locks, name: 'printer' } });
  const notices = noticesOf(lock);
  const error = errorOf(lock);
  lock.send({ type: 'request' });
  await reaches(lock, 'granted');
  await transport.close();
  expect(await error).toBe(await locks.closed);
  expect(await error).toBeInstanceOf(Error);
  expect(notices.map(({ type }) => type)).toEqual(['ready', 'granted', 'lost']);
});

test.each([
  ['relese', /^lockLogic has no event "relese"\. Did you mean "release"\?/],
  ['request', 'lockLogic has already requested lock "printer". Send release first'],
])('the event %s fails while the lock is wanted', async (type, message) => {
  const lock = createActor(lockLogic, { input: { locks: locksOf()['a']!, name: 'printer' } }).start();
  const notices = noticesOf(lock);
  lock.send({ type: 'request' });
  lock.send({ type } as never);
  expect(notices).toEqual([{ type: 'failed', from: lock.id, error: expect.any(UsageError), event: { type } }]);
  expect(notices[0].error.message).toMatch(message);
  await reaches(lock, 'granted');
  lock.send({ type: 'release' });
  lock.send({ type: 'release' });
  expect(notices.map((notice) => notice.type)).toEqual(['failed', 'ready', 'granted']);
});

test.each([
  [{ moed: 'shared' }, 'lockLogic has no option moed. Did you mean "mode"? Known: locks, name, mode'],
  [{ mode: 'shred' }, 'lockLogic: mode is "shred". Pass "exclusive" or "shared"'],
  [{ name: '' }, 'lockLogic: name is "". Pass a text of 1 to 256 characters'],
  [{ name: undefined }, 'lockLogic: name is missing. Pass a text of 1 to 256 characters'],
  [{ locks: undefined }, 'lockLogic has no locks for "printer". Pass input: { locks, name }, or use lockLogicOf(locks), as a restored machine must'],
  [{ locks: {} }, 'lockLogic has no locks for "printer". Pass input: { locks, name }, or use lockLogicOf(locks), as a restored machine must'],
])('the input %j is an error of the actor', async (wrong, message) => {
  const lock = createActor(lockLogic, { input: { locks: locksOf()['a'], name: 'printer', ...wrong } as never });
  expect(await errorOf(lock)).toEqual(new UsageError(message));
}); // prettier-ignore

test('an actor without input is refused', async () => {
  expect((await errorOf(createActor(lockLogic, {} as never))).message).toBe(
    'lockLogic takes its options as an object. Pass { name }',
  );
});

test('a machine that invokes the lock works while it is granted, and one at a time', async () => {
  const [a, b, c] = workers() as [AnyActor, AnyActor, AnyActor];
  for (const actor of [a, b, c]) actor.send({ type: 'work' });
  const order: AnyActor[] = [];
  while (order.length < 3) {
    const holder = await Promise.race(
      [a, b, c].filter((x) => !order.includes(x)).map((x) => reaches(x, 'working').then(() => x)),
    );
    expect([a, b, c].filter((x) => x.getSnapshot().matches('working'))).toEqual([holder]);
    order.push(holder);
    holder.send({ type: 'done' });
  }
});

test('fences grow with every grant, wherever it is made', async () => {
  const actors = workers();
  const fences: number[] = [];
  for (let round = 0; round < 4; round++) {
    for (const actor of actors) {
      actor.send({ type: 'work' });
      await reaches(actor, 'working');
      fences.push(lockOf(actor).getSnapshot().context.fence);
      actor.send({ type: 'done' });
    }
  }
  expect(fences).toEqual([...new Set(fences)].sort((x, y) => x - y));
});

test('a request that is given up is skipped, and the next holder gets the lock', async () => {
  const all = locksOf();
  const [a, b, c] = workers(all) as [AnyActor, AnyActor, AnyActor];
  a.send({ type: 'work' });
  await reaches(a, 'working');
  b.send({ type: 'work' });
  await expect.poll(async () => (await all['b']!.query()).pending).toHaveLength(1);
  c.send({ type: 'work' });
  b.send({ type: 'giveUp' });
  expect(lockOf(b).getSnapshot().value).toBe('free');
  expect((await all['b']!.query()).pending).toEqual([]);
  a.send({ type: 'done' });
  await reaches(c, 'working');
});

test('two machines of one peer share its lock, one after the other', async () => {
  const all = locksOf();
  const [first, second] = [workers(all)[0]!, workers(all)[0]!];
  for (const actor of [first, second]) actor.send({ type: 'work' });
  await reaches(first, 'working');
  expect(second.getSnapshot().value).toBe('waiting');
  first.send({ type: 'done' });
  await reaches(second, 'working');
});

test('when the locks close, a holder receives lost, a waiting actor failed', async () => {
  const all = locksOf();
  const [a, b] = workers(all) as [AnyActor, AnyActor];
  a.send({ type: 'work' });
  await reaches(a, 'working');
  b.send({ type: 'work' });
  const [holder, waiter] = [lockOf(a), lockOf(b)];
  const failed = new Promise<any>((resolve) => waiter.on('failed', resolve));
  await Promise.all([all['a']!.close(), all['b']!.close()]);
  await reaches(a, 'broken');
  expect((await failed).error).toMatchObject({ name: 'ClosedError' });
  for (const lock of [holder, waiter]) await waitFor(lock, ({ status }) => status === 'done');
});

test('a lock as a root actor emits notifications, and stopping it releases the lock', async () => {
  const all = locksOf();
  const lock = createActor(lockLogic, { input: { locks: all['b']!, name: 'printer' } }).start();
  const granted = new Promise((resolve) => lock.on('granted', resolve));
  lock.send({ type: 'request' });
  expect(await granted).toEqual({ type: 'granted', from: lock.id, name: 'printer', fence: expect.any(Number) });
  lock.stop();
  await using again = await all['a']!.acquire('printer');
  expect(again.name).toBe('printer');
});

test('a lock that is released as its locks close does not fail', async () => {
  const locks = createLocks({ transport: new InProcessBus().transport('a'), peers: ['a'] });
  const printer = createActor(lockLogic, { input: { locks, name: 'printer' } });
  const failed = vi.fn();
  printer.subscribe({ error: failed });
  printer.on('granted', () => {
    printer.send({ type: 'release' });
    void locks.close();
  });
  printer.start().send({ type: 'request' });
  await waitFor(printer, ({ status }) => status !== 'active');
  expect(failed).not.toHaveBeenCalled();
  expect(printer.getSnapshot().status).toBe('done');
});

test('shared locks are requested by their mode', async () => {
  const locks = locksOf()['a']!;
  const [one, other] = [1, 2].map(() => createActor(lockLogic, { input: { locks, name: 'printer', mode: 'shared' } }).start());
  for (const actor of [one!, other!]) actor.send({ type: 'request' });
  await Promise.all([one!, other!].map((actor) => reaches(actor, 'granted')));
});

describe('the grant of a lock, whenever it comes', () => {
  /** The logic with a lock that the test grants and takes away. */
  function granting() {
    const taking = new AbortController();
    const lock = { name: 'printer', fence: 7, signal: taking.signal, release: vi.fn() };
    let give!: (lock: object) => void;
    const given = new Promise<object>((resolve) => (give = resolve));
    const pending = new Promise(() => {});
    const locks = { acquire: () => given, ready: pending, closed: pending } as unknown as Locks;
    const actor = createActor(lockLogic, { input: { locks, name: 'printer' } }).start();
    onTestFinished(() => void actor.stop());
    actor.send({ type: 'request' });
    return { actor, lock, taking, given, grant: () => give(lock) };
  }

  test('a grant that comes after the request was given up is given back', async () => {
    const { actor, lock, grant } = granting();
    actor.send({ type: 'release' });
    grant();
    await vi.waitFor(() => expect(lock.release).toHaveBeenCalledTimes(1));
  });

  test('a grant that comes while the request is given up is given back', async () => {
    const { actor, lock, given, grant } = granting();
    const gaveUp = given.then(() => actor.send({ type: 'release' }));
    grant();
    await gaveUp;
    await vi.waitFor(() => expect(lock.release).toHaveBeenCalledTimes(1));
    expect(actor.getSnapshot().value).toBe('free');
  });

  test('a grant that was taken before it came is lost', async () => {
    const { actor, taking, grant } = granting();
    const lost = new Promise((resolve) => actor.on('lost', resolve));
    taking.abort(new Error('the node went away'));
    grant();
    expect(await lost).toEqual({ type: 'lost', from: actor.id, name: 'printer', error: new Error('the node went away') });
  });

  test('a released lock is forgotten, and no longer observed', async () => {
    const { actor, lock, grant } = granting();
    grant();
    await reaches(actor, 'granted');
    expect(actor.getSnapshot().context).toMatchObject({ lock, fence: 7 });
    actor.send({ type: 'release' });
    expect(actor.getSnapshot().context).toMatchObject({ lock: null, fence: null });
    expect(getEventListeners(lock.signal, 'abort')).toEqual([]);
  });
});

describe('snapshots persist and restore', () => {
  const textOf = (actor: AnyActor): any => JSON.parse(JSON.stringify(actor.getPersistedSnapshot()));
  const restored = (locks: Locks, snapshot: any): AnyActor => {
    const actor = createActor(worker.provide({ actors: { lock: lockLogicOf(locks) } }), { input: {} as LockInput, snapshot });
    onTestFinished(() => void actor.stop());
    return actor.start();
  };

  test('the root actor, and a machine that invokes it, in every state', async () => {
    const all = locksOf();
    const [a, b] = workers(all) as [AnyActor, AnyActor];
    expect(textOf(lockOf(a))).toMatchObject({ value: 'free', context: { name: 'printer', locks: { peer: 'a', name: 'locks' } } });
    a.send({ type: 'work' });
    await reaches(a, 'working');
    b.send({ type: 'work' });
    expect(textOf(lockOf(a))).toMatchObject({ value: 'granted', context: { fence: expect.any(Number) } });
    expect(textOf(lockOf(b))).toMatchObject({ value: 'waiting' });
    expect(textOf(a)).toMatchObject({ value: 'working', children: { lock: { snapshot: { value: 'granted' } } } });
  });

  test('elsewhere, a former holder receives lost, and a waiting actor waits again', async () => {
    const all = locksOf();
    const [a, b] = workers(all) as [AnyActor, AnyActor];
    a.send({ type: 'work' });
    await reaches(a, 'working');
    b.send({ type: 'work' });
    const [held, waited] = [textOf(a), textOf(b)];
    const again = restored(all['c']!, held);
    await reaches(again, 'broken');
    expect(lockOf(again).getSnapshot().value).toBe('free');
    const waiting = restored(all['c']!, waited);
    expect(waiting.getSnapshot().value).toBe('waiting');
    b.send({ type: 'giveUp' });
    a.send({ type: 'done' });
    await reaches(waiting, 'working');
    expect((await all['c']!.query()).held).toHaveLength(1);
  });

  test('the error names the former holder', async () => {
    const all = locksOf();
    const a = workers(all)[0]!;
    a.send({ type: 'work' });
    await reaches(a, 'working');
    const again = createActor(lockLogicOf(all['b']!), { input: {} as LockInput, snapshot: textOf(lockOf(a)) });
    const lostEvent = new Promise<any>((resolve) => again.on('lost', resolve));
    again.start();
    expect((await lostEvent).error.message).toMatch(
      /^lock "printer" is granted in a snapshot, but the process that held it has ended. /,
    );
  });

  test('in the same process as well, after a release, with a snapshot as an object', async () => {
    const locks = locksOf()['a']!;
    for (const logic of [lockLogic, lockLogicOf(locks)]) {
      const first = createActor(logic, { input: { locks, name: 'printer' } }).start();
      first.send({ type: 'request' });
      await reaches(first, 'granted');
      const snapshot = first.getPersistedSnapshot();
      first.stop();
      const again = createActor(logic, { input: { locks, name: 'printer' }, snapshot });
      const lostEvent = new Promise<any>((resolve) => again.on('lost', resolve));
      again.start();
      expect((await lostEvent).error.message).toMatch(
        /^lock "printer" is granted in a snapshot, but the actor has released it since. /,
      );
      expect(again.getSnapshot().value).toBe('free');
    }
  });

  test('without locks of this process, a waiting actor gets the remedy', async () => {
    const all = locksOf();
    const a = workers(all)[0]!;
    a.send({ type: 'work' });
    await reaches(a, 'working');
    const waiting = createActor(lockLogic, { input: { locks: all['b']!, name: 'printer' } }).start();
    waiting.send({ type: 'request' });
    const again = createActor(lockLogic, { input: {} as LockInput, snapshot: textOf(waiting) });
    expect((await errorOf(again)).message).toMatch(/^lockLogic has no locks for "printer".*use lockLogicOf\(locks\)/);
  });
});
