/** Locks when peers fail: docs/locks.md. */
import { WebSocket } from 'ws';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { asyncScheduler, VirtualTimeScheduler, type SchedulerLike } from 'rxjs';
import { MapStorage } from '../storage/map.fixture.js';
import type { Json } from '../transports/transport.js';
import { InProcessBus } from '../transports/in-process.js';
import { webSocketHub } from '../transports/web-socket-hub.js';
import { webSocket } from '../transports/web-socket.js';
import { createLocks, type Locks, type LocksOptions } from './locks.js';
import { cuttable, peers, settled } from './peers.fixture.js';

type Cuttable = Awaited<ReturnType<typeof cuttable>>[number];

const clockAhead = (ms: number): SchedulerLike => ({
  now: () => asyncScheduler.now() + ms,
  schedule: asyncScheduler.schedule.bind(asyncScheduler),
});

const isGrowing = (fences: readonly number[]) => fences.every((fence, i) => i === 0 || fence > fences[i - 1]!);

test('a holder that is gone: the next waiter gets a larger fence, in a later epoch', async () => {
  const [{ a, b, c }, transports] = await peers('a', 'b', 'c');
  const first = await a!.acquire('x');
  const others = [b!.acquire('x'), c!.acquire('x')];
  await settled();
  await transports['a']!.close();
  expect(first.signal.reason).toMatchObject({ name: 'LostError' });
  const second = await Promise.race(others);
  expect(second.fence).toBeGreaterThan(first.fence);
  second.release();
  const [p, q] = await Promise.all(others);
  expect(isGrowing([first.fence, ...[p!.fence, q!.fence].sort((x, y) => x - y)])).toBe(true);
});

test('a holder keeps its lock when another peer fails', async () => {
  const [{ a, b }, transports] = await peers('a', 'b', 'c');
  const held = await a!.acquire('x');
  const next = b!.acquire('x');
  await settled();
  await transports['c']!.close();
  await settled();
  expect(held.signal.aborted).toBe(false);
  expect((await b!.query()).pending).toHaveLength(1);
  held.release();
  expect((await next).fence).toBeGreaterThan(held.fence);
});

test('a minority is granted nothing: requests wait, and ifAvailable returns at once', async () => {
  const [{ a }, transports] = await peers('a', 'b', 'c');
  for (const gone of ['b', 'c']) await transports[gone]!.close();
  await settled();
  expect(await a!.acquire('x', { ifAvailable: true })).toBeNull();
  await expect(a!.acquire('x', { signal: AbortSignal.timeout(5) })).rejects.toMatchObject({ name: 'TimeoutError' });
});

test('a holder that is cut off loses its lock, and serves again when the cut ends', async () => {
  const [{ locks: a, medium }, { locks: b }] = (await cuttable('a', 'b', 'c')) as [Cuttable, Cuttable];
  const cutOff = await a.acquire('x');
  const next = b.acquire('x');
  medium.isCut = true;
  const second = await next;
  await new Promise((resolve) => (cutOff.signal.aborted ? resolve(null) : cutOff.signal.addEventListener('abort', resolve)));
  expect(cutOff.signal.reason).toMatchObject({ name: 'LostError' });
  expect(second.fence).toBeGreaterThan(cutOff.fence);
  const third = a.acquire('x');
  medium.isCut = false;
  second.release();
  expect((await third).fence).toBeGreaterThan(second.fence);
});

describe('locks that an error ends', () => {
  /** For peers with different lists; returns the warnings. */
  const differing = () => {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    warn.mockClear();
    const bus = new InProcessBus();
    onTestFinished(() => bus.close());
    const start = (id: string, ids: readonly string[]) => createLocks({ transport: bus.transport(id), peers: ids });
    return { warn, start, bus };
  };
  const closed = (locks: Locks) => vi.waitFor(() => expect(locks.status().state).toBe('closed'));

  test('are reported once if no caller waits for them', async () => {
    const { warn, start } = differing();
    const [a] = [start('a', ['a', 'b']), start('b', ['a', 'b', 'c'])];
    await closed(a);
    const warnings = warn.mock.calls.map(([text]) => String(text)).filter((text) => text.includes('of peer "a" has ended'));
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatch(/was started with the peers a, b.* every request rejects with this ConfigurationError/);
    await expect(a.request('x', () => {})).rejects.toMatchObject({ name: 'ConfigurationError' });
  });

  test('are not reported if a caller receives the error, or has closed them', async () => {
    const { warn, start, bus } = differing();
    const b = start('b', ['b']);
    await b.ready;
    const a = start('a', ['a', 'b']);
    const received = [a.ready, a.request('x', () => {})];
    await Promise.all(received.map((promise) => expect(promise).rejects.toMatchObject({ name: 'ConfigurationError' })));
    const [c, d] = [start('c', ['c']), createLocks({ transport: bus.transport('d'), peers: ['d'] })];
    await c.close();
    await d.transport.close();
    await closed(d);
    expect(warn.mock.calls.map(([text]) => String(text)).filter((text) => text.includes('has ended'))).toEqual([]);
  });
});

/** Everything that is printed until the test ends. */
function printed(): string[] {
  const spies = (['warn', 'error', 'info'] as const).map((level) =>
    vi
      .spyOn(console, level)
      .mockClear()
      .mockImplementation((text: string) => void texts.push(text)),
  );
  const texts: string[] = [];
  onTestFinished(() => spies.forEach((spy) => spy.mockRestore()));
  return texts;
}

test.each(['the bus', 'the transports'])('closing %s before the locks prints nothing', async (first) => {
  const texts = printed();
  const bus = new InProcessBus();
  const all = ['a', 'b', 'c'].map((id) => createLocks({ transport: bus.transport(id), peers: ['a', 'b', 'c'] }));
  await Promise.all(all.map((locks) => locks.request('printer', () => {})));
  if (first === 'the bus') bus.close();
  else await Promise.all(all.map(({ transport }) => transport.close()));
  await Promise.all(all.map((locks) => locks.close()));
  bus.close();
  expect(texts).toEqual([]);
});

test('closing the hub before the locks prints one line for each peer', async () => {
  const texts = printed();
  const hub = await webSocketHub({ port: 0 });
  const url = `ws://127.0.0.1:${hub.port}`;
  const ids = ['left-1', 'left-2', 'left-3'];
  const all = ids.map((id) => createLocks({ transport: webSocket({ id, url, WebSocket }), peers: ids }));
  await Promise.all(all.map((locks) => locks.request('printer', () => {})));
  await hub.close();
  await Promise.all(all.map((locks) => locks.close()));
  expect(texts.map((text) => text.replace(/: .*/s, '')).toSorted()).toEqual(
    ids.map((id) => `peer "${id}" has no connection and will retry`),
  );
});

describe('a peer with unreasonable epoch numbers', () => {
  const ids = ['a', 'b', 'c'];
  const YEARS = 5 * 366 * 24 * 60 * 60 * 1_000;
  /** Peers that are started one by one on one bus, with their console output and the notifications of each. */
  function cluster(settings: (id: string) => Omit<LocksOptions, 'transport'>) {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    const bus = new InProcessBus();
    const received: object[] = [];
    onTestFinished(async () => {
      bus.close();
      await settled();
      warn.mockRestore();
    });
    const start = (id: string, role: { peers: string[] } | { join: true } = { peers: ids }) => {
      const transport = bus.transport(id);
      const locks = createLocks({ transport, ...role, ...settings(id) });
      locks.node.addEventListener('unreasonable', (event) => received.push({ at: id, ...(event as CustomEvent).detail }));
      return { locks, transport };
    };
    return { start, received, reported: () => warn.mock.calls.map(([text]) => text as string) };
  }

  /** The stored numbers of its epochs. */
  const altered = (storage: MapStorage, epoch: number): void => {
    for (const [key, value] of storage.values)
      storage.values.set(key, JSON.parse(JSON.stringify(value).replaceAll(/"epoch":\d+/g, `"epoch":${epoch}`)) as Json);
  };

  test.each(['a', 'c'])('is reported and ignored when %s starts with altered storage; locks stay held', async (bad) => {
    const storages = Object.fromEntries([...ids, 'd'].map((id) => [id, new MapStorage()]));
    const { start, received, reported } = cluster((id) => ({ storage: storages[id]! }));
    const all = Object.fromEntries(ids.map((id) => [id, start(id)]));
    await Promise.all(ids.map((id) => all[id]!.locks.ready));
    await all[bad]!.transport.close();
    const held = await all['b']!.locks.acquire('x');
    altered(storages[bad]!, 2 ** 39);
    start(bad).locks.ready.catch(() => {});
    const other = bad === 'a' ? 'c' : 'a';
    await vi.waitFor(() => expect(received).toHaveLength(3), 10_000);
    await vi.waitFor(() => expect(all[other]!.locks.status()).toMatchObject({ state: 'serving', missing: [bad] }), 10_000);
    (await all[other]!.locks.acquire('y')).release();
    expect(held.signal.aborted).toBe(false);
    expect(received).toContainEqual({
      at: 'b',
      type: 'unreasonable',
      peer: bad,
      epoch: expect.any(Number),
      known: expect.any(Number),
    });
    expect(reported().filter((text) => text.includes(`of peer "b" ignores "${bad}"`))).toEqual([
      expect.stringMatching(
        /: its epochs' numbers \(5\d+\) and those here \(\d+\) are more than a year apart\. .*"Numbers that differ too much"$/,
      ),
    ]);
    // The remedy of docs/locks.md.
    start('d', { join: true });
    await vi.waitFor(() => expect(all['b']!.transport.peers.has('d')).toBe(true));
    expect(await all['b']!.locks.replaceMember(bad, 'd')).toEqual([...ids.filter((id) => id !== bad), 'd']);
    expect(held.signal.aborted).toBe(false);
  });

  test('is reported once, also in the warning of a peer without service, and again later', async () => {
    const storages = Object.fromEntries(ids.map((id) => [id, new MapStorage()]));
    const passing = new VirtualTimeScheduler();
    const clock: SchedulerLike = { now: () => passing.now(), schedule: passing.schedule.bind(passing) };
    const { start, received, reported } = cluster((id) => ({ storage: storages[id]!, ...(id === 'c' && { clock }) }));
    const [, b, first] = ids.map((id) => start(id)) as [
      ReturnType<typeof start>,
      ReturnType<typeof start>,
      ReturnType<typeof start>,
    ];
    await Promise.all([b.locks.ready, first.locks.ready]);
    let c = first;
    const comesBack = async (how: (storage: MapStorage) => void) => {
      await c.transport.close();
      how(storages['c']!);
      c = start('c');
      c.locks.ready.catch(() => {});
    };
    const named = () => reported().filter((text) => text.includes('of peer "b" ignores "c"')).length;
    const isRefused = (times: number) => expect(received.filter((one) => 'at' in one && one.at === 'b')).toHaveLength(times);
    const rightValues = structuredClone(storages['c']!.values);

    for (const times of [1, 2]) {
      await comesBack((storage) => altered(storage, 2 ** 39));
      await vi.waitFor(() => isRefused(times), 10_000);
    }
    expect(named()).toBe(1);
    passing.maxFrames = 11_000;
    passing.flush();
    expect(reported()).toContainEqual(
      expect.stringMatching(
        /^"locks" of peer "c" has granted no locks for 10 s: .*: its epochs' numbers .* more than a year apart./,
      ),
    );

    await comesBack(({ values }) => rightValues.forEach((value, key) => values.set(key, value)));
    await c.locks.ready;
    await vi.waitFor(() => expect(b.locks.status().members).toEqual(ids), 10_000);
    await comesBack((storage) => altered(storage, 2 ** 39));
    await vi.waitFor(() => isRefused(3), 10_000);
    expect(named()).toBe(2);
  });

  test('does not prevent service if the other peers began with clocks years ahead', async () => {
    const { start, received } = cluster((id) => ({ clock: clockAhead(id === 'c' ? 0 : YEARS) }));
    const [a, b, c] = ids.map((id) => start(id).locks) as [Locks, Locks, Locks];
    await vi.waitFor(() => expect(received.length).toBeGreaterThan(1), 10_000);
    a.bootstrap();
    await Promise.all([a.ready, b.ready]);
    expect([a.status().missing, c.status().state]).toEqual([['c'], 'apart']);
  });
});
