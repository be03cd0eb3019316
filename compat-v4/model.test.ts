/** The real @xstate/test 0.5.1: its plans, made from version 4's rendition, walked on the real chart as a live actor of version 5. */
import { createModel } from '@xstate/test';
import { expect, test } from 'vitest';
import { createHost, type Role } from '../network/world/hosts.js';
import { rendered } from './charts.js';
import { to4 } from './to4.js';

/** Contexts may grow without end, and the tool would follow them. */
const STATES_MAX = 60;

const inState = (sut: unknown, state: { readonly value: unknown; readonly context: unknown }) => {
  const { value, context } = (sut as Role).view();
  expect([value, context]).toEqual([state.value, state.context]);
};

test.each(rendered.filter(({ name }) => name.endsWith('start 0')))('$name', async ({ chart, sample }) => {
  const machine = to4(chart, sample.input, inState);
  const events = sample.events(machine.context);
  const types = (machine.events as string[]).filter((type) => type !== '');
  const handled = Object.fromEntries(
    types.map((type) => [
      type,
      {
        exec: (sut: unknown, event: unknown) => void (sut as Role).send(event as never),
        cases: events.filter((event) => event.type === type),
      },
    ]),
  );
  let states = 0;
  const plans = createModel(machine)
    .withEvents(handled as never)
    .getShortestPathPlans({ filter: () => states++ < STATES_MAX } as never);
  const host = createHost('actors', { charts: { chart } });
  expect(plans.length).toBeGreaterThan(0);
  for (const { paths } of plans) {
    for (const path of paths) {
      const { role } = host.start('chart', sample.input);
      await path.test(role);
      role.stop();
    }
  }
});
