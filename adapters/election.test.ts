import { describe, expect, onTestFinished, test } from 'vitest';
import { createElection, type Election, type ElectionOptions } from './election.js';
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

test('all know one leader, and it knows that it leads', async () => {
  const { all } = peers(['a', 'b', 'c', 'd']);
  await Promise.all(all.map(({ ready }) => ready));
  const leader = await agreed(all);
  expect(all.filter(({ isLeader }) => isLeader).map(({ node }) => node.id)).toEqual([leader]);
  await leaderOf(all).elected;
});

test('who is followed by all whom it may be linked with leads at once; who lacks one waits for it', async () => {
  const { all } = peers(['a', 'b', 'c'], { settleMs: 3_600_000 });
  await agreed(all);
  const lonely = peers(['a', 'b', 'c'], { settleMs: 3_600_000 });
  await lonely.all[2]!.close();
  await settled();
  expect(lonely.all.slice(0, 2).map(({ isLeader }) => isLeader)).toEqual([false, false]);
});

test('when the leader goes the others elect another, and each hears of it', async () => {
  const { all } = peers(['a', 'b', 'c']);
  await agreed(all);
  const first = leaderOf(all);
  const others = all.filter((each) => each !== first);
  const changes: (string | null)[] = [];
  others[0]!.addEventListener('change', (event) => changes.push((event as CustomEvent).detail.leader));
  const heard = (async () => {
    const seen: string[] = [];
    for await (const leader of others[1]!) if (seen.push(leader) === 2) return seen;
    return seen;
  })();
  await settled();
  await first.close();
  const second = await agreed(others, first.node.id);
  expect(await heard).toEqual([first.node.id, second]);
  expect(changes.at(-1)).toBe(second);
  expect(first.leader).toBeNull();
});

describe('run', () => {
  test('runs at the leader alone, aborts when it leads no more, and begins anew elsewhere', async () => {
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

  test('settles as the callback does that comes to its end in office', async () => {
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

describe('nothing stays unsettled', () => {
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

  test('when the network is lost: all reject with the error of the transport', async () => {
    const { all, bus } = peers(['a', 'b'], { settleMs: 10_000 });
    await Promise.all(all.map(({ node }) => node.ready));
    const outcomes = everything(all.find(({ leader }) => leader === null)!);
    bus.close();
    for (const outcome of (await outcomes).slice(1)) expect(outcome).toMatchObject({ reason: { name: 'ConnectionError' } });
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

  test('one leader of all, and one of a lower level within reach of everybody', async () => {
    const { all } = peers(ids, { links, radii: [1] });
    await agreed(all);
    await expect.poll(() => all.every((each) => (each.nearest({ within: 1 })?.distance ?? 9) <= 1)).toBe(true);
    const leaders = new Set(all.map((each) => each.nearest({ within: 1 })!.leader));
    expect(leaders.size).toBeGreaterThan(1);
  });

  test('nearest without levels is refused', async () => {
    const { all } = peers(['a', 'b']);
    expect(() => all[0]!.nearest({ within: 1 })).toThrow('nearest needs levels of leaders: give createElection their radii');
  });
});
