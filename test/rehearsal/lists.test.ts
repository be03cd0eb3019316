/** Peers that ship, of whom one is given a wrong list of peers, in a world; and the judge that looks at it. */
import { expect, test } from 'vitest';
import { formatFailure } from './failure.js';
import { invariant } from './judges.js';
import { peerListOf, listsUnder, rightGoOn } from '../../testing/rehearsal/lists.js';
import { shippedFrom } from '../../testing/rehearsal/locks.js';
import { rehearse } from './rehearse.js';
import type { RehearsalEvent } from './world.js';

const shipped = await shippedFrom((path) => import(/* @vite-ignore */ `../../adapters/${path}.js`));

test('a wrong list is rejected with an error; with the right one, all are served', async () => {
  const { options, main } = listsUnder(shipped, ['hub']);
  const knobs = {
    ...options.knobs,
    mistake: ['typo'],
    odd: [1],
    first: [0],
    inLife: [1],
    stored: [false],
    think: [50],
    hold: [1],
  };
  const seen = { refused: 0, granted: new Set<string>() };
  const noted = invariant('noted', ({ history }) => {
    seen.refused = history.filter(({ what }) => what === 'refused').length;
    seen.granted = new Set(history.flatMap(({ type, peer }) => (type === 'grant' ? [peer!] : [])));
    return true;
  });
  const judges = [...options.judges!, noted];
  const report = await rehearse(
    { ...options, peers: 3, seconds: 4, faults: [], runs: 1, seed: 4, knobs, judges, shrinkSeconds: 0 },
    main,
  );
  expect(report.failure && formatFailure(report.failure)).toBeNull();
  expect(seen).toEqual({ refused: 1, granted: new Set(['p0', 'p1', 'p2']) });
});

test.each([
  ['less', ['p1', 'p2']],
  ['more', ['p0', 'p1', 'p2', 'p1x']],
  ['typo', ['p1', 'p2', 'p1x']],
  ['two typos', ['p1', 'p1x', 'p1y']],
] as const)('a wrong list, %s: in one life of less than half of the peers', (mistake, list) => {
  const peers = ['p0', 'p1', 'p2'];
  const knobs = { mistake, first: 1, odd: 2, inLife: 1 };
  expect(peerListOf({ id: 'p1', peers, life: 1, knobs })).toEqual(list);
  for (const [id, life] of [
    ['p1', 2],
    ['p2', 1],
    ['p0', 1],
  ] as const)
    expect(peerListOf({ id, peers, life, knobs })).toBe(peers);
});

test('its judge finds a right peer that ends and a wrong peer without an error', () => {
  const judged = (...events: object[]) => {
    const { observe } = rightGoOn().begin({} as never);
    return events.map((event) => observe!({ at: 0, ...event } as RehearsalEvent)).findLast(Boolean);
  };
  const wrong = { type: 'note', peer: 'p1', what: 'wrong', life: 1 };
  const refused = { type: 'note', peer: 'p1', what: 'refused', life: 1, isRight: false, isNamed: true, description: 'no' };
  const grant = { type: 'grant', peer: 'p1', lock: 'x', fence: 1 };
  expect(judged(wrong, refused, { type: 'end', peer: 'p1' }, grant)).toBeUndefined();
  expect(judged({ ...refused, isRight: true })).toBe('p1 ended with the right list: no');
  expect(judged(wrong, { ...refused, isNamed: false })).toBe('p1 did not report both lists: no');
  expect(judged(wrong, grant)).toBe('p1 was granted a lock with a wrong list');
});
