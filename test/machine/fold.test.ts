/** Items that one missing sample leaves uncovered are one line that names the sample. */
import { expect, test } from 'vitest';
import { assign, createMachine } from 'xstate';
import { gapsOf } from './coverage.js';
import { MachineTesting } from './testing.js';

const door = createMachine({
  id: 'door',
  context: { opened: 0 },
  initial: 'shut',
  states: {
    shut: { on: { CODE: { guard: ({ event }) => event['digits'] === '1234', target: 'open' } } },
    open: { on: { SHUT: { target: 'shut', actions: assign({ opened: 1 }) }, LOCK: 'locked' } },
    locked: { on: { BREAK: 'broken' } },
    broken: { type: 'final' },
  },
});

test('all parts behind a guard that no sample opens are one line', async () => {
  const gaps = gapsOf(await new MachineTesting(door).coverage());
  expect(gaps).toHaveLength(1);
  expect(gaps[0]).toMatch(
    /^door: event CODE .*add a sample to events\.CODE for which a guard .* and 11 more that follow from it$/,
  );
});

test('with the sample all of them are covered', async () => {
  const coverage = await new MachineTesting(door, { events: { CODE: [{ digits: '1234' }, { digits: '' }] } }).coverage();
  expect(gapsOf(coverage)).toEqual([]);
});

test('items with different causes are separate lines', async () => {
  const { config } = door;
  const two = createMachine({
    ...config,
    on: { ADMIN: { guard: ({ event }: { event: { isAdmin?: boolean } }) => event.isAdmin === true } },
  } as never);
  const gaps = gapsOf(await new MachineTesting(two).coverage());
  expect(gaps.map((gap) => /CODE|ADMIN/.exec(gap)?.[0]).toSorted()).toEqual(['ADMIN', 'CODE']);
});
