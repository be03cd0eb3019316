/** The work of chaos processes in the world of rehearsals, judged by the same rules. */
import { expect, test } from 'vitest';
import { formatFailure } from '../test/rehearsal/failure.js';
import { invariant } from '../test/rehearsal/judges.js';
import { rehearse } from '../test/rehearsal/rehearse.js';
import type { RehearsalEvent } from '../test/rehearsal/world.js';
import { chaosInWorld, type WorldSubject } from './in-world.fixture.js';

test.each<[WorldSubject, what: string]>([
  ['leaders', 'leader'],
  ['names', 'named'],
])('%s: when the hub and a peer stop, all are served and all rules hold', async (subject, what) => {
  const { options, main } = chaosInWorld(subject);
  let history: readonly RehearsalEvent[] = [];
  const noted = invariant('noted', (setting) => ((history = setting.history), true));
  const judges = [...options.judges!, noted];
  const report = await rehearse({ ...options, peers: 3, runs: 1, seed: 5, judges, shrinkSeconds: 0 }, main);
  expect(report.failure && formatFailure(report.failure)).toBeNull();
  const notes = (of: string) => history.filter((line) => line['what'] === of);
  expect(notes('phase').map((line) => line['phase'])).toEqual(['healed', 'settled', 'ended']);
  expect(new Set(notes('served').map(({ peer }) => peer)).size).toBe(3);
  expect(new Set(notes(what).map(({ peer }) => peer)).size).toBe(3);
  expect(report.counts).toMatchObject({ fault: 2, exit: 1, end: 2 });
});

/** Results of the rules for a history of three peers that have been served. */
function reported(subject: WorldSubject, ...notified: readonly object[]): unknown {
  const [rules] = chaosInWorld(subject).options.judges!;
  const peers = ['p0', 'p1', 'p2'];
  const note = (peer: string, what: string) => ({ type: 'note', peer, what });
  const rest = [{ type: 'note', what: 'phase', phase: 'healed' }, ...peers.map((peer) => note(peer, 'served'))];
  const all = [...peers.map((peer) => ({ type: 'start', peer, life: 1 })), ...notified, ...rest];
  const history = all.map((line, i) => ({ at: i, ...line })) as RehearsalEvent[];
  return rules!.begin({ scenario: { peers, services: ['hub'], clients: ['round'] }, store: new Map(), history }).end!(1_000);
}

test('its judge detects the same violations as the rules of chaos', () => {
  const named = (peer: string, name: number) => ({ type: 'note', peer, what: 'named', name });
  expect(reported('names', named('p0', 1), named('p1', 2))).toBeNull();
  expect(reported('names', named('p0', 1), named('p1', 1))).toMatch(/1/);
  const grant = (peer: string, fence: number) => ({ type: 'grant', peer, lock: 'x', fence });
  const allEnd = ['p0', 'p1', 'p2'].map((peer) => ({ type: 'end', peer }));
  const again = ['p0', 'p1', 'p2'].map((peer) => ({ type: 'start', peer, life: 2 }));
  expect(reported('locks', grant('p0', 2), ...allEnd, ...again, grant('p1', 3))).toBeNull();
  expect(reported('locks', grant('p0', 2), ...allEnd, ...again, grant('p1', 1))).toContain(
    'not above those before all were killed',
  );
});
