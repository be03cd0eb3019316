/** The extent and the order of the search, and the report of a search that was cut off. */
import { assign, createMachine, fromPromise, setup, spawnChild } from 'xstate';
import { describe, expect, test } from 'vitest';
import type { AnyStateMachine } from 'xstate';
import type { MachineTests } from './options.js';
import { reportOnMachine } from './report.js';
import { describeStep } from './steps.js';
import { MachineTesting } from './testing.js';

const reportOf = (machine: AnyStateMachine, tests: MachineTests = {}) =>
  reportOnMachine(new MachineTesting(machine, { ...tests, limits: { walks: 1, steps: 5, ...tests.limits } }));

const fail = (): never => {
  throw new Error('too many');
};
const add = (key: string): any => assign({ [key]: ({ context }: any) => context[key] + 1 });

const twoCounters = createMachine({
  id: 'two',
  context: { a: 0, b: 0 },
  on: { A: { actions: add('a') }, B: { actions: add('b') } },
});

/** A guard reads its counter, so that the counter distinguishes states. */
const bounded = (most: number) =>
  createMachine({
    id: 'bounded',
    context: { count: 0 },
    initial: 'low',
    states: {
      low: {
        on: {
          UP: [
            { guard: ({ context }) => context.count >= most, target: 'high' },
            { actions: assign({ count: ({ context }) => context.count + 1 }) },
          ],
        },
      },
      high: { on: { AGAIN: { target: 'low', actions: assign({ count: 0 }) } } },
    },
  });

describe('the default is deep enough', () => {
  test('for a property violated after fifteen steps, in an infinite machine', async () => {
    const { verdict, failures } = await reportOf(twoCounters, {
      invariants: { 'never fifteen without a B': ({ context }) => !(context.a === 15 && context.b === 0) },
    });
    expect(verdict).toBe('invalid');
    expect(failures.map(({ steps }) => steps.map(describeStep))).toEqual([Array.from({ length: 15 }, () => 'A')]);
  });

  test('for a counter that a guard ends after 500 events', async () => {
    const { verdict, searched } = await reportOf(bounded(500));
    expect({ verdict, states: searched.states }).toEqual({ verdict: 'valid', states: 502 });
  });

  test('for an indexer with retries within epochs', async () => {
    const services = { fetchEpoch: fromPromise(async () => 1) };
    const indexer = setup({ actors: services }).createMachine({
      id: 'indexer',
      context: { epoch: 0, retries: 0 },
      initial: 'fetching',
      states: {
        fetching: {
          invoke: {
            src: 'fetchEpoch',
            onDone: [
              { guard: ({ context }) => context.epoch >= 60, target: 'done' },
              { target: 'fetching', reenter: true, actions: assign({ epoch: ({ context }) => context.epoch + 1, retries: 0 }) },
            ],
            onError: [
              {
                guard: ({ context }) => context.retries < 5,
                target: 'pause',
                actions: assign({ retries: ({ context }) => context.retries + 1 }),
              },
              { target: 'broken' },
            ],
          },
        },
        pause: { after: { 500: 'fetching' } },
        broken: { on: { RETRY: { target: 'fetching', actions: assign({ retries: 0 }) } } },
        done: { type: 'final' },
      },
    });
    expect((await reportOf(indexer)).verdict).toBe('valid');
  });

  test('toward a guard with only one result so far, past others that multiply states', async () => {
    const machine = createMachine({
      id: 'score',
      context: { score: 0, a: 0, b: 0 },
      on: {
        HIT: [{ guard: ({ context }) => context.score > 300, target: '.won' }, { actions: add('score') }],
        A: { guard: ({ context }) => context.a < 30, actions: add('a') },
        B: { guard: ({ context }) => context.b < 30, actions: add('b') },
      },
      initial: 'playing',
      states: { playing: {}, won: { type: 'final' } },
    });
    const { verdict, coverage } = await reportOf(machine);
    expect(verdict).toBe('unknown');
    expect(coverage.missing).toEqual([]);
  });
});

describe('a search that was cut off', () => {
  const isSmall = { 'the count is no less than 0': ({ context }: any) => context.a >= 0 };

  test('is unknown, names the limit and the growing values, and its advice helps', async () => {
    const { verdict, searched } = await reportOf(twoCounters, { invariants: isSmall, limits: { states: 50 } });
    expect(verdict).toBe('unknown');
    expect(searched.cut).toMatchObject({ limit: 'states', value: 50 });
    expect(searched.cut!.text).toMatch(
      /^the search ended at limits\.states 50, after 5\d states; .* pass limits: \{ states: 500 \}\. The context grows without end: a \(0 to \d+\)/,
    );
    const raised = await reportOf(bounded(60), { limits: { states: 50 } });
    expect(raised.verdict).toBe('unknown');
    expect((await reportOf(bounded(60), { limits: { states: 500 } })).verdict).toBe('valid');
    const ended = await reportOf(twoCounters, {
      invariants: isSmall,
      filter: ({ context }, step) => 'event' in step && (step.event.type === 'A' ? context.a < 3 : context.b < 3),
    });
    expect(ended.verdict).toBe('valid');
  });

  test.each([['searchSteps'], ['actors'], ['timers']] as const)('by limits.%s is unknown, too', async (limit) => {
    const machine = setup({ actors: { work: fromPromise(async () => 1) } }).createMachine({
      id: 'many',
      context: { n: 0 },
      on: {
        START: {
          guard: ({ context }) => context.n < 3,
          actions: [add('n'), spawnChild('work', { id: ({ context }) => `work ${context.n}` })],
        },
        'xstate.done.actor.*': {},
      },
    });
    const timers = createMachine({
      id: 'timers',
      type: 'parallel',
      states: {
        a: { after: { 10: '.end' }, initial: 'on', states: { on: {}, end: {} } },
        b: { after: { 20: '.end' }, initial: 'on', states: { on: {}, end: {} } },
      },
    });
    const { verdict, searched, coverage } = await reportOf(limit === 'timers' ? timers : machine, {
      limits: { [limit]: 1 },
      ...(limit !== 'timers' && { services: { work: { done: [1], fails: [] } } }),
    });
    expect(searched.cut?.limit).toBe(limit);
    expect(coverage.missing.every(({ reason }) => reason.includes(`ended at limits.${limit}`))).toBe(true);
    expect(verdict).toBe('unknown');
  });

  test('does not hide failures, nor an action without an implementation', async () => {
    const limits = { states: 20 };
    const broken = { 'stays below 3': ({ context }: any) => context.a < 3 };
    expect((await reportOf(twoCounters, { invariants: broken, limits })).verdict).toBe('invalid');
    const lacking = createMachine({
      id: 'lacking',
      context: { n: 0 },
      on: { UP: { guard: ({ context }) => context.n >= 0, actions: [add('n'), 'track'] } },
    });
    expect((await reportOf(lacking, { limits })).verdict).toBe('invalid');
  });

  test('leaves "sometimes" open', async () => {
    const temporal = { 'comes to 1,000': { sometimes: ({ context }: any) => context.a === 1000 } };
    expect((await reportOf(twoCounters, { temporal, limits: { states: 40 } })).verdict).toBe('unknown');
  });
});

describe('context that nothing reads', () => {
  const shown = setup({ actions: { count: add('count') } }).createMachine({
    id: 'shown',
    context: { count: 0, log: [] as string[], twice: 0 },
    initial: 'off',
    states: {
      off: { on: { PRESS: { target: 'on', actions: 'count' } } },
      on: {
        entry: assign({ log: ({ context, event }) => [...context.log, event.type] }),
        on: { PRESS: { target: 'off', actions: assign({ twice: ({ context }) => context.count * 2 }) } },
      },
    },
  });

  test('does not distinguish states once there are many; the report contains it', async () => {
    const { verdict, searched } = await reportOf(shown);
    expect(verdict).toBe('valid');
    expect(searched).toMatchObject({ states: 2, isComplete: true, unread: ['count', 'log', 'twice'] });
  });

  test.each([
    ['an invariant', { invariants: { 'is no less than 0': ({ context }: any) => context.twice >= 0 } }],
    ['a property that looks at all of it', { invariants: { 'is there': (state: any) => JSON.stringify(state.context) !== '' } }],
    ['a function of samples', { events: { PRESS: ({ context }: any) => [{ n: context.twice > 0 }] } }],
  ] as [string, MachineTests][])('distinguishes them where %s reads the field or its source', async (_, tests) => {
    const { verdict, searched } = await reportOf(shown, { ...tests, limits: { states: 300 } });
    expect(verdict).toBe('unknown');
    expect(searched.unread).not.toContain('count');
  });

  test.each([
    ['throws', ({ context }: any) => (context.n < 14 ? context.n + 1 : fail())],
    ['reads an element that is missing', ({ context }: any) => ['a', 'b', 'c'][context.n]!.length + context.n],
  ])('is read by an assigner that %s', async (_, assigner) => {
    const machine = createMachine({
      id: 'breaks',
      context: { n: 0, log: 0 },
      on: { UP: { actions: assign({ n: assigner }) }, RESET: { actions: assign({ n: 0 }) }, LOG: { actions: add('log') } },
    });
    const { verdict, searched } = await reportOf(machine);
    expect({ verdict, unread: searched.unread }).toEqual({ verdict: 'invalid', unread: ['log'] });
  });

  test('includes the values that assigners of read values read', async () => {
    const machine = createMachine({
      id: 'late',
      context: { hidden: 0, seen: 0 },
      on: {
        UP: { actions: add('hidden') },
        SHOW: { actions: assign({ seen: ({ context }) => context.hidden }) },
        ASK: { guard: ({ context }) => context.seen === 30, target: '.found' },
      },
      initial: 'asking',
      states: { asking: {}, found: { type: 'final' } },
    });
    const { coverage } = await reportOf(machine);
    expect(coverage.missing).toEqual([]);
  });
});
