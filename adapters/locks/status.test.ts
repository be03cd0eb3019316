/** The status of locks and its changes, the warning about missing service, and the OpenTelemetry metrics. */
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics';
import { asyncScheduler, VirtualTimeScheduler, type SchedulerLike } from 'rxjs';
import { createActor, fromObservable } from 'xstate';
import type { Meter } from '@opentelemetry/api';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import { EPOCHS } from '../../machines/locks/messages.js';
import { MapStorage } from '../storage/map.fixture.js';
import type { PeerStorage } from '../storage/storage.js';
import { InProcessBus } from '../transports/in-process.js';
import { createLocks, type Locks, type LocksStatus } from './locks.js';
import { peers, settled } from './peers.fixture.js';

afterEach(() => void vi.restoreAllMocks());

describe('the status', () => {
  test('contains the state of a peer, its held locks and its waiting requests', async () => {
    const [{ a, b, c }] = await peers('a', 'b', 'c');
    const x = await b!.acquire('x');
    const y = await b!.acquire('y');
    void b!.acquire('x').catch(() => {});
    void b!.acquire('x').catch(() => {});
    const standing = {
      state: 'serving',
      epoch: a!.status().epoch,
      members: ['a', 'b', 'c'],
      leader: a!.status().leader,
      missing: [],
    };
    expect(standing.epoch).toBeGreaterThan(0);
    expect(b!.status()).toEqual({
      ...standing,
      held: [
        { name: 'x', fence: x.fence, mode: 'exclusive' },
        { name: 'y', fence: y.fence, mode: 'exclusive' },
      ],
      waiting: [{ name: 'x', callers: 2 }],
    });
    expect(c!.status()).toEqual({ ...standing, held: [], waiting: [] });
  });

  test('of a peer without connections, and of a closed one', async () => {
    const bus = new InProcessBus();
    const alone = createLocks({ transport: bus.transport('a'), peers: ['a', 'b', 'c'] });
    expect(alone.status()).toMatchObject({ state: 'connecting', epoch: 0, members: [], leader: null, missing: ['b', 'c'] });
    await alone.node.ready;
    expect(alone.status()).toMatchObject({ state: 'apart', epoch: 0, members: [], leader: 'a', missing: ['b', 'c'] });
    await alone.close();
    const closed = { state: 'closed', epoch: 0, members: [], leader: null, missing: [], held: [], waiting: [] };
    expect(alone.status()).toEqual(closed);
    const seen: LocksStatus[] = [];
    let isOver = false;
    alone.status$.subscribe({ next: (status) => void seen.push(status), complete: () => (isOver = true) });
    await vi.waitFor(() => expect(isOver).toBe(true), 20_000);
    expect(seen).toEqual([closed]);
  });

  test('is a copy: changes of it have no effect', async () => {
    const [{ a }] = await peers('a', 'b');
    const before = structuredClone(a!.status());
    for (const list of [a!.status().members, a!.status().missing, a!.members] as unknown as string[][]) list.push('nobody');
    expect(a!.status()).toEqual(before);
    expect(a!.members).toEqual(['a', 'b']);
  });

  test('is emitted when it has changed, and only then, until the end', async () => {
    const [{ a, b }, transports] = await peers('a', 'b', 'c');
    const seen: LocksStatus[] = [];
    let isOver = false;
    a!.status$.subscribe({ next: (status) => void seen.push(status), complete: () => (isOver = true) });
    expect(seen).toEqual([a!.status()]);
    // Other peers take the lock, and messages pass here.
    await b!.request('x', () => {});
    const turn = () => new Promise((resolve) => setTimeout(resolve, 5));
    await turn();
    expect(seen).toHaveLength(1);
    const asked = a!.acquire('x');
    // The changes of one turn of the event loop are one emission.
    const [y, z] = [a!.acquire('y'), a!.acquire('z')];
    for (const lock of [await y, await z]) lock.release();
    const held = await asked;
    await turn();
    const waiting = new AbortController();
    const second = a!.acquire('x', { signal: waiting.signal }).catch(() => {});
    await turn();
    waiting.abort();
    await second;
    await turn();
    held.release();
    await turn();
    expect(seen.slice(1).map(({ held, waiting }) => [held.length, waiting[0]?.callers ?? 0])).toEqual([
      [1, 0],
      [1, 1],
      [1, 0],
      [0, 0],
    ]);
    await transports['c']!.close();
    await vi.waitFor(() => expect(a!.status()).toMatchObject({ state: 'serving', members: ['a', 'b'], missing: ['c'] }), 20_000);
    await turn();
    expect(seen.at(-1)).toEqual(a!.status());
    await a!.close();
    await vi.waitFor(() => expect(isOver).toBe(true), 20_000);
    expect(seen.at(-1)!.state).toBe('closed');
    expect(seen.every((status, i) => i === 0 || JSON.stringify(status) !== JSON.stringify(seen[i - 1]))).toBe(true);
  });

  test('is actor logic for XState, as any Observable is', async () => {
    const [{ a }] = await peers('a', 'b');
    const actor = createActor(fromObservable(() => a!.status$)).start();
    onTestFinished(() => void actor.stop());
    await using held = await a!.acquire('x');
    await vi.waitFor(
      () => expect(actor.getSnapshot().context).toMatchObject({ state: 'serving', held: [{ name: 'x', fence: held.fence }] }),
      20_000,
    );
  });
});

describe('missing service for ten seconds is reported', () => {
  /** The first of some peers, in time that passes at once. Peers without a list join later. */
  function started(ids: readonly string[], there: readonly string[], storageOf?: () => PeerStorage) {
    const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
    warn.mockClear();
    const clock = new VirtualTimeScheduler();
    const virtual = { now: () => clock.now(), schedule: clock.schedule.bind(clock) } as SchedulerLike;
    const bus = new InProcessBus();
    onTestFinished(() => bus.close());
    const all = there.map((id) =>
      createLocks({
        transport: bus.transport(id),
        ...(ids.length === 0 ? { join: true } : { peers: ids }),
        clock: id === there[0] ? virtual : asyncScheduler,
        storage: storageOf?.(),
      }),
    );
    const notices: object[] = [];
    all[0]!.node.addEventListener('unserved', (event) => void notices.push((event as CustomEvent).detail as object));
    let until = 0;
    const pass = async (ms: number) => {
      for (let i = 0; i < 20; i++) await settled();
      clock.maxFrames = until += ms;
      clock.flush();
      for (let i = 0; i < 20; i++) await settled();
    };
    const warnings = () => warn.mock.calls.map(([text]) => text as string).filter((text) => text.includes(`peer "${there[0]}"`));
    return { all, pass, notices, warnings, bus };
  }

  test('two of three that start without storage: who is missing, and what helps', async () => {
    const { all, pass, notices, warnings } = started(['a', 'b', 'c'], ['a', 'b']);
    await pass(9_000);
    expect(warnings()).toEqual([]);
    await pass(2_000);
    expect(warnings()).toEqual([
      '"locks" of peer "a" has granted no locks for 10 s: it does not reach c, and peers without storage begin once all are connected, or ' +
        'after locks.bootstrap() on one peer of a new cluster; if c was removed since, no peer here remembers that: ' +
        'stop all peers, and start them with the present list of peers',
    ]);
    expect(notices).toEqual([{ type: 'unserved', ms: 10_000, missing: ['c'] }]);
    await pass(60_000);
    expect(warnings()).toHaveLength(1);
    all[0]!.bootstrap();
    await vi.waitFor(() => expect(all[0]!.status().state).toBe('serving'), 20_000);
  });

  test('a peer with another list, whose majority may serve without it', async () => {
    const { pass, warnings, bus } = started(['a', 'b', 'c'], ['a']);
    createLocks({ transport: bus.transport('c'), peers: ['a', 'c', 'x'] });
    await pass(11_000);
    expect(warnings()).toContain(
      '"locks" of peer "a" has granted no locks for 10 s: the list of peers at "c" differs from a, b, c. ' +
        'Restart all peers with the same list',
    );
  });

  test('a peer without connections, and one that lost the majority', async () => {
    const alone = started(['a', 'b', 'c'], ['a']);
    await alone.pass(11_000);
    const missing = 'has granted no locks for 10 s: it does not reach b, c, and a majority of the peers has to be connected';
    const cure =
      '; if they already serve without "a", name it in the peers of linked there, start it with join: true and call ' +
      'addMember("a") on one of them';
    expect(alone.warnings()).toEqual([`"locks" of peer "a" ${missing}${cure}`]);
    const { all, pass, warnings } = started(['a', 'b', 'c'], ['a', 'b', 'c']);
    await Promise.all(all.map(({ ready }) => ready));
    await pass(60_000);
    expect(warnings()).toEqual([]);
    for (const gone of all.slice(1)) await gone.transport.close();
    await pass(11_000);
    expect(warnings()).toEqual([`"locks" of peer "a" ${missing}`]);
  });

  test('a change of members that may be decided: the voters to start, and then service', async () => {
    const peers = ['a', 'b', 'c'];
    const { all, pass, warnings, bus } = started(peers, ['c', 'b']);
    const [c, b] = all as [Locks, Locks];
    const d = createLocks({ transport: bus.transport('d'), join: true });
    await d.node.ready;
    await pass(1_000);
    await vi.waitFor(() => expect(b.transport.peers.has('d')).toBe(true));
    b.replaceMember('a', 'd').catch(() => {});
    const promisedAt = ({ node }: Locks) => (node.role(EPOCHS)!.context as EpochsContext).promised;
    await vi.waitFor(() => expect(promisedAt(c)?.next.voters).toEqual(['b', 'c', 'd']));
    await b.transport.close();
    expect(c.status().changing).toEqual({ add: 'd', remove: 'a', by: null });
    const a = createLocks({ transport: bus.transport('a'), peers });
    await vi.waitFor(() => expect(c.status().missing).toEqual(['b']));
    await pass(11_000);
    expect(warnings()).toEqual([
      '"locks" of peer "c" has granted no locks for 10 s: it does not reach b; a change of the members to b, c, d may have been ' +
        'decided, and of these it does not reach b. Start them: a majority of these must remember its promises, or all must be connected',
    ]);
    createLocks({ transport: bus.transport('b'), peers });
    await d.ready;
    expect(d.members).toEqual(['b', 'c', 'd']);
    expect(d.status().changing).toBeUndefined();
    await vi.waitFor(() => expect([a, c].map(({ members }) => members)).toEqual([d.members, d.members]));
  });

  test('a peer that was not added yet', async () => {
    const { pass, warnings } = started([], ['a']);
    await pass(11_000);
    expect(warnings()).toEqual([
      '"locks" of peer "a" has granted no locks for 10 s: it is not a member. Call addMember("a") on a member, which must list it in the peers of linked',
    ]);
  });

  test('a peer connected with all others, one of which is stuck, is not asked to wait', async () => {
    let release = () => {};
    onTestFinished(() => release());
    const hung = (): PeerStorage => ({
      load: async () => undefined,
      save: () => new Promise<void>((resolve) => (release = resolve)),
    });
    const { all, pass, warnings, bus } = started(['a', 'b'], ['a']);
    createLocks({ transport: bus.transport('b'), peers: ['a', 'b'], storage: hung() });
    await pass(1_000);
    await vi.waitFor(() => expect(all[0]!.status().missing).toEqual([]), 20_000);
    await pass(11_000);
    expect(warnings()).toEqual([
      '"locks" of peer "a" has granted no locks for 10 s: it reaches all peers. Compare locks.status() of all peers',
    ]);
  });

  test('no warning for a peer that serves, or has ended', async () => {
    const { all, pass, warnings } = started(['a', 'b', 'c'], ['a', 'b'], () => new MapStorage());
    await pass(1_000);
    await Promise.all(all.map(({ ready }) => ready));
    await pass(11_000);
    expect(warnings()).toEqual([]);
    const ended = started(['a', 'b', 'c'], ['a']);
    await ended.pass(5_000);
    await ended.all[0]!.close();
    await ended.pass(11_000);
    expect(ended.warnings()).toEqual([]);
  });
});

describe('metrics', () => {
  const peerWithMetrics = () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
    const provider = new MeterProvider({ readers: [reader] });
    onTestFinished(() => provider.shutdown());
    const transport = new InProcessBus().transport('a');
    const locks = createLocks({ transport, peers: ['a'], metrics: provider.getMeter('locks') });
    const collect = async () => {
      await provider.forceFlush();
      const { metrics } = exporter.getMetrics().at(-1)!.scopeMetrics[0]!;
      const values = metrics.flatMap(({ descriptor, dataPoints }) =>
        dataPoints.map(({ attributes, value }) => {
          const outcome = String(attributes['quiver.locks.outcome'] ?? '');
          return [`${descriptor.name} ${outcome}`.trim(), typeof value === 'object' ? (value as { count: number }).count : value];
        }),
      );
      return Object.fromEntries(values) as Record<string, number>;
    };
    return { locks, transport, collect };
  };

  test.each(['closed, and what is held is not given back', 'at their end as the transport ends'])(
    'match the status once locks are %s',
    async (how) => {
      const { locks, transport, collect } = peerWithMetrics();
      await locks.ready;
      await locks.acquire('x');
      void locks.acquire('x').catch(() => {});
      const read = { 'quiver.locks.serving': 1, 'quiver.locks.held': 1, 'quiver.locks.waiting': 1 };
      expect(await collect()).toMatchObject(read);
      await (how.startsWith('closed') ? locks.close({ withinMs: 0 }) : transport.close());
      await vi.waitFor(() => expect(locks.status().state).toBe('closed'));
      const ended = {
        'quiver.locks.serving': 0,
        'quiver.locks.held': 0,
        'quiver.locks.waiting': 0,
        'quiver.locks.hold.duration lost': 1,
        'quiver.locks.wait.duration abandoned': 1,
      };
      expect(await collect()).toMatchObject(ended);
      // Metrics of ended locks are not observed again; the last value stays.
      expect(await collect()).toMatchObject(ended);
    },
  );

  test('the given meter counts grants, waits, holds and epochs', async () => {
    const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE);
    const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 2 ** 30 });
    const provider = new MeterProvider({ readers: [reader] });
    onTestFinished(() => provider.shutdown());
    const bus = new InProcessBus();
    const metrics: Meter = provider.getMeter('locks');
    const [a, b] = ['a', 'b'].map((id) => createLocks({ transport: bus.transport(id), peers: ['a', 'b'], metrics }));
    await Promise.all([a!.ready, b!.ready]);
    const collect = async () => {
      await provider.forceFlush();
      const { scopeMetrics } = exporter.getMetrics().at(-1)!;
      return Object.fromEntries(
        scopeMetrics[0]!.metrics.map(({ descriptor, dataPoints }) => [
          descriptor.name,
          Object.fromEntries(
            dataPoints
              .filter(({ attributes }) => attributes['quiver.peer'] === 'a' && attributes['quiver.locks.name'] === 'locks')
              .map(({ attributes, value }) => [
                String(attributes['quiver.locks.outcome'] ?? ''),
                typeof value === 'object' ? (value as { count: number }).count : value,
              ]),
          ),
        ]),
      );
    };
    await a!.request('x', () => {});
    const held = await a!.acquire('x');
    expect(await a!.acquire('x', { ifAvailable: true })).toBeNull();
    void a!.acquire('y', { signal: AbortSignal.abort() }).catch(() => {});
    const stop = new AbortController();
    const waiting = a!.acquire('x', { signal: stop.signal }).catch(() => {});
    expect(await collect()).toMatchObject({
      'quiver.locks.wait.duration': { granted: 2, unavailable: 1 },
      'quiver.locks.hold.duration': { released: 1 },
      'quiver.locks.serving': { '': 1 },
      'quiver.locks.held': { '': 1 },
      'quiver.locks.waiting': { '': 1 },
    });
    stop.abort();
    await waiting;
    await b!.transport.close();
    expect(held.signal.aborted).toBe(true);
    expect(await collect()).toMatchObject({
      'quiver.locks.wait.duration': { granted: 2, unavailable: 1, abandoned: 1 },
      'quiver.locks.hold.duration': { released: 1, lost: 1 },
      'quiver.locks.epochs': { '': expect.any(Number) },
      'quiver.locks.serving': { '': 0 },
      'quiver.locks.held': { '': 0 },
      'quiver.locks.waiting': { '': 0 },
    });
    bus.close();
  });
});
