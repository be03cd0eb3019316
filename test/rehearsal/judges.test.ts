import { describe, expect, test } from 'vitest';
import { fences, settles, undisturbed } from './judges.js';
import type { RehearsalEvent } from './world.js';

const PEERS = ['p0', 'p1', 'p2'];
const started = PEERS.map((peer) => ({ type: 'start', at: 0, peer, life: 1 }));
const granted = { type: 'grant', at: 5_000, peer: 'p2', lock: 'x', fence: 1, mode: 'exclusive' };
const full = { type: 'fault', at: 6_000, fault: { what: 'full', who: 'p2', other: 'p0', atMs: 6_000, lastsMs: 2_000, size: 3 } };
const lost = { type: 'lost', at: 7_000, peer: 'p2', lock: 'x', fence: 1 };
const left = { ...lost, type: 'left', at: 7_000 };
const endsBy = (how: string, at = 7_000, peer = 'p2') => [
  { type: how, at, peer },
  { type: 'end', at, peer },
];
const ended = endsBy('exit');
const killed = ended.at(-1)!;
const again = { ...granted, at: 7_200, lock: 'y', fence: 2 };
/** The same of another peer and another lock. */
const of = (peer: string, event: object) => ({ ...event, peer, lock: 'y' });
const fullOf = (who: string) => ({ ...full, fault: { ...full.fault, who } });
const later = { type: 'ask', at: 7_001, peer: 'p0', lock: 'x', ask: '1.1' };

/** The final result of the judge. */
function judged(...events: readonly object[]): string | null {
  const observer = undisturbed().begin({ scenario: { peers: PEERS, services: [], clients: [] } } as never);
  for (const event of [...started, granted, ...events]) {
    const description = observer.observe?.(event as RehearsalEvent);
    if (description) return description;
  }
  return observer.end?.(8_000) ?? null;
}

describe('an undisturbed holder loses its lock', () => {
  const wrong = 'p2 lost "x", which it had since 5000 ms, and nothing has disturbed it';
  test.each([
    ['and that is wrong', [lost, later], wrong],
    ['with another disk full than its own', [{ ...full, fault: { ...full.fault, who: 'p1' } }, lost, ...ended], wrong],
    ['with the disks of both others full, which may leave it in no majority', [fullOf('p0'), fullOf('p1'), lost], null],
    ['with its disk full, and goes on', [full, lost, left, later], wrong],
    ['with its disk full, and its callback goes on to the end', [full, lost, later], null],
    ['with its disk full, is granted another, and ends later', [full, lost, again, ...endsBy('exit', 7_500)], wrong],
    ['with its disk full, and ends of it once its callback has', [full, lost, later, ...endsBy('exit', 7_500)], null],
    ['with its disk full, and is killed before it ends by itself', [full, lost, left, { ...killed, at: 7_500 }], wrong],
    ['with its disk full, and is killed in its callback', [full, lost, { ...killed, at: 7_500 }, left], null],
    [
      'with its disk full, is killed, and ends by itself in its next life',
      [full, lost, left, { ...killed, at: 7_500 }, ...endsBy('exit', 7_700)],
      wrong,
    ],
    ['with a full disk, and ends because of an uncaught error', [full, lost, ...endsBy('uncaught')], null],
    ['with its disk full, ends of it, and is granted another in its next life', [full, lost, ...ended, again], null],
    ['with its disk full, and nothing happens any more', [full, lost, left], wrong],
    ['with its disk full, and another one ends', [full, lost, left, ...endsBy('exit', 7_000, 'p1'), later], wrong],
    [
      'with its disk full, as another one does, which ends of it',
      [full, fullOf('p0'), of('p0', granted), lost, left, of('p0', lost), ...endsBy('exit', 7_500, 'p0')],
      wrong,
    ],
    [
      'with its disk full, and ends of it, and another one does not',
      [full, fullOf('p1'), of('p1', granted), lost, of('p1', lost), of('p1', left), ...endsBy('exit', 7_500)],
      wrong.replace('p2', 'p1').replace('"x"', '"y"'),
    ],
    ['with its disk full, and ends of it', [full, lost, ...ended, later], null],
    ['after there was room again', [full, { ...full, type: 'healed', at: 6_500 }, lost, ...ended], wrong],
  ])('%s', (_, events, description) => {
    expect(judged(...events)).toBe(description);
  });
});

test.each([
  ['a lock that is free and wanted has not moved for four seconds', { limits: 'shipped', latencyMs: [5, 150] }, 12_100, false],
  ['nor with small limits, nearby', { limits: 'small', latencyMs: [0.2, 3] }, 12_100, false],
  ['with small limits, far apart, it may still be on its way', { limits: 'small', latencyMs: [5, 150] }, 16_400, true],
  ['and not for ever', { limits: 'small', latencyMs: [5, 150] }, 16_600, false],
])('settles: %s', (_, setting, now, isFine) => {
  const observer = settles().begin({ scenario: { peers: PEERS, services: [], clients: [], ...setting } } as never);
  for (const event of [...started, granted, { ...lost, type: 'release' }, { ...later, at: 8_000 }])
    observer.observe!(event as RehearsalEvent);
  expect(observer.end!(now) === null).toBe(isFine);
});

const removed = { type: 'members', at: 6_000, lists: [PEERS, ['p1', 'p2']] };
const decided = { type: 'members', at: 6_100, lists: [['p1', 'p2']] };
const larger = { ...granted, at: 7_000, fence: 9 };
const smaller = (peer: string) => ({ ...granted, at: 7_001, peer, fence: 2 });
const wrongly = (peer: string) => `"x" was granted to ${peer} with fence 2 after p2 had 9, and nothing has failed`;
test.each([
  ['and nothing has failed', [larger, smaller('p0')], wrongly('p0')],
  ['to a removed peer that was not notified', [removed, decided, larger, smaller('p0')], null],
  ['by who is about to be', [removed, larger, smaller('p0')], null],
  ['by who stays, as another one is removed', [removed, decided, larger, smaller('p1')], wrongly('p1')],
  ['by who never votes', [removed, decided, larger, smaller('x1')], wrongly('x1')],
])('fences: a smaller fence is granted later, %s', (_, events, description) => {
  const observer = fences().begin({ scenario: { peers: PEERS, services: [], clients: [] } } as never);
  const received = [...started, granted, ...events].map((event) => observer.observe!(event as RehearsalEvent) ?? null);
  expect(received.find((one) => one !== null) ?? null).toBe(description);
});
