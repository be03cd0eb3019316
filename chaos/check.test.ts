/** The rules of a history, and the judges of rehearsals on one: each accepts a good history and rejects a bad one. */
import { describe, expect, test } from 'vitest';
import { violations, type HistoryTerms } from './check.js';
import { inOrder, type HistoryLine } from './history.js';

const terms: HistoryTerms = {
  peers: ['a', 'b', 'c'],
  services: ['broker'],
  clients: ['x'],
  audience: ['a', 'b', 'c'],
  isOfLeaders: false,
  budget: 3,
  share: 1,
  isStored: true,
  recoveryMs: 1_500,
};
type HistoryEntry = readonly [type: string, fields?: Readonly<Record<string, unknown>>, at?: number];
const grant = (peer: string, fence: number, mode = 'exclusive', lock = 'x'): HistoryEntry => [
  'grant',
  { peer, lock, fence, mode },
];
const release = (peer: string, fence: number): HistoryEntry => ['release', { peer, lock: 'x', fence }];
const lost = (peer: string, fence: number): HistoryEntry => ['lost', { peer, lock: 'x', fence }];
const note = (peer: string, what: string, fields: object = {}): HistoryEntry => ['note', { peer, what, ...fields }];
const took = (peer: string) => note(peer, 'took', { n: 1 });
const leads = (peer: string, leader: string | null) => note(peer, 'leader', { leader });
const start = (peer: string, life = 1): HistoryEntry => ['start', { peer, life }];
const end = (peer: string): HistoryEntry => ['end', { peer }];
const failing = (what: string, who: string): HistoryEntry => ['fault', { fault: { what, who } }];
const healed = (what: string, who: string): HistoryEntry => ['healed', { fault: { what, who } }];
const phase = (name: string): HistoryEntry => ['phase', { phase: name }];
const starts = ['a', 'b', 'c'].map((peer) => start(peer));
const served = ['a', 'b', 'c'].map((peer) => note(peer, 'served'));
/** Time after which earlier faults no longer disturb. */
const later: HistoryEntry = ['nothing', {}, 5_000];

/** A history whose entries are one millisecond apart by default. */
function history(notified: readonly HistoryEntry[]): HistoryLine[] {
  let at = 1_000_000;
  return notified.map(([type, fields, after = 1]) => ({ type, at: (at += after), ...fields }));
}

/** A round in which every peer was served after the last fault. */
const round = ({
  faulty = [],
  calm = [],
  gone = [],
}: {
  faulty?: HistoryEntry[];
  calm?: HistoryEntry[];
  gone?: HistoryEntry[];
}) => history([...starts, ...faulty, phase('healed'), ...served, phase('settled'), ...calm, phase('ended'), ...gone]);
const broken = (parts: Parameters<typeof round>[0], changed: Partial<HistoryTerms> = {}) =>
  violations(round(parts), { ...terms, ...changed });

describe('locks', () => {
  test('under bad links, two peers may hold a lock, each with its own fencing token', () => {
    const apart = [failing('cut', 'a'), grant('a', 1), grant('b', 7), lost('a', 1)];
    expect(broken({ faulty: apart })).toEqual([]);
    expect(broken({ faulty: [grant('a', 1), grant('b', 7, 'shared'), grant('c', 7, 'shared')] })).toContain(
      '"x" was granted twice with fence 7: to b and to c',
    );
    expect(broken({ faulty: [grant('a', 1), grant('b', 1, 'exclusive', 'y')] })).toEqual([]);
  });

  test('readers at one peer share one fencing token, which no other peer has', () => {
    expect(broken({ faulty: [grant('a', 1, 'shared'), grant('b', 2, 'shared'), grant('b', 2, 'shared')] })).toEqual([]);
    expect(broken({ faulty: [grant('b', 2, 'shared'), release('b', 2), grant('b', 2)] })[0]).toBe(
      '"x" was granted twice with fence 2: to b and to b',
    );
  });

  test('a fence below one from before a kill of all peers is invalid', () => {
    const all: HistoryEntry[] = [failing('kill', 'a'), end('a'), ['restarted'], start('a', 2), healed('kill', 'a')];
    expect(broken({ faulty: [grant('b', 5), release('b', 5), ...all, grant('a', 4), grant('b', 6)] })).toEqual([
      '"x" was granted to a with fence 4, not above those before all were killed',
    ]);
    expect(broken({ faulty: [grant('b', 5), release('b', 5), ...all, grant('a', 4, 'exclusive', 'y')] })).toEqual([]);
  });

  test('a peer gets no smaller fencing token than before, even after a kill', () => {
    expect(broken({ faulty: [grant('a', 5), failing('kill', 'a'), end('a'), start('a', 2), grant('a', 4)] })).toEqual([
      '"x" was granted to a with fence 4, after fence 5',
    ]);
  });

  test('without faults, a second holder or a decreasing fencing token is invalid', () => {
    const faulty = [failing('kill', 'c'), end('c'), start('c', 2), healed('kill', 'c'), later];
    expect(broken({ faulty, calm: [grant('a', 1), release('a', 1), grant('b', 2)] })).toEqual([]);
    expect(broken({ faulty, calm: [grant('a', 1), grant('b', 2)] })).toEqual([
      expect.stringMatching('"x" was granted to b while a was inside'),
    ]);
    expect(broken({ faulty, calm: [grant('a', 2), release('a', 2), grant('b', 1)] })).toEqual([
      '"x" was granted to b with fence 1 after a had 2, and nothing has disturbed it since',
    ]);
  });

  test('without faults, several readers may share a lock, but not with a writer', () => {
    const faulty = [later];
    const reads = (peer: string, fence: number) => grant(peer, fence, 'shared');
    const ended = [release('a', 3), release('b', 2)];
    expect(
      broken({ faulty, calm: [grant('a', 1), release('a', 1), reads('a', 3), reads('b', 2), ...ended, grant('b', 4)] }),
    ).toEqual([]);
    for (const [first, second] of [
      [reads('a', 3), grant('b', 4)],
      [grant('a', 4), reads('b', 5)],
    ] as const)
      expect(broken({ faulty, calm: [first, second] })).toEqual([expect.stringMatching('granted to b while a was inside')]);
    for (const [first, second] of [
      [grant('a', 4), reads('b', 3)],
      [reads('a', 4), grant('b', 3)],
    ] as const)
      expect(broken({ faulty, calm: [first, release('a', 4), second] })).toEqual([
        expect.stringMatching('fence 3 after a had 4'),
      ]);
  });

  const robbed = [later, grant('a', 1), lost('a', 1)];
  const description = [expect.stringMatching('a lost "x", which it had since')];

  test('an undisturbed holder keeps its lock while other peers crash, join or leave', () => {
    expect(broken({ faulty: robbed })).toEqual(description);
    expect(broken({ faulty: [later, grant('a', 1), failing('kill', 'c'), end('c'), lost('a', 1)] })).toEqual(description);
    expect(broken({ faulty: [later, grant('x', 1), failing('kill', 'c'), end('c'), lost('x', 1)] })[0]).toMatch('x lost "x"');
    expect(broken({ faulty: [later, grant('a', 1), failing('kill', 'a'), end('a')] })).toEqual([]);
    expect(broken({ faulty: [later, grant('a', 1), failing('kill', 'b'), failing('kill', 'c'), lost('a', 1)] })).toEqual([]);
    expect(broken({ faulty: [later, grant('a', 1), failing('kill', 'broker'), lost('a', 1)] })).toEqual([]);
    // A peer that has not started again, however long ago it ended, is in no majority.
    expect(broken({ faulty: [end('c'), later, grant('a', 1), failing('stop', 'b'), lost('a', 1)] })).toEqual([]);
  });

  test('a holder needs and keeps a majority of the old and of the new members', () => {
    const change = (after: string[]): HistoryEntry => ['members', { lists: [['a', 'b', 'c'], after] }];
    const decided = (after: string[]): HistoryEntry => ['members', { lists: [after] }];
    const four = ['a', 'b', 'c', 'f'];
    expect(broken({ faulty: [later, grant('a', 1), change(four), decided(four), lost('a', 1)] })).toEqual(description);
    // Two of three are calm, and two of four.
    expect(broken({ faulty: [later, failing('kill', 'c'), failing('kill', 'f'), later, ...robbed] })).toEqual(description);
    const halved = [later, grant('a', 1), change(four), failing('kill', 'c'), failing('kill', 'f'), lost('a', 1)];
    expect(broken({ faulty: halved })).toEqual([]);
    expect(broken({ faulty: [later, grant('a', 1), change(['b', 'c']), lost('a', 1)] })).toEqual([]);
    expect(broken({ faulty: [change(['b', 'c']), decided(['b', 'c']), later, grant('b', 1), lost('b', 1)] })).toEqual([
      expect.stringMatching('b lost "x"'),
    ]);
  });

  test('a stalled process counts as disturbed from the start of the stall', () => {
    const stall: HistoryEntry = ['fault', { fault: { what: 'pause', who: 'a' }, isStall: true, at: 1_005_005 }];
    const notified = round({ faulty: [later, grant('a', 1), lost('a', 1), stall, healed('pause', 'a')] });
    expect(notified.findIndex(({ isStall }) => isStall)).toBeGreaterThan(notified.findIndex(({ type }) => type === 'lost'));
    const received = inOrder(notified).map(({ type }) => type);
    expect(received.indexOf('fault')).toBeLessThan(received.indexOf('lost'));
    expect(received).toHaveLength(notified.length);
    expect(violations(notified, terms)).toEqual([]);
  });
});

describe('quota', () => {
  const refused = note('a', 'refused');

  test('more than the budget is invalid', () => {
    expect(broken({ faulty: [took('a'), took('b'), took('a')] })).toEqual([]);
    expect(broken({ faulty: [took('a'), took('b'), took('a'), took('b')] })).toEqual(['b took 1, for a total of 4 of 3']);
  });

  test('fewer permits than the budget are invalid if a request was refused', () => {
    expect(broken({ faulty: [took('a'), took('b')] })).toEqual([]);
    expect(broken({ faulty: [took('a'), took('b')], calm: [refused] })).toEqual([
      'only 2 of 3 permits were given out, and 0 may be wasted',
    ]);
  });

  test('a kill loses the share of the process, its pending transfers and unsaved data', () => {
    const faulty = [took('a'), failing('kill', 'b'), end('b'), start('b', 2)];
    expect(broken({ faulty, calm: [refused], gone: [end('a')] }, { budget: 5 })).toEqual([]);
    expect(broken({ faulty, calm: [refused], gone: [end('a')] }, { budget: 6 })).toEqual([
      'only 1 of 6 permits were given out, and 4 may be wasted',
    ]);
  });

  test('a fetch may be lost with the lock under it, but nothing else', () => {
    const faulty = [took('a'), note('a', 'interrupted')];
    expect(broken({ faulty, calm: [refused] })).toEqual([]);
    expect(broken({ faulty, calm: [refused] }, { budget: 4 })).toEqual([
      'only 1 of 4 permits were given out, and 2 may be wasted',
    ]);
  });
});

test('a name that is given twice is invalid', () => {
  const named = (peer: string, name: number) => note(peer, 'named', { name });
  expect(broken({ faulty: [named('a', 1), named('b', 2)] })).toEqual([]);
  expect(broken({ faulty: [named('a', 1), named('b', 1)] })).toEqual(['name 1 was given to a, and then to b']);
});

test('cluster actors have one history, with each acknowledged event once', () => {
  const seen = (peer: string, n: number, ...last: readonly string[]) => note(peer, 'seen', { log: 'x', n, last });
  const ran = (tag: string, key = tag) => note('a', 'ran', { tag, key });
  const acked = (tag: string, isSeen = true) => note('a', 'acknowledged', { tag, isSeen });
  const two = [seen('a', 2, 't1', 't2'), ran('t1'), ran('t2'), acked('t1'), acked('t2')];
  expect(broken({ faulty: [...two, seen('b', 3, 't2', 't3')] })).toEqual([]);
  expect(broken({ faulty: [...two, seen('b', 2, 't3')] })).toEqual(['two histories: t2 and t3 at x 2']);
  expect(broken({ faulty: [...two, seen('b', 3, 't1')] })).toEqual(['t1 is in the history twice, at x 1 and x 3']);
  expect(broken({ faulty: [ran('t1'), acked('t1', false)] })).toEqual(['t1 was acknowledged, and its sender has not seen it']);
  expect(broken({ faulty: [acked('t1')] })).toEqual(['t1 was acknowledged, and its action did not run']);
  expect(broken({ faulty: [ran('t1', 'k1'), ran('t1', 'k2')] })).toEqual(['the action of t1 ran under the keys k1 and k2']);
});

test('at the end all peers follow one running leader; later resignations are valid', () => {
  const isOfLeaders = { isOfLeaders: true };
  const apart = [leads('a', 'a'), leads('b', 'b'), leads('c', 'a')];
  expect(broken({ faulty: apart, calm: [leads('b', 'a')], gone: [leads('a', null)] }, isOfLeaders)).toEqual([]);
  expect(broken({ faulty: apart }, isOfLeaders)).toEqual(['the leader of a is a, but that of b is b']);
  expect(broken({ faulty: [leads('a', 'a')] }, isOfLeaders)).toEqual(['the leader of a is a, but that of b is null']);
  const gone = ['a', 'b', 'c'].map((peer) => leads(peer, 'd'));
  expect(broken({ faulty: gone }, isOfLeaders)).toEqual(['the leader of a is d, which is not up']);
});

describe('every peer', () => {
  test('a peer without an answer after the last fault is reported as missing', () => {
    const notified = history([
      ...starts,
      note('b', 'served'),
      phase('healed'),
      note('a', 'served'),
      note('c', 'served'),
      phase('ended'),
    ]);
    expect(violations(notified, terms)).toEqual(['b was not served after the last fault']);
    expect(violations(notified, { ...terms, audience: ['a', 'c'] })).toEqual([]);
  });

  test('a round without an end has served no peer', () => {
    expect(violations(history([...starts, grant('a', 1)]), terms)).toHaveLength(3);
  });

  test('a pending request for a free lock is reported as missing', () => {
    const ask: HistoryEntry = ['ask', { peer: 'a', lock: 'x', ask: '1.1' }];
    expect(broken({ calm: [ask, later] })).toEqual([
      expect.stringMatching('a requested "x" at .* and still waits, although no peer holds it'),
    ]);
    expect(broken({ calm: [ask, ['settle', { peer: 'a', lock: 'x', ask: '1.1' }], later] })).toEqual([]);
  });

  test('a peer with storage does not fail with "too many members have lost their state"', () => {
    const forgotten = note('a', 'forgotten');
    expect(broken({ faulty: [forgotten] })).toEqual(['a was notified that too many have forgotten, although all have storage']);
    expect(broken({ faulty: [forgotten] }, { isStored: false })).toEqual([]);
  });

  test('only a peer whose disk fails ends, with an error that names the disk', () => {
    const [full, unstored] = [failing('full', 'a'), note('a', 'unstored')];
    expect(broken({ faulty: [full, unstored, end('a')] })).toEqual([]);
    expect(broken({ faulty: [full, note('b', 'unstored'), end('b')] })).toEqual(['b ended of its disk, which took everything']);
  });

  test('a peer that failed is a failure', () => {
    expect(broken({ gone: [['uncaught', { peer: 'a', error: 'it ended with status 1' }]] })).toEqual([
      'a ended because of an uncaught error: it ended with status 1',
    ]);
  });
});
