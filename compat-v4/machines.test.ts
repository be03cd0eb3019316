/** A second opinion on describeMachine: on machines that both can take, @xstate/test 0.5.1 finds the same states, by ways of the same length. */
import { createModel } from '@xstate/test';
import { describe, expect, test } from 'vitest';
import { encode } from '../test/machine/encode.js';
import type { MachineVertex } from '../test/machine/graph.js';
import type { MachineStep } from '../test/machine/options.js';
import { plain, type Plain } from '../test/machine/plain.fixtures.js';
import { Rig } from '../test/machine/rig.js';
import { nameOfStep } from '../test/machine/steps.js';
import { MachineTesting } from '../test/machine/testing.js';
import { to4 } from './to4.js';

const plainly = (value: unknown): string => encode(value, () => undefined);

type Event = { readonly type: string };

/** How far each state is, by what is told of it: its value and its context. */
async function ours({ machine, tests }: Plain): Promise<Record<string, number>> {
  const { first } = await new MachineTesting(machine, tests).graph();
  const distance = new Map<MachineVertex, number>([[first, 0]]);
  for (const [vertex, steps] of distance)
    for (const { to } of vertex.edges!.values()) if (!distance.has(to)) distance.set(to, steps + 1);
  return Object.fromEntries(
    [...distance].map(([{ value, context }, steps]) => [`${plainly(value)} ${context as string}`, steps]),
  );
}

function modelOf({ machine, tests }: Plain) {
  const cases = (type: string) => (tests.events?.[type] as readonly object[] | undefined) ?? [{}];
  const types = machine.events.filter((type) => !type.startsWith('xstate.'));
  const handled = Object.fromEntries(types.map((type) => [type, { exec: () => {}, cases: cases(type) as object[] }]));
  return createModel(to4(machine, undefined)).withEvents(handled as never);
}

/** Without its own addition to the names of states, which tells by which event a state was reached. */
const plansOf = (one: Plain) => modelOf(one).getShortestPathPlans();

describe.each(Object.entries(plain))('%s', (_, one) => {
  test('the same states, as far', async () => {
    const found = await ours(one);
    const theirs: Record<string, number> = {};
    for (const { state, paths } of plansOf(one)) {
      // It tells {a, b} from {b, a}: states of parallel regions count twice there.
      const key = `${plainly(state.value)} ${plainly(state.context ?? {})}`;
      theirs[key] = Math.min(theirs[key] ?? Infinity, ...paths.map(({ segments }) => segments.length));
    }
    expect(found).toEqual(theirs);
  });

  test('each of their paths leads our actors to the state that it says', async () => {
    const { machine, tests } = one;
    for (const { state, paths } of plansOf(one)) {
      for (const { segments } of paths) {
        const rig = new Rig(await new MachineTesting(machine, tests).subject(), { performs: true });
        for (const { event } of segments) expect(await rig.take({ event: event as Event } as MachineStep)).toBe(true);
        expect(rig.snapshot.value).toEqual(state.value);
      }
    }
  });
});

test('the same set of simple paths, those left out that are the beginning of another', async () => {
  const one = plain['feedback']!;
  const found = (await new MachineTesting(one.machine, one.tests).plans('simple')).map(({ steps }) =>
    steps.map(nameOfStep).join(' '),
  );
  const theirs = modelOf(one)
    .getSimplePathPlans()
    .flatMap(({ paths }) => paths.map(({ segments }) => segments.map(({ event }) => event.type).join(' ')));
  const longest = theirs.filter((path) => !theirs.some((other) => other.startsWith(`${path} `) || (path === '' && other !== '')));
  expect(longest).toHaveLength(4);
  expect(found.toSorted()).toEqual(longest.toSorted());
});
