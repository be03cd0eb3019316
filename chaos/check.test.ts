/** The rules of a history: each lets a good one pass and refuses a bad one. */
import { describe, expect, test } from 'vitest';
import { violations } from './check.js';
import type { HistoryLine } from './history.js';

const terms = { peers: ['a', 'b'], budget: 3, share: 1, isStored: true };
const granted = (peer: string, fence: number, lock = 'x'): HistoryLine => ({ what: 'granted', peer, lock, fence });
const released = (peer: string, fence: number): HistoryLine => ({ what: 'released', peer, lock: 'x', fence });
const taken = (peer: string): HistoryLine => ({ what: 'taken', peer });
const named = (peer: string, name: number): HistoryLine => ({ what: 'named', peer, name });
const follows = (peer: string, leader: string): HistoryLine => ({ what: 'follows', peer, leader });
const started = (peer: string): HistoryLine => ({ what: 'started', peer });

/** A round in which everybody was served after the last fault. */
const round = ({
  faulty = [],
  calm = [],
  gone = [],
}: {
  faulty?: HistoryLine[];
  calm?: HistoryLine[];
  gone?: HistoryLine[];
}): HistoryLine[] => [
  ...faulty,
  { what: 'healed' },
  { what: 'served', peer: 'a' },
  { what: 'served', peer: 'b' },
  { what: 'settled' },
  ...calm,
  { what: 'ended' },
  ...gone,
];
const broken = (parts: Parameters<typeof round>[0]) => violations(round(parts), terms);

describe('locks', () => {
  test('while links are bad two may believe that they hold a lock, each with a fence of its own', () => {
    expect(broken({ faulty: [granted('a', 1), granted('b', 7), granted('a', 2), granted('b', 8)] })).toEqual([]);
  });

  test('one fence for two holders is refused', () => {
    expect(broken({ faulty: [granted('a', 1), released('a', 1), granted('b', 1)] })).toEqual([
      'lock "x" was granted to b with fence 1, which somebody had before',
    ]);
    expect(broken({ faulty: [granted('a', 1), granted('b', 1, 'y')] })).toEqual([]);
  });

  test('a fence of anybody below one from before all were killed is refused', () => {
    const all: HistoryLine = { what: 'restarted' };
    expect(broken({ faulty: [granted('a', 5), all, granted('b', 4), granted('b', 6)] })).toEqual([
      'lock "x" was granted to b with fence 4, not above those before all were killed',
    ]);
    expect(broken({ faulty: [granted('a', 5), all, granted('b', 4, 'y'), granted('b', 6)] })).toEqual([]);
  });

  test('a fence below an earlier one of the same peer is refused, also after it was killed', () => {
    expect(broken({ faulty: [granted('a', 5), started('a'), granted('a', 4)] })).toEqual([
      'lock "x" was granted to a with fence 4, after fence 5',
    ]);
  });

  test('in the calm two holders at a time are refused, and fences that fall from one peer to another', () => {
    expect(broken({ calm: [granted('a', 1), released('a', 1), granted('b', 2)] })).toEqual([]);
    expect(broken({ calm: [granted('a', 1), granted('b', 2)] })).toEqual(['lock "x" was granted to b while a held it']);
    expect(broken({ calm: [granted('a', 2), released('a', 2), granted('b', 1)] })).toEqual([
      'lock "x" was granted to b with fence 1, after fence 2',
    ]);
  });

  test('in the calm readers may be several, in any order, and nobody writes beside them', () => {
    const reads = (peer: string, fence: number): HistoryLine => ({ what: 'granted', peer, lock: 'x', fence, mode: 'shared' });
    const ended = [released('a', 3), released('b', 2)];
    expect(
      broken({ calm: [granted('a', 1), released('a', 1), reads('a', 3), reads('b', 2), ...ended, granted('b', 4)] }),
    ).toEqual([]);
    expect(broken({ calm: [reads('a', 3), granted('b', 4)] })).toEqual(['lock "x" was granted to b while a held it']);
    expect(broken({ calm: [granted('b', 4), reads('a', 5)] })).toEqual(['lock "x" was granted to a while b held it']);
    expect(broken({ calm: [granted('a', 4), released('a', 4), reads('b', 3)] })).toEqual([
      'lock "x" was granted to b with fence 3, after fence 4',
    ]);
    expect(broken({ calm: [reads('a', 4), released('a', 4), granted('b', 3)] })).toEqual([
      'lock "x" was granted to b with fence 3, after fence 4',
    ]);
  });

  test('a peer that is suspected for its slowness breaks the calm', () => {
    const lost: HistoryLine = { what: 'lost', peer: 'a', lock: 'x', fence: 1 };
    expect(broken({ calm: [granted('a', 1), granted('b', 2), lost] })).toEqual([]);
  });
});

describe('quota', () => {
  const refused: HistoryLine = { what: 'refused', peer: 'a' };

  test('more than the budget is refused', () => {
    expect(broken({ faulty: [taken('a'), taken('b'), taken('a')] })).toEqual([]);
    expect(broken({ faulty: [taken('a'), taken('b'), taken('a'), taken('b')] })).toEqual(['4 permits were given out of 3']);
  });

  test('less than the budget is refused when somebody was told that there is no more', () => {
    expect(broken({ faulty: [taken('a'), taken('b')] })).toEqual([]);
    expect(broken({ faulty: [taken('a'), taken('b')], calm: [refused] })).toEqual([
      'only 2 of 3 permits were given out, and 0 may be wasted',
    ]);
  });

  test('a process that is killed takes along its share, what it was fetching and what it had no time to write down', () => {
    const faulty = [started('b'), taken('a'), started('b')];
    expect(violations(round({ faulty, calm: [refused] }), { ...terms, budget: 5 })).toEqual([]);
    expect(violations(round({ faulty, calm: [refused] }), { ...terms, budget: 6 })).toEqual([
      'only 1 of 6 permits were given out, and 4 may be wasted',
    ]);
  });

  test('what was being fetched may be lost with the lock under it, and no more', () => {
    const faulty: HistoryLine[] = [taken('a'), { what: 'interrupted', peer: 'a' }];
    expect(broken({ faulty, calm: [refused] })).toEqual([]);
    expect(violations(round({ faulty, calm: [refused] }), { ...terms, budget: 4 })).toEqual([
      'only 1 of 4 permits were given out, and 2 may be wasted',
    ]);
  });
});

test('a name that is given twice is refused', () => {
  expect(broken({ faulty: [named('a', 1), named('b', 2)] })).toEqual([]);
  expect(broken({ faulty: [named('a', 1), named('b', 1)] })).toEqual(['b was given the name 1, which somebody had before']);
});

test('in the end all follow one leader; that it is let go of afterwards is no matter', () => {
  const apart = [follows('a', 'a'), follows('b', 'b')];
  expect(broken({ faulty: apart, calm: [follows('b', 'a')], gone: [follows('a', 'nobody')] })).toEqual([]);
  expect(broken({ faulty: apart })).toEqual(['in the end the peers follow a and b']);
  expect(broken({ faulty: [follows('a', 'a')] })).toEqual(['in the end the peers follow a and nobody']);
  expect(broken({ faulty: [follows('a', 'nobody'), follows('b', 'nobody')] })).toEqual(['in the end the peers follow nobody']);
});

describe('everybody', () => {
  test('who was not served after the last fault is missed', () => {
    const history: HistoryLine[] = [
      { what: 'served', peer: 'b' },
      { what: 'healed' },
      { what: 'served', peer: 'a' },
      { what: 'ended' },
    ];
    expect(violations(history, terms)).toEqual(['b was not served after the last fault']);
  });

  test('a round that came to no end has served nobody', () => {
    expect(violations([granted('a', 1)], terms)).toHaveLength(2);
  });

  test('who has storage is not told that too many have forgotten', () => {
    const forgotten: HistoryLine = { what: 'forgotten', peer: 'a' };
    expect(broken({ faulty: [forgotten] })).toEqual(['a was told that too many have forgotten, and all have storage']);
    expect(violations(round({ faulty: [forgotten] }), { ...terms, isStored: false })).toEqual([]);
  });

  test('a peer that failed is a failure', () => {
    const failed: HistoryLine = { what: 'failed', peer: 'a', error: 'it ended with status 1' };
    expect(broken({ gone: [failed] })).toEqual(['a failed: it ended with status 1']);
  });
});
