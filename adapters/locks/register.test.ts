/** Values, quotas and names that outlive the peers: acknowledged changes count, no change counts twice, and too much loss is an error. */
import { createNames } from '../names.js';
import { createQuota } from '../quota.js';
import { describe, expect, onTestFinished, test } from 'vitest';
import { hash } from '../../machines/hash.js';
import { LostError } from '../transports/errors.js';
import { InProcessBus } from '../transports/in-process.js';
import { createLocks, type Locks } from './locks.js';
import { Register } from './register.js';
import type { Linked, Transport } from '../transports/transport.js';

const IDS = ['a', 'b', 'c'];
const isNumber = (value: unknown): value is number => typeof value === 'number';

/** Peers that may crash and restart, each with the result of `make`. */
function peers<T>(make: (locks: Locks) => T) {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const transports: Record<string, Transport<Linked>> = {};
  const things: Record<string, T> = {};
  const start = async (id: string): Promise<T> => {
    const transport = (transports[id] = bus.transport(id));
    // The clock has to advance by a second between two runs.
    const clock = { now: () => Date.now() + 1000 * lives++, schedule: (work: any, delay: number) => later(work, delay) };
    const locks = createLocks({ transport, peers: IDS, clock: clock as never });
    things[id] = make(locks);
    return things[id];
  };
  let lives = 0;
  for (const id of IDS) void start(id);
  const crash = (id: string) => transports[id]!.close();
  return { things, start, crash };
}

function later(work: () => void, delay: number) {
  const timer = setTimeout(work, delay);
  return { unsubscribe: () => clearTimeout(timer) };
}

/** Replaces the first write of a register with `instead`, after which the lock is lost. */
function losing(of: unknown, instead: (write: () => Promise<unknown>) => unknown): void {
  const { questions } = of as { questions: { ask(asking: { question: { type: string } }): Promise<unknown> } };
  const { ask } = questions;
  questions.ask = async (asking) => {
    const go = () => ask.call(questions, asking);
    if (asking.question.type !== 'write') return go();
    questions.ask = ask;
    await instead(go);
    throw new LostError('the lock was taken away');
  };
}

const counters = () => peers((locks) => new Register(locks, 'count', 0, isNumber));

describe('a register', () => {
  test('every change is made once, wherever it is made', async () => {
    const { things } = counters();
    const all = Object.values(things);
    const seen = await Promise.all(all.flatMap((count) => Array.from({ length: 10 }, () => count.change((n) => n + 1))));
    expect(seen.sort((x, y) => x - y)).toEqual(Array.from({ length: 30 }, (_, i) => i + 1));
  });

  test('acknowledged changes survive a crash and restart of each peer in turn', async () => {
    const { things, start, crash } = counters();
    const seen: number[] = [];
    seen.push(await things['a']!.change((n) => n + 1));
    for (const [gone, other] of ['ab', 'bc', 'ca', 'ab']) {
      await crash(gone!);
      seen.push(await things[other!]!.change((n) => n + 1));
      await start(gone!);
      seen.push(await things[gone!]!.change((n) => n + 1));
    }
    expect(seen).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test('a peer that has promised its copy to a later holder refuses earlier writes', async () => {
    const { things } = counters();
    await things['a']!.change((n) => n + 1);
    const b = things['b'] as unknown as { answer(question: object): Promise<object>; copy: { fence: number } | null };
    const { fence } = b.copy!;
    const keepers = { version: 1, peers: IDS };
    const later = { type: 'copy', copy: { fence, value: 1, keepers }, initial: hash('0') };
    expect(await b.answer({ type: 'read', fence: fence + 2 })).toEqual(later);
    expect(await b.answer({ type: 'write', fence: fence + 1, value: 7, keepers })).toEqual({ type: 'late' });
    expect(await b.answer({ type: 'read', fence: fence + 1 })).toEqual({ type: 'late' });
    expect(await b.answer({ type: 'read', fence: fence + 2 })).toEqual(later);
    expect(await b.answer({ type: 'write', fence: fence + 2, value: 7, keepers })).toEqual({ type: 'stored' });
  });

  test('if too many have forgotten, changes are refused; if all have, the value restarts', async () => {
    const { things, start, crash } = counters();
    await things['a']!.change((n) => n + 1);
    await Promise.all(['b', 'c'].map(crash));
    await Promise.all(['b', 'c'].map(start));
    await expect(things['b']!.change((n) => n + 1)).rejects.toMatchObject({
      name: 'ForgottenError',
      message:
        'the value of register "count" is known to 1 of 3 peers; the others have lost it in a restart without storage. Start the members that have it, or use storage at all members',
    });
    await crash('a');
    await start('a');
    expect(await things['c']!.change((n) => n + 1)).toBe(1);
  });

  test.each([
    ['is refused', () => {}, 'ForgottenError'],
    [
      'would be made twice if a peer that has forgotten counted',
      (count: any) => (count.copy = { fence: 0, value: 0, keepers: { version: 1, peers: IDS } }),
      2,
    ],
  ])('a change with a stale copy and a peer that has forgotten %s', async (_, spoil, outcome) => {
    const { things, start, crash } = counters();
    await things['a']!.change((n) => n + 1);
    const c = things['c'] as unknown as { receive: unknown };
    const { receive } = c;
    c.receive = () => {};
    expect(await things['a']!.change((n) => n + 1)).toBe(2);
    c.receive = receive;
    await Promise.all(['a', 'b'].map(crash));
    const [again] = await Promise.all(['b', 'a'].map(start));
    spoil(again);
    const change = again!.change((n) => n + 1, { signal: AbortSignal.timeout(400) });
    expect(await change.catch(({ name }) => name)).toBe(outcome);
  });

  describe('a change whose lock is lost while it is written', () => {
    const another = (n: number) => n + 1;

    test('counts once, whether all of it was written or nothing', async () => {
      for (const instead of [(write: () => unknown) => write(), () => {}]) {
        const { things } = counters();
        losing(things['a'], instead);
        expect(await things['a']!.change(another)).toBe(1);
        expect(await things['b']!.change(another)).toBe(2);
      }
    });

    test('is of unknown effect if others have changed the value since, with an error', async () => {
      const { things } = counters();
      let others: Promise<number> | undefined;
      losing(things['a'], async (write) => {
        await write();
        others = things['b']!.change(another);
        await new Promise(setImmediate);
      });
      await expect(things['a']!.change(another)).rejects.toMatchObject({
        name: 'LostError',
        message: expect.stringContaining('"count" was being changed, and others have changed it since'),
      });
      expect(await others).toBe(2);
      expect(await things['c']!.change((n) => n)).toBe(2);
    });
  });

  test('a change that is given up, or whose peer is closed, settles', async () => {
    const { things, crash } = counters();
    await things['a']!.change((n) => n + 1);
    await Promise.all(['b', 'c'].map(crash));
    await expect(things['a']!.change((n) => n, { signal: AbortSignal.timeout(5) })).rejects.toMatchObject({
      name: 'TimeoutError',
    });
    const waiting = things['a']!.change((n) => n);
    await crash('a');
    await expect(waiting).rejects.toMatchObject({ name: 'ClosedError' });
  });
});

describe('a lasting quota', () => {
  test('gives out exactly the budget without waste', async () => {
    const { things } = peers((locks) => createQuota({ locks, budget: 40 }));
    const answers = await Promise.all(Object.values(things).flatMap((quota) => Array.from({ length: 20 }, () => quota.take())));
    expect(answers.filter(({ ok }) => ok)).toHaveLength(40);
    expect(await things['a']!.take()).toEqual({ ok: false, remaining: 0 });
  });

  test('answers from its stock, and a crash wastes no more than that', async () => {
    const { things, start, crash } = peers((locks) => createQuota({ locks, budget: 100, waste: 30 }));
    expect(await things['b']!.take()).toEqual({ ok: true, remaining: 10 });
    expect(await things['b']!.take(10)).toEqual({ ok: true, remaining: 0 });
    expect(await things['b']!.take()).toEqual({ ok: true, remaining: 10 });
    await crash('b');
    await start('b');
    let given = 12;
    for (const quota of [things['a']!, things['b']!, things['c']!]) while ((await quota.take()).ok) given++;
    expect(given).toBe(90);
  });

  test('bad amounts and budgets are refused', async () => {
    const { things } = peers((locks) => {
      expect(() => createQuota({ locks, budget: 1.5 })).toThrow('createQuota: budget is 1.5. Pass a whole number of at least 0');
      return createQuota({ locks, budget: 10 });
    });
    await expect(things['a']!.take(-1)).rejects.toThrow('Invalid amount: -1. Pass an integer of at least 1.');
    expect(await things['a']!.take(10)).toEqual({ ok: true, remaining: 0 });
  });
});

test('a lasting name is given although it is unknown whether others were fetched', async () => {
  const { things } = peers((locks) => createNames({ locks }));
  let others: Promise<number> | undefined;
  losing((things['a'] as unknown as { given: unknown }).given, async (write) => {
    await write();
    others = things['b']!.next();
    await new Promise(setImmediate);
  });
  const own = await things['a']!.next();
  expect([await others, own].sort()).toEqual([16, 8]);
});

test('lasting names are given once, whichever peers crash, and stay short', async () => {
  const { things, start, crash } = peers((locks) => createNames({ locks }));
  const given: number[] = [];
  const take = async (id: string) => {
    for (let i = 0; i < 5; i++) given.push(await things[id]!.next());
  };
  await Promise.all(IDS.map(take));
  for (const id of IDS) {
    await crash(id);
    await start(id);
    await Promise.all(IDS.map(take));
  }
  expect(new Set(given).size).toBe(60);
  expect(Math.max(...given)).toBeLessThan(60 + 8 * (3 + 3));
});
