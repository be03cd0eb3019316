/** Locks that ship, whose members change in a world; and the judges that receive it. */
import { expect, test } from 'vitest';
import { formatFailure } from './failure.js';
import { invariant, type RehearsalJudge } from './judges.js';
import { shippedFrom } from '../../testing/rehearsal/locks.js';
import { changesOf, changesSettle, foundersOf, membersAfter, membersUnder } from '../../testing/rehearsal/members.js';
import { answered } from '../../testing/rehearsal/objects.js';
import { rehearse } from './rehearse.js';
import type { RehearsalEvent } from './world.js';

const shipped = await shippedFrom((path) => import(/* @vite-ignore */ `../../adapters/${path}.js`));
const PEERS = ['p0', 'p1', 'p2', 'p3', 'p4'];

test('plans of joins and departures', () => {
  const plan = (plan: string, peers = PEERS, first = 1) => changesOf(peers, { plan, first });
  expect(plan('add replace remove')).toEqual([
    { add: 'p3', remove: null },
    { add: 'p4', remove: 'p1' },
    { add: null, remove: 'p2' },
  ]);
  expect(plan('add add', PEERS.slice(0, 4))).toEqual([{ add: 'p3', remove: null }]);
  expect(membersAfter(foundersOf(PEERS), plan('add replace remove'))).toEqual(['p0', 'p3', 'p4']);
  expect(foundersOf([...PEERS, 'p5', 'p6'])).toEqual(PEERS);
});

test('members join, leave and are replaced, and all current ones are granted locks', async () => {
  const { options, main } = membersUnder(shipped, ['hub']);
  const knobs = { ...options.knobs, plan: ['add replace remove'], first: [0], think: [50], hold: [50], workers: [1], names: [1] };
  let history: readonly RehearsalEvent[] = [];
  const noted = invariant('noted', (setting) => ((history = setting.history), true));
  const report = await rehearse(
    {
      ...options,
      peers: 5,
      seconds: 8,
      faults: [],
      runs: 1,
      seed: 4,
      limits: ['shipped'],
      knobs,
      judges: [...options.judges!, noted],
      shrinkSeconds: 0,
    },
    main,
  );
  expect(report.failure && formatFailure(report.failure)).toBeNull();
  const lists = history.filter(({ what }) => what === 'members').map((line) => line['lists']);
  const [first, second, third, last] = [
    ['p0', 'p1', 'p2'],
    ['p0', 'p1', 'p2', 'p3'],
    ['p1', 'p2', 'p3', 'p4'],
    ['p2', 'p3', 'p4'],
  ];
  expect(lists).toEqual([[first, second], [second], [second, third], [third], [third, last], [last]]);
  const end = history.findLast(({ what }) => what === 'members')!.at + 500;
  const granted = new Set(history.flatMap(({ type, at, peer }) => (type === 'grant' && at > end ? [peer!] : [])));
  expect([...granted].sort()).toEqual(last);
});

/** The result of the judge for these events, at the end after 20 seconds. */
function judged({ begin }: RehearsalJudge, ...events: readonly object[]): unknown {
  const observer = begin({ scenario: { peers: PEERS, services: [], clients: ['operator'] }, store: new Map(), history: [] });
  const reported = events.map((event) => observer.observe?.({ at: 0, ...event } as RehearsalEvent));
  return reported.find(Boolean) ?? observer.end?.(20_000);
}

const members = (at: number, ...lists: readonly (readonly string[])[]) => ({
  type: 'note',
  peer: 'operator',
  what: 'members',
  at,
  lists,
});
const FOUNDERS = ['p0', 'p1', 'p2'];

test('a missing change is found eight seconds after the last fault', () => {
  const asked = members(3_000, FOUNDERS, [...FOUNDERS, 'p3']);
  expect(judged(changesSettle(), asked)).toContain('are to be p0, p1, p2, p3 since 3000 ms');
  expect(judged(changesSettle(), asked, members(4_000, [...FOUNDERS, 'p3']))).toBeNull();
  expect(judged(changesSettle(), asked, { type: 'healed', at: 13_000 })).toBeNull();
});

test('an object that does not respond for twelve seconds is found', () => {
  const notified = (what: string, at: number, number: number) => ({ type: 'note', peer: 'p0', what, at, number, of: 'a name' });
  const asks = notified('asks', 3_000, 1);
  expect(judged(answered(), asks)).toContain('p0 has asked for a name at 3000 ms');
  expect(judged(answered(), asks, notified('answered', 4_000, 1))).toBeNull();
  expect(judged(answered(), asks, notified('asks', 3_000, 2), notified('answered', 7_900, 2))).toContain('a name at 3000 ms');
  expect(judged(answered(), asks, notified('asks', 3_000, 2), notified('answered', 8_100, 2))).toBeNull();
  expect(judged(answered(), asks, { type: 'healed', at: 8_100 })).toBeNull();
  expect(judged(answered(), asks, members(8_100, FOUNDERS))).toBeNull();
  expect(judged(answered(), asks, { type: 'end', peer: 'p0', at: 4_000 })).toBeNull();
});

test('lock judges count the current members, and both lists during a change', () => {
  const undisturbed = membersUnder(shipped).options.judges!.find(({ name }) => name === 'undisturbed')!;
  const started = PEERS.map((peer) => ({ type: 'start', peer, life: 1 }));
  const lost = (peer: string) => [
    { type: 'grant', peer, lock: 'x', fence: 1, at: 5_000 },
    { type: 'lost', peer, lock: 'x', at: 6_000 },
  ];
  const ends = (...peers: readonly string[]) => peers.map((peer) => ({ type: 'end', peer, at: 4_500 }));
  // p3 and p4 have not been added: two of three founders are a majority, and one is none.
  expect(judged(undisturbed, ...started, ...ends('p2', 'p3', 'p4'), ...lost('p0'))).toContain('p0 lost "x"');
  expect(judged(undisturbed, ...started, ...ends('p1', 'p2'), ...lost('p0'))).toBeNull();
  // A peer that is not a member has no promises.
  expect(judged(undisturbed, ...started, ...lost('p3'))).toBeNull();
  const both = members(4_000, FOUNDERS, [...FOUNDERS, 'p3']);
  expect(judged(undisturbed, ...started, both, ...ends('p2', 'p3'), ...lost('p0'))).toBeNull();
  expect(judged(undisturbed, ...started, both, members(4_400, ['p0', 'p3']), ...lost('p3'))).toContain('p3 lost "x"');
  expect(judged(undisturbed, ...started, both, members(4_400, ['p0', 'p3']), ...lost('p1'))).toBeNull();
});
