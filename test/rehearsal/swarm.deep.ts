/**
 * Fresh schedules of what ships over hub, mesh, NATS and MQTT, for so many seconds of CPU time (`REHEARSAL_SECONDS`, two minutes unless
 * given) from a seed of the clock, or from `REHEARSAL_SEED`. It prints a line of counts for each workload.
 */
import { expect, test } from 'vitest';
import { tellFailure } from './failure.js';
import { listsUnder } from './lists.fixture.js';
import { locksUnder, shippedFrom } from './locks.fixture.js';
import { membersUnder } from './members.fixture.js';
import { movingObjectsUnder, OBJECTS, objectsUnder, unstoredObjectsUnder, type ShippedObjects } from './objects.fixture.js';
import { rehearse } from './rehearse.js';

const shipped = await shippedFrom<ShippedObjects>((path) => import(/* @vite-ignore */ `../../adapters/${path}.js`), OBJECTS);
const SECONDS = Number(process.env['REHEARSAL_SECONDS'] ?? 120);
const SEED = Number(process.env['REHEARSAL_SEED'] ?? Math.floor(Date.now() / 1_000) % 1_000_000_000);

/** With the limits that ship alone. */
const SHIPPED = { limits: ['shipped'] } as const;

/** The shares of the time. */
const WORKS = [
  ['locks', locksUnder(shipped), 0.1, {}],
  ['locks, a wrong list', listsUnder(shipped), 0.1, {}],
  ['locks, members change', membersUnder(shipped), 0.1, {}],
  ['locks, members change, over mesh', membersUnder(shipped, ['mesh']), 0.05, {}],
  ['locks over mesh', locksUnder(shipped, ['mesh']), 0.1, {}],
  ['locks over NATS', locksUnder(shipped, ['nats']), 0.1, SHIPPED],
  ['locks over MQTT', locksUnder(shipped, ['mqtt']), 0.1, {}],
  ['objects', objectsUnder(shipped), 0.1, {}],
  ['objects, not stored', unstoredObjectsUnder(shipped), 0.05, {}],
  ['objects over mesh', objectsUnder(shipped, ['mesh']), 0.05, {}],
  ['objects, members change', movingObjectsUnder(shipped), 0.1, {}],
  ['objects, members change, over mesh', movingObjectsUnder(shipped, ['mesh']), 0.05, {}],
] as const;

test.each(WORKS)('%s', { timeout: SECONDS * 20_000 + 60_000 }, async (name, { options, main }, share, more) => {
  const begun = process.cpuUsage();
  const used = () => {
    const { user, system } = process.cpuUsage(begun);
    return (user + system) / 1e6;
  };
  const sums: Record<string, number> = {};
  let seed = SEED;
  let failed = '';
  while (failed === '' && used() < SECONDS * share) {
    const { runs, counts, failure } = await rehearse({ ...options, ...more, seed, runs: 5, shrinkSeconds: 30 }, main);
    for (const [type, count] of Object.entries(counts)) sums[type] = (sums[type] ?? 0) + count;
    seed += runs;
    if (failure) failed = `${tellFailure(failure)}\n${JSON.stringify(failure.scenario)}`;
  }
  const { grant: grants = 0, fault: faults = 0, return: operations = 0 } = sums;
  const counts = { schedules: seed - SEED, grants, faults, operations, failed: failed === '' ? 0 : 1 };
  console.log(JSON.stringify({ workload: name, seeds: `${SEED} to ${seed - 1}`, ...counts }));
  expect(failed).toBe('');
});
