/** Clients that are in no list, in a world with failures: they get locks, with increasing fences, and leave nothing behind. */
import { expect, test } from 'vitest';
import { clientsForgotten, clientsUnder } from '../../testing/rehearsal/clients.js';
import { shippedFrom } from '../../testing/rehearsal/locks.js';
import { formatFailure } from './failure.js';
import { invariant } from './judges.js';
import { rehearse } from './rehearse.js';
import type { RehearsalEvent } from './world.js';

const shipped = await shippedFrom((path) => import(/* @vite-ignore */ `../../adapters/${path}.js`));

test.each(['hub', 'nats', 'mqtt'])('over %s, clients with generated ids get locks and are forgotten', async (over) => {
  const { options, main } = clientsUnder(shipped, [over]);
  const visitors = new Set<string>();
  let granted = 0;
  const noted = invariant('noted', ({ history }) => {
    granted += history.filter(({ type, peer }) => type === 'grant' && peer!.startsWith('c')).length;
    for (const { what, ...note } of history)
      if (what === 'clients') for (const id of note['known'] as readonly string[]) visitors.add(id);
    return true;
  });
  const judges = [...options.judges!, noted];
  const report = await rehearse({ ...options, peers: 3, runs: 1, seed: 5, judges, shrinkSeconds: 0 }, main);
  expect(report.failure && formatFailure(report.failure)).toBeNull();
  expect([...visitors].every((id) => /^client-[0-9a-f-]{36}$/.test(id))).toBe(true);
  expect(visitors.size).toBeGreaterThan(5);
  expect(granted).toBeGreaterThan(10);
  expect(report.counts['fault']).toBeGreaterThan(1);
});

test('the judge finds a voter that keeps a client, and waits nine seconds', () => {
  const judged = (...events: readonly object[]) => {
    const setting = { scenario: { peers: ['p0'], services: [], clients: ['c0'] }, store: new Map(), history: [] };
    const observer = clientsForgotten().begin(setting);
    for (const event of events) observer.observe!({ at: 0, ...event } as RehearsalEvent);
    return observer.end!(20_000);
  };
  const known = (at: number, ...ids: readonly string[]) => ({ type: 'note', peer: 'p0', what: 'clients', at, known: ids });
  expect(judged(known(5_000, 'client-1'))).toBe('p0 still knows client-1');
  expect(judged(known(5_000, 'client-1'), known(9_000))).toBeNull();
  expect(judged(known(5_000, 'client-1'), { type: 'end', peer: 'p0' })).toBeNull();
  expect(judged(known(5_000, 'client-1'), { type: 'end', peer: 'c0', at: 12_000 })).toBeNull();
});
