/** Deadlines of actors that a new version of their machine continues: renamed states, other delays, and states that are gone. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { asyncScheduler, type SchedulerLike } from 'rxjs';
import { setup, type AnyStateMachine } from 'xstate';
import { MapStorage } from '../storage/map.fixture.js';
import { testCluster } from './cluster.fixture.js';
import type { MachineVersion } from './cluster.js';

type Migrate = NonNullable<MachineVersion['migrate']>;

/**
 * Creates the actor with the first machine, and continues it with the second one, whose snapshot `migrate` makes. The clock is `aheadMs` later
 * then.
 */
async function migrated(first: AnyStateMachine, second: AnyStateMachine, migrate: Migrate, aheadMs = 0) {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const storage = new MapStorage();
  const timers = () => {
    const [stored] = [...storage.values].flatMap(([key, value]) => (key.endsWith('order/1') ? [value as any] : []));
    return stored.stored.kept.copy.state.timers as { readonly event: { readonly type: string }; readonly dueAt: number }[];
  };
  const before = await testCluster({ order: first }, { storage }, ['a']);
  await before.peers[0]!.cluster.actor('order', '1').ready;
  await before.peers[0]!.cluster.close();
  const earlier = timers();
  const clock = { now: () => Date.now() + aheadMs, schedule: asyncScheduler.schedule.bind(asyncScheduler) } as SchedulerLike;
  const versions = { order: { version: 2, migrate } };
  const after = await testCluster({ order: second }, { storage, versions, clock }, ['a']);
  const ref = after.peers[0]!.cluster.actor('order', '1');
  return { ref, ready: ref.ready, timers, earlier, warnings: () => warn.mock.calls.join('\n') };
}

const waiting = (state: string, delay: number | string) =>
  setup({ types: { context: {} as { ms: number } }, delays: { soon: ({ context }) => context.ms } }).createMachine({
    id: 'm',
    context: { ms: 100 },
    initial: state,
    states: { [state]: { after: { [delay]: 'over' } }, over: {} } as Record<string, object>,
  });
const to =
  (value: string): Migrate =>
  (snapshot) => ({ ...snapshot, value });

test('a state with another name keeps the deadline of its only `after` with this delay', async () => {
  const [bidding, open] = [waiting('bidding', 3_600_000), waiting('open', 3_600_000)];
  const { ref, ready, timers, earlier, warnings } = await migrated(bidding, open, to('open'), 1_000);
  await ready;
  expect(ref.getSnapshot().value).toBe('open');
  expect(timers()).toMatchObject([{ event: { type: 'xstate.after.3600000.m.open' }, dueAt: earlier[0]!.dueAt }]);
  expect(warnings()).toBe('');
});

test('and takes its transition when the deadline has passed', async () => {
  const { ref } = await migrated(waiting('bidding', 3_600_000), waiting('open', 3_600_000), to('open'), 3_600_000);
  ref.subscribe(() => {});
  await expect.poll(() => ref.getSnapshot().value).toBe('over');
});

test('a state with the same name keeps its deadline', async () => {
  const open = waiting('open', 3_600_000);
  const { ref, ready, timers, earlier } = await migrated(open, open, to('open'), 1_000);
  await ready;
  expect(ref.getSnapshot().value).toBe('open');
  expect(timers()).toMatchObject([{ dueAt: earlier[0]!.dueAt }]);
});

test('a new `after` starts, and a deadline that no active state has is reported', async () => {
  const { ref, ready, warnings } = await migrated(waiting('bidding', 3_600_000), waiting('open', 'soon'), to('open'));
  await ready;
  ref.subscribe(() => {});
  await expect.poll(() => ref.getSnapshot().value).toBe('over');
  expect(warnings()).toMatch(
    /the migration of order\/1: the delayed event "xstate\.after\.3600000\.m\.bidding", due in 3\d+ ms, has no active state and was dropped\. To keep its deadline, return a state with the same delay from versions\.order\.migrate\.$/,
  );
});

test('two states that could have a deadline both start again', async () => {
  const regions = (one: string, other: string) =>
    setup({}).createMachine({
      id: 'm',
      type: 'parallel',
      context: {},
      states: Object.fromEntries(
        ['x', 'y'].map((region, i) => {
          const state = [one, other][i]!;
          return [region, { initial: state, states: { [state]: { after: { 3_600_000: 'over' } }, over: {} } }];
        }),
      ),
    });
  const since = Date.now();
  const value = { x: 'c', y: 'd' };
  const { ready, timers, warnings } = await migrated(regions('a', 'b'), regions('c', 'd'), (old) => ({ ...old, value }), 50);
  await ready;
  expect(timers().map(({ event }) => event.type)).toEqual(['xstate.after.3600000.m.x.c', 'xstate.after.3600000.m.y.d']);
  for (const { dueAt } of timers()) expect(dueAt).toBeGreaterThanOrEqual(since + 3_600_050);
  expect(warnings().match(/was dropped/g)).toHaveLength(2);
});

test.each([
  ['a snapshot of another machine', to('bidding'), 'Return a snapshot of version 2 of "order" from versions.order.migrate.'],
])('migrate that returns %s: the error names it', async (_, migrate, remedy) => {
  const { ready } = await migrated(waiting('bidding', 600), waiting('open', 600), migrate);
  await expect(ready).rejects.toMatchObject({
    reason: 'version',
    message: `Actor "order/1" cannot be restored: State 'bidding' does not exist on 'm'. ${remedy}`,
  });
});

test('a machine that has changed without a version: the error names the options', async () => {
  const storage = new MapStorage();
  const before = await testCluster({ order: waiting('bidding', 600) }, { storage }, ['a']);
  await before.peers[0]!.cluster.actor('order', '1').ready;
  await before.peers[0]!.cluster.close();
  const after = await testCluster({ order: waiting('open', 600) }, { storage }, ['a']);
  await expect(after.peers[0]!.cluster.actor('order', '1').ready).rejects.toMatchObject({
    reason: 'version',
    message:
      "Actor \"order/1\" cannot be restored: State 'bidding' does not exist on 'm'. If the machine has changed, give it a version and a migration: versions: { order: { version: 2, migrate } }.",
  });
});

test('migrate that returns a status of no snapshot: the error lists the statuses', async () => {
  const { ready } = await migrated(waiting('bidding', 600), waiting('open', 600), (snapshot) => ({
    ...snapshot,
    status: 'Active',
  }));
  await expect(ready).rejects.toMatchObject({
    reason: 'version',
    message: expect.stringContaining('with a status (active, done, error, stopped), a value and a context'),
  });
});
