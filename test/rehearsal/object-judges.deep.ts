/** Each judge of objects with a history that satisfies it, and with one that violates it; and the history that a world passes to them. */
import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { linked } from '../../adapters/linked.js';
import { createLocks, type Locks } from '../../adapters/locks/locks.js';
import { webSocket } from '../../adapters/transports/web-socket.js';
import { webSocketHub } from '../../adapters/transports/web-socket-hub.js';
import { lockJudges, type RehearsalJudge } from './judges.js';
import { sequentialRegister } from './linearizability.js';
import { bounded, delivery, linearizable, noLeaks, oneLeader, unique, withinBudget } from './object-judges.js';
import { rehearse } from './rehearse.js';
import type { RehearsalScenario } from './scenario.js';

const scenario = { peers: ['p0', 'p1', 'p2'], services: [] } as unknown as RehearsalScenario;
type HistoryEntry = readonly [type: string, fields: Readonly<Record<string, unknown>>];
const note = (peer: string, what: string, fields: object): HistoryEntry => ['note', { peer, what, ...fields }];
const call = (operation: string, input: object): HistoryEntry => ['call', { peer: 'p0', object: 'x', operation, input }];
const returns = (operation: string, output: unknown): HistoryEntry => ['return', { peer: 'p0', object: 'x', operation, output }];
const sent = (message: number) => note('p0', 'sent', { to: 'p1', message });
const got = (message: number) => note('p1', 'got', { from: 'p0', message });
const start = (peer: string): HistoryEntry => ['start', { peer, life: 1 }];
const leads = (peer: string, leader: string) => note(peer, 'leader', { leader });
const end: HistoryEntry = ['end', { peer: 'p2' }];

/** The results of the judge for a history with one entry per tick, during it and at its end. */
function judged(judge: RehearsalJudge, notified: readonly HistoryEntry[], endMs = 60_000): string | null {
  const observer = judge.begin({ scenario, store: new Map(), history: [] });
  for (const [i, [type, fields]] of notified.entries()) {
    const description = observer.observe?.({ type, at: i, ...fields });
    if (description) return description;
  }
  return observer.end?.(endMs) || null;
}

const register = linearizable('x', sequentialRegister(0));

test.each<[description: string | null, judge: RehearsalJudge, notified: HistoryEntry[], endMs?: number]>([
  [null, register, [call('1', { write: 1 }), returns('1', null), call('2', { read: true }), returns('2', 1)]],
  [null, register, [call('1', { write: 1 }), call('2', { read: true }), returns('2', 0)]],
  [
    `p0's {"read":true} = 0 (2 to 3 ms) on "x"`,
    register,
    [call('1', { write: 1 }), returns('1', null), call('2', { read: true }), returns('2', 0)],
  ],
  [
    null,
    unique('named', 'name'),
    [note('p0', 'named', { name: 1 }), note('p1', 'named', { name: 2 }), note('p1', 'other', { name: 2 })],
  ],
  [
    'name 1 was given to p0, and then to p1',
    unique('named', 'name'),
    [note('p0', 'named', { name: 1 }), note('p1', 'named', { name: 1 })],
  ],
  [null, withinBudget('took', 'n', 3), [note('p0', 'took', { n: 1 }), note('p1', 'took', { n: 2 })]],
  ['for a total of 4 of 3', withinBudget('took', 'n', 3), [note('p0', 'took', { n: 2 }), note('p1', 'took', { n: 2 })]],
  [null, delivery(), [sent(1), sent(2), got(1), got(2)]],
  ['arrived twice', delivery(), [sent(1), got(1), got(1)]],
  ['was sent later', delivery(), [sent(1), sent(2), got(2), got(1)]],
  ['was never sent', delivery(), [got(1)]],
  ['2 was sent from p0 to p1 at 1 ms and has not arrived', delivery(), [sent(1), sent(2), got(1)]],
  [null, delivery(), [sent(1), sent(2), got(1), end]],
  [null, oneLeader(), [start('p0'), start('p1'), leads('p0', 'p1'), leads('p1', 'p1')]],
  ['the leader of p0 is p0, but that of p1 is p1', oneLeader(), [start('p0'), start('p1'), leads('p0', 'p0'), leads('p1', 'p1')]],
  [null, oneLeader(), [start('p0'), start('p1'), leads('p0', 'p0'), leads('p1', 'p1')], 9_000],
  ['the leader of p0 is p2, which is not up', oneLeader(), [start('p0'), start('p2'), leads('p0', 'p2'), end]],
  [null, noLeaks({ timers: 5 }), [['holds', { peer: 'p0', timers: 5, connections: 1 }]]],
  ['p0 has 6 timers', noLeaks({ timers: 5 }), [['holds', { peer: 'p0', timers: 6, connections: 1 }]]],
  ['p0 has 6 connections', noLeaks({ connections: 5 }), [['holds', { peer: 'p0', timers: 5, connections: 6 }]]],
  ['p0 has 6 entries in the charts', noLeaks({ kept: 5 }), [['holds', { peer: 'p0', timers: 5, kept: 6 }]]],
  ['p0 has 1001 listeners', noLeaks(), [['holds', { peer: 'p0', kept: 100_000, listeners: 1_001 }]]],
  [null, bounded('cache', 'size', 3), [note('p0', 'cache', { size: 3 }), note('p0', 'other', { size: 4 })]],
  [
    'size of "cache" is 4 at p1',
    bounded('cache', 'size', 3),
    [note('p0', 'cache', { size: 3 }), note('p1', 'cache', { size: 4 })],
  ],
])('%#: reports %s', (description, judge, notified, endMs) => {
  const reported = judged(judge, notified, endMs);
  if (description === null) expect(reported).toBeNull();
  else expect(reported).toContain(description);
});

const one = { peers: 1, runs: 1, seconds: 5, faults: [], shrinkSeconds: 0 } as const;

test('a world reports timers that are never cleared, and warnings of Node', async () => {
  const leaking = async (timers: number) =>
    rehearse({ ...one, judges: [noLeaks({ timers: 20 })] }, () => {
      for (let i = 0; i < timers; i++) setInterval(() => {}, 1_000);
      for (let i = 0; i < 50; i++) clearTimeout(setTimeout(() => {}, 60_000));
    });
  expect((await leaking(20)).failure).toBeNull();
  expect((await leaking(21)).failure).toMatchObject({ judge: 'no leaks', description: expect.stringContaining('21 timers') });
  const { failure } = await rehearse({ ...one, judges: [noLeaks()] }, () => {
    const emitter = new EventEmitter();
    for (let i = 0; i < 11; i++) emitter.on('x', () => {});
  });
  expect(failure).toMatchObject({ judge: 'no leaks', description: expect.stringContaining('MaxListenersExceededWarning') });
});

/** Three peers who ask forever new locks, of which an epoch has room for eight; each leaves behind what `leak` does. */
const leaking = (leak: (locks: Locks, number: number) => void, seconds = 8) =>
  rehearse(
    {
      ...one,
      peers: 3,
      seconds,
      seed: 2,
      limits: ['small'],
      services: { hub: ({ listen, WebSocketServer }) => webSocketHub({ server: listen(), WebSocketServer }) },
      judges: [...lockJudges(), noLeaks({ kept: 600, listeners: 20 })],
    },
    async ({ id, peers, watch }) => {
      const locks = watch(createLocks({ transport: linked(webSocket({ id, url: 'ws://hub' }), { peers }), peers }));
      for (let number = 1; ; number++) await locks.request(`${id} ${number}`, () => leak(locks, number));
    },
  );

test('a world reports chart entries and listeners: the same after 90 and 270 locks', async () => {
  const [soon, late] = [await leaking(() => {}, 8), await leaking(() => {}, 20)];
  expect([soon.failure, late.failure]).toEqual([null, null]);
  expect(soon.counts['grant']).toBeGreaterThan(90);
  expect(late.counts['grant']).toBeGreaterThan(270);
});

test.each<[left: string, leak: (locks: Locks, number: number) => void, description: RegExp]>([
  ['a subscription', ({ node }) => node.steps$.subscribe(), /^p\d has \d+ listeners to its nodes at the end; the limit is 20$/],
  [
    'locks that nobody releases',
    (locks, number) => void locks.acquire(`kept ${locks.node.id} ${number}`).catch(() => {}),
    /^p\d has \d+ entries in the charts of its nodes at the end; the limit is 600$/,
  ],
  [
    'nodes that nobody closes',
    ({ transport, peers }, number) => void (number < 20 && createLocks({ transport, peers, name: `locks ${number}` })),
    /^p\d has \d+ entries in the charts of its nodes at the end; the limit is 600$/,
  ],
])('leaked with each lock, %s: noLeaks finds it', async (_, leak, description) => {
  const { failure } = await leaking(leak);
  expect(failure).toMatchObject({ judge: 'no leaks', description: expect.stringMatching(description) });
});

test('linearizable finds a lost update of a store that is read before it is written', async () => {
  const { failure } = await rehearse({ ...one, peers: 5, runs: 10, judges: [register] }, ({ store, operation }) =>
    operation('x', { add: 1 }, async () => {
      const sum = (((await store.read('x')) as number | undefined) ?? 0) + 1;
      await store.write('x', sum);
      return sum;
    }),
  );
  expect(failure).toMatchObject({ judge: 'linearizable x', description: expect.stringContaining('{"add":1} = 1') });
});
