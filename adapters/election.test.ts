import { VirtualTimeScheduler, type SchedulerLike } from 'rxjs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { createElection, type Election, type ElectionOptions } from './election.js';
import type { Lock } from './locks/locks.js';
import { linked } from './linked.js';
import { cuttable } from './locks/peers.fixture.js';
import { hostile } from './transports/hostile.fixture.js';
import { InProcessBus } from './transports/in-process.js';
import type { Linked, Transport } from './transports/transport.js';

function peers(ids: readonly string[], options: Partial<ElectionOptions> = {}) {
  const bus = new InProcessBus();
  const transports = ids.map((id): Transport<Linked> => bus.transport(id));
  const all = transports.map((transport) => createElection({ transport, peers: ids, settleMs: 5, ...options }));
  onTestFinished(async () => {
    await Promise.all(all.map((each) => each.close()));
    bus.close();
  });
  return { all, transports, bus };
}

/** The one leader of all, another one than before. */
async function agreed(all: readonly Election[], before: string | null = null): Promise<string> {
  const leaders = () => [...new Set(all.map(({ leader }) => leader))];
  await expect.poll(() => leaders().length === 1 && leaders()[0] !== before && leaders()[0] !== null).toBe(true);
  return leaders()[0]!;
}
const leaderOf = (all: readonly Election[]): Election => all.find(({ isLeader }) => isLeader)!;
const settled = () => new Promise((resolve) => setImmediate(resolve));

test('all peers know one leader, which knows that it is the leader', async () => {
  const { all } = peers(['a', 'b', 'c', 'd']);
  await Promise.all(all.map(({ ready }) => ready));
  const leader = await agreed(all);
  expect(all.filter(({ isLeader }) => isLeader).map(({ node }) => node.id)).toEqual([leader]);
  await leaderOf(all).elected;
});

test('a peer followed by all possible neighbors leads at once; others wait', async () => {
  const { all } = peers(['a', 'b', 'c'], { settleMs: 3_600_000 });
  await agreed(all);
  const lonely = peers(['a', 'b', 'c'], { settleMs: 3_600_000 });
  await lonely.all[2]!.close();
  await settled();
  expect(lonely.all.slice(0, 2).map(({ isLeader }) => isLeader)).toEqual([false, false]);
});

test('when the leader goes the others elect another, and each is notified', async () => {
  const { all } = peers(['a', 'b', 'c']);
  await agreed(all);
  const first = leaderOf(all);
  const others = all.filter((each) => each !== first);
  const changes: (string | null)[] = [];
  others[0]!.addEventListener('change', (event) => changes.push((event as CustomEvent).detail.leader));
  const arrived = (async () => {
    const seen: string[] = [];
    for await (const leader of others[1]!) if (seen.push(leader) === 2) return seen;
    return seen;
  })();
  await settled();
  await first.close();
  const second = await agreed(others, first.node.id);
  expect(await arrived).toEqual([first.node.id, second]);
  expect(changes.at(-1)).toBe(second);
  expect(first.leader).toBeNull();
});

test('the status lists peers that may not follow: all until linked, then those cut off', async () => {
  const { all, transports } = peers(['a', 'b', 'c'], { settleMs: 0 });
  expect(all[0]!.status()).toEqual({ leader: null, isLeader: false, unconfirmed: ['b', 'c'] });
  const leader = await agreed(all);
  for (const election of all) await expect.poll(() => election.status().unconfirmed).toEqual([]);
  expect(all.map((election) => election.status().isLeader)).toEqual(['a', 'b', 'c'].map((id) => id === leader));
  await transports[2]!.close();
  await expect.poll(() => all[0]!.status().unconfirmed).toEqual(['c']);
});

describe('duration of several leaders after a cold start', () => {
  /** Two peers whose time the test advances, while that of their link runs by itself. They do not reach each other yet. */
  async function apart(settleMs: number) {
    const ids = ['a', 'b'];
    const bus = new InProcessBus();
    const time = new VirtualTimeScheduler(undefined, 0);
    const clock = { now: () => time.now(), schedule: time.schedule.bind(time) } as SchedulerLike;
    const media = ids.map((id) => hostile(bus.transport(id), { seed: 1, loss: 0, duplicate: 0, delayMs: 0 }));
    for (const medium of media) medium.isCut = true;
    const transports = media.map((medium) => linked(medium, { peers: ids, beatMs: 5 }));
    const all = transports.map((transport) => createElection({ transport, peers: ids, settleMs, clock }));
    onTestFinished(async () => {
      await Promise.all(transports.map((transport) => transport.close()));
      bus.close();
    });
    await Promise.all(all.map(({ node }) => node.ready));
    await settled();
    const pass = (ms: number) => {
      time.maxFrames += ms;
      time.flush();
    };
    const inOffice = () => all.filter(({ isLeader }) => isLeader).length;
    const reach = () => media.forEach((medium) => (medium.isCut = false));
    return { all, pass, inOffice, reach };
  }

  test('from settleMs after the first start until each has an Update of the other', async () => {
    const { all, pass, inOffice, reach } = await apart(30);
    pass(29);
    expect(inOffice()).toBe(0);
    pass(1);
    expect(inOffice()).toBe(2);
    // No time bounds it.
    pass(24 * 3_600_000);
    expect(inOffice()).toBe(2);
    expect(all.map((election) => election.status().unconfirmed)).toEqual([['b'], ['a']]);
    const notified = new Set<string>();
    const afterward: number[] = [];
    for (const { node } of all)
      node.steps$.subscribe(({ event }) => {
        if (event.type === 'update') notified.add(node.id);
        // Notifications of a step are delivered at its end.
        if (notified.size === 2) queueMicrotask(() => afterward.push(inOffice()));
      });
    reach();
    await expect.poll(() => all.every((election) => election.status().unconfirmed.length === 0)).toBe(true);
    expect(afterward[0]).toBe(1);
    expect(new Set(afterward)).toEqual(new Set([1]));
  });

  test('zero if they are linked before settleMs is over', async () => {
    const { all, pass, inOffice, reach } = await apart(30);
    const seen = new Set<number>();
    for (const { node } of all) node.steps$.subscribe(() => seen.add(inOffice()));
    pass(29);
    reach();
    await expect.poll(inOffice).toBe(1);
    pass(3_600_000);
    await expect.poll(() => all.every((election) => election.status().unconfirmed.length === 0)).toBe(true);
    expect(inOffice()).toBe(1);
    expect(seen).toEqual(new Set([0, 1]));
  });
});

describe('run under a lock', () => {
  /** Three peers with elections and locks. Each works while it is the leader, and overlapping work is recorded. */
  async function working(isLocked: boolean) {
    const ids = ['a', 'b', 'c'];
    const cluster = await cuttable(...ids);
    const atWork = new Set<string>();
    const together: string[][] = [];
    const fences: number[] = [];
    const stop = new AbortController();
    const elections = cluster.map(({ locks }) => createElection({ transport: locks.transport, peers: ids, settleMs: 5 }));
    const runs = elections.map((election, i) => {
      const work = async (signal: AbortSignal, lock?: Lock) => {
        atWork.add(ids[i]!);
        if (lock) fences.push(lock.fence);
        if (atWork.size > 1) together.push([...atWork].sort());
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        atWork.delete(ids[i]!);
      };
      const { locks } = cluster[i]!;
      return isLocked ? election.run(work, { locks, signal: stop.signal }) : election.run(work, { signal: stop.signal });
    });
    const outcomes = Promise.allSettled(runs);
    const end = async () => {
      stop.abort();
      await outcomes;
    };
    return { ids, cluster, elections, atWork, together, fences, end };
  }

  /** The leader is cut off until it has noticed, and leads itself; the others have a leader as well. */
  async function divide({ cluster, elections, ids }: Awaited<ReturnType<typeof working>>) {
    const first = await agreed(elections);
    const i = ids.indexOf(first);
    await expect.poll(() => elections.every((election) => election.status().unconfirmed.length === 0)).toBe(true);
    cluster[i]!.medium.isCut = true;
    await expect.poll(() => elections.filter(({ isLeader }) => isLeader).length).toBe(2);
    return { heal: () => (cluster[i]!.medium.isCut = false), others: elections.filter((_, j) => j !== i) };
  }

  test('two in office on both sides of a cut: one of them works, with the larger fence', async () => {
    const all = await working(true);
    const { others } = await divide(all);
    const second = others.find(({ isLeader }) => isLeader)!.node.id;
    await expect.poll(() => [...all.atWork]).toEqual([second]);
    expect(all.fences).toHaveLength(2);
    expect(all.fences[1]).toBeGreaterThan(all.fences[0]!);
    await all.end();
  });

  test('without a lock both work', async () => {
    const all = await working(false);
    await divide(all);
    await expect.poll(() => all.together.length).toBeGreaterThan(0);
    await all.end();
  });

  test('settles as the callback does, gives the lock back, and ends with the locks', async () => {
    const [{ locks }] = (await cuttable('a')) as [Awaited<ReturnType<typeof cuttable>>[number]];
    const election = createElection({ transport: locks.transport, peers: ['a'], settleMs: 0 });
    expect(await election.run((_, { name }) => name, { locks })).toBe('leader of election');
    expect(await locks.query()).toEqual({ held: [], pending: [] });
    const stuck = election.run(() => new Promise(() => {}), { locks, signal: AbortSignal.timeout(10) });
    await expect(stuck).rejects.toMatchObject({ name: 'TimeoutError' });
    const ended = election.run((signal) => new Promise((resolve) => signal.addEventListener('abort', resolve)), { locks });
    const outcome = Promise.allSettled([ended]);
    await expect.poll(async () => (await locks.query()).pending.length).toBe(1);
    await locks.close({ withinMs: 0 });
    expect(await outcome).toMatchObject([{ reason: { name: 'ClosedError' } }]);
    await expect(election.run(() => {}, { locks: {} as never })).rejects.toThrow(
      'election.run: locks is an object. Pass locks, as in',
    );
  });
});

describe('run', () => {
  test('runs only at the leader, aborts when it loses office, and starts at the next one', async () => {
    const { all, transports } = peers(['a', 'b', 'c']);
    const ran: string[] = [];
    const running = all.map((election) =>
      election.run(async (signal) => {
        ran.push(election.node.id);
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
      }),
    );
    const outcomes = Promise.allSettled(running);
    await agreed(all);
    await settled();
    const first = leaderOf(all).node.id;
    expect(ran).toEqual([first]);
    await transports.find(({ id }) => id === first)!.close();
    await expect.poll(() => ran.length).toBe(2);
    expect(ran[1]).not.toBe(first);
    await Promise.all(all.map((each) => each.close()));
    const reasons = (await outcomes).map((outcome) => (outcome as PromiseRejectedResult).reason);
    expect(reasons.map(({ name }) => name)).toEqual(['ClosedError', 'ClosedError', 'ClosedError']);
  });

  test('settles with the callback that completes within a term', async () => {
    const { all } = peers(['a']);
    expect(await all[0]!.run(() => 7)).toBe(7);
    const oops = new Error('oops');
    await expect(all[0]!.run(() => Promise.reject(oops))).rejects.toBe(oops);
    await expect(
      all[0]!.run(() => {
        throw oops;
      }),
    ).rejects.toBe(oops);
    expect(all[0]!.isLeader).toBe(true);
  });

  test('is given up by its signal, before, while and after waiting', async () => {
    const { all } = peers(['a', 'b']);
    await agreed(all);
    const follower = all.find(({ isLeader }) => !isLeader)!;
    const reason = new Error('enough');
    await expect(follower.run(() => {}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    const [waiting, working] = [new AbortController(), new AbortController()];
    const outcomes = Promise.allSettled([
      follower.run(() => {}, { signal: waiting.signal }),
      leaderOf(all).run(() => new Promise(() => {}), { signal: working.signal }),
    ]);
    await settled();
    waiting.abort(reason);
    working.abort(reason);
    expect(await outcomes).toMatchObject([{ reason }, { reason }]);
  });
});

describe('every promise settles', () => {
  const everything = (election: Election) =>
    Promise.allSettled([
      election.ready,
      election.elected,
      election.run(() => new Promise(() => {})),
      (async () => {
        for await (const _ of election);
      })(),
    ]);

  test('when it is closed: the iteration ends, the others reject with a ClosedError', async () => {
    const { all } = peers(['a', 'b']);
    const [one] = all as [Election];
    const outcomes = everything(one);
    await one.close();
    expect(await outcomes).toMatchObject([
      { reason: { name: 'ClosedError' } },
      { reason: { name: 'ClosedError' } },
      { reason: { name: 'ClosedError' } },
      { status: 'fulfilled' },
    ]);
    await expect(one.elected).rejects.toMatchObject({ name: 'ClosedError' });
    await expect(one.run(() => {})).rejects.toMatchObject({ name: 'ClosedError' });
  });

  test('when the bus is closed: all reject', async () => {
    const { all, bus } = peers(['a', 'b'], { settleMs: 10_000 });
    await Promise.all(all.map(({ node }) => node.ready));
    const outcomes = everything(all.find(({ leader }) => leader === null)!);
    bus.close();
    expect((await outcomes).slice(1, 3)).toMatchObject([
      { reason: { name: 'ClosedError' } },
      { reason: { name: 'ClosedError' } },
    ]);
  });
});

describe('over several hops', () => {
  const ids = ['a', 'b', 'c', 'd', 'e'];
  const links = [
    ['a', 'b'],
    ['b', 'c'],
    ['c', 'd'],
    ['d', 'e'],
  ] as const;

  test('one leader of all, and lower leaders within reach of every peer', async () => {
    const { all } = peers(ids, { links, radii: [1] });
    await agreed(all);
    await expect.poll(() => all.every((each) => (each.nearest({ within: 1 })?.distance ?? 9) <= 1)).toBe(true);
    const leaders = new Set(all.map((each) => each.nearest({ within: 1 })!.leader));
    expect(leaders.size).toBeGreaterThan(1);
  });

  test('nearest without levels is refused', async () => {
    const { all } = peers(['a', 'b']);
    expect(() => all[0]!.nearest({ within: 1 })).toThrow('election.nearest needs radii. Pass them to createElection');
  });
});
