/** A chart alone goes as its live actors do: the same states, the same plans, the same failures; and what it cannot be asked is refused. */
import { describe, expect, test } from 'vitest';
import {
  assign,
  cancel,
  createMachine,
  fromCallback,
  fromObservable,
  fromPromise,
  fromTransition,
  raise,
  sendTo,
  setup,
  stopChild,
  type AnyStateMachine,
} from 'xstate';
import { races } from '../../examples/machines/races.js';
import { examples } from '../../examples/machines/samples.js';
import type { MachineTests } from './options.js';
import { runPlan } from './run.js';
import { describeStep } from './steps.js';
import { MachineTesting } from './testing.js';

const both = (machine: AnyStateMachine, tests: MachineTests) =>
  [new MachineTesting(machine, tests), new MachineTesting(machine, { ...tests, mode: 'pure' })] as const;

/** Checks that both modes have the same results, and that the plans of each hold in the other. */
async function isTheSame(machine: AnyStateMachine, tests: MachineTests = {}): Promise<readonly string[]> {
  const [live, pure] = both(machine, tests);
  const keys = async (testing: MachineTesting) => (await testing.graph()).vertices.map(({ key }) => key);
  expect(await keys(pure)).toEqual(await keys(live));
  expect((await keys(pure)).length).toBeGreaterThan(1);
  expect(await pure.counts()).toEqual(await live.counts());
  const plans = await pure.plans('tour');
  expect(plans).toEqual(await live.plans('tour'));
  for (const of of [live, pure]) for (const plan of plans) expect(await runPlan(await of.subject(), plan)).toBeNull();
  return plans.map(({ steps }) => steps.map(describeStep).join(', '));
}

const withoutChildren = ['upload', 'login', 'traffic light', 'drag and drop'];

describe('machines of applications', () => {
  test.each(withoutChildren)('%s', async (name) => {
    const { machine, tests } = examples[name]!;
    await isTheSame(machine, tests);
    const [, pure] = both(machine, { ...tests, limits: { walks: 3 } });
    expect(await pure.searchFailures()).toEqual([]);
    expect(await pure.temporalFailures()).toEqual([]);
    expect((await pure.walks()).failure).toBeNull();
    expect((await pure.coverage()).isComplete).toBe(true);
  });

  test.each(withoutChildren)('the race in %s', async (name) => {
    const [, pure] = both(races[name]!.machine, examples[name]!.tests);
    const found = [...(await pure.searchFailures()), ...(await pure.temporalFailures())];
    expect(found.map(({ rule }) => rule)).toContain(races[name]!.breaks);
  });
});

describe('requests of a chart to its environment', () => {
  const after = { delay: 100 };
  test.each<[string, AnyStateMachine, MachineTests]>([
    [
      'an observable whose values the chart hears of, and one that fails',
      setup({ actors: { position: fromObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) }) as never) } }).createMachine(
        {
          context: { at: 0 },
          initial: 'on',
          states: {
            on: {
              invoke: {
                src: 'position',
                onSnapshot: { actions: assign({ at: ({ event }) => (event.snapshot.context as number | undefined) ?? -1 }) },
                onDone: 'off',
                onError: 'off',
              },
            },
            off: {},
          },
        },
      ),
      { services: { position: { next: [1, 2] } } },
    ],
    [
      'a callback that sends and fails',
      setup({ actors: { socket: fromCallback(() => {}) } }).createMachine({
        initial: 'on',
        states: { on: { invoke: { src: 'socket', onError: 'off' }, on: { HI: 'reported' } }, reported: {}, off: {} },
      }),
      { services: { socket: { sends: [{ type: 'HI' }], fails: [new Error('x')] } } },
    ],
    [
      'a reducer as a child, and an event to itself',
      createMachine({
        context: { ref: null as any },
        entry: assign({ ref: ({ spawn }: any) => spawn(fromTransition((n: number) => n + 1, 0)) }) as never,
        initial: 'a',
        states: {
          a: {
            on: {
              PRESS: {
                actions: [sendTo(({ context }) => context.ref, { type: 'ADD' }), sendTo(({ self }) => self, { type: 'ON' })],
              },
              ON: 'b',
            },
          },
          b: { on: { END: { target: 'c', actions: stopChild(({ context }) => context.ref) } } },
          c: {},
        },
      }),
      {},
    ],
    [
      'delayed events, canceled and armed again under their id',
      createMachine({
        initial: 'a',
        states: {
          a: {
            entry: raise({ type: 'LATE' }, { ...after, id: 'late' }),
            on: { LATE: 'c', STOP: { target: 'b', actions: cancel('late') } },
          },
          b: {
            entry: [
              raise({ type: 'LATE' }, { ...after, id: 'late' }),
              sendTo(({ self }) => self, { type: 'SOON' }, { delay: 10 }),
            ],
            on: { LATE: 'c', SOON: { target: 'd', actions: cancel('late') } },
          },
          c: {},
          d: { after: { 5: 'c' }, on: { LATE: 'a' } },
        },
      } as never),
      {},
    ],
    [
      'the end, with a timer that runs, and a service that is invoked anew',
      createMachine({
        initial: 'a',
        after: { 1000: '.end' },
        states: {
          a: { invoke: { id: 'work', src: fromPromise(async () => 1), onDone: 'a', onError: 'end' } },
          end: { type: 'final' },
        },
      }),
      {},
    ],
  ])('%s', async (_, machine, tests) => expect((await isTheSame(machine, tests)).length).toBeGreaterThan(0));

  test('an error of a guard ends it, like an actor, and so does an unhandled error', async () => {
    const throws = () => {
      throw new Error('no such guard');
    };
    const machine = createMachine({
      initial: 'a',
      states: {
        a: { on: { GO: { guard: throws, target: 'b' }, ASK: 'b' } },
        b: { invoke: { id: 'work', src: fromPromise(async () => 1) } },
      },
    });
    const [live, pure] = both(machine, {});
    expect(await pure.searchFailures()).toEqual(await live.searchFailures());
    expect((await pure.searchFailures()).map(({ rule }) => rule)).toEqual([
      expect.stringMatching(/^no unhandled error .*no such guard/),
      'no unhandled error (Error "work failed")',
    ]);
  });

  test('an actor that is lost runs on', async () => {
    const { machine, tests } = { ...examples['chat']!, machine: races['chat']!.machine };
    const [, pure] = both(machine, tests);
    expect((await pure.searchFailures()).map(({ rule }) => rule)).toContain('no actor left running');
  });
});

test('samples define the result of a child machine; without them it is rejected', async () => {
  const child = createMachine({ id: 'child', initial: 'a', states: { a: {} } });
  const machine = setup({ actors: { child } }).createMachine({
    initial: 'a',
    states: { a: { invoke: { src: 'child', onDone: 'b' }, on: { HI: 'b' } }, b: {} },
  });
  const { pure, tests } = { pure: 'pure' as const, tests: { services: { child: { done: [1], sends: [{ type: 'HI' }] } } } };
  expect(await isTheSame(machine, tests)).toEqual(['child done 1', 'child sends HI']);
  await expect(new MachineTesting(machine, { mode: pure }).graph()).rejects.toThrow(
    /^child is a machine, which only mode 'live' runs\. In mode 'pure', define its results, services: { "child": /,
  );
});

test.each<[MachineTests, RegExp]>([
  [{ mode: 'pur' as never }, /^mode is "pur".*pure/],
  [{ mode: 'pure', restore: true }, /^restore needs live actors\. Omit it, or omit mode: 'pure'\.$/],
  [{ mode: 'pure', services: { charge: 'real' } }, /^services.charge: 'real' needs live actors/],
])('%j is refused', (tests, complaint) => {
  expect(() => new MachineTesting(examples['checkout']!.machine, tests)).toThrow(complaint);
});
