/** Unlikely machines, and values that JSON cannot represent. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { assign, createMachine, fromCallback, fromPromise, raise, sendTo, setup, type AnyStateMachine } from 'xstate';
import type { MachineTests, MachineStep } from './options.js';
import { reportOnMachine } from './report.js';
import { describeStep } from './steps.js';
import { describeFailure, MachineTesting, replaySteps } from './testing.js';

const report = (machine: unknown, tests: MachineTests = {}) =>
  reportOnMachine(new MachineTesting(machine as AnyStateMachine, tests));
const stepsIn = (text: string): MachineStep[] =>
  JSON.parse(text.split('replaySteps(machine, tests, ')[1]!.replace(/\);$/, '')) as MachineStep[];

describe('payloads that JSON does not hold', () => {
  const ring: { self?: unknown } = {};
  ring.self = ring;
  const shop = createMachine({
    context: { day: null as Date | null, n: 0n, ring: null as unknown },
    on: {
      DAY: { actions: assign({ day: ({ event }: any) => event.day }) },
      BIG: { actions: assign({ n: ({ event }: any) => event.n }) },
      RING: { actions: assign({ ring: ({ event }: any) => event.ring }) },
    },
  });
  const tests: MachineTests = {
    events: { DAY: [{ day: new Date(5) }], BIG: [{ n: 1n }, { n: 2n }], RING: [{ ring }] },
    invariants: { 'one at most': ({ context }) => context.day === null || context.n < 2n },
  };

  test('reach the machine unchanged, and are described in reports', async () => {
    const { failures, coverage } = await report(shop, tests);
    expect(coverage.isComplete).toBe(true);
    expect(failures.map(({ steps }) => steps.map(describeStep))).toEqual([['DAY {day:Date 5}', 'BIG {n:2n}']]);
  });

  test('the line of the failure takes them again, by their place among the samples', async () => {
    const { failures } = await report(shop, tests);
    const again = stepsIn(failures[0]!.text);
    expect(again).toEqual([
      { event: { type: 'DAY' }, sample: 0, description: '{day:Date 5}' },
      { event: { type: 'BIG' }, sample: 1, description: '{n:2n}' },
    ]);
    await expect(replaySteps(shop, tests, again)).rejects.toThrow(/^one at most: after DAY/);
  });

  test('operations on a system under test get them, too', async () => {
    const given: unknown[] = [];
    const exec = { DAY: (_: unknown, { day }: any) => void given.push(day), '*': () => {} };
    await new MachineTesting(shop, { ...tests, invariants: {}, exec }).firstFailure('tour');
    expect(given[0]).toEqual(new Date(5));
  });
});

describe('payloads are made small', () => {
  const vault = createMachine({
    context: { sum: 0, name: '' },
    on: {
      PUT: { actions: assign({ sum: ({ event }: any) => event.amount }) },
      NAME: { actions: assign({ name: ({ event }: any) => event.name }) },
    },
  });

  test('within the values of their arbitrary, also mapped ones', async () => {
    const { failures } = await report(vault, {
      seed: 7,
      events: { PUT: fc.integer({ min: 0, max: 1_000_000 }).map((n) => ({ amount: n * 2 })), NAME: [] },
      invariants: { small: ({ context }) => context.sum < 1000 },
    });
    expect(failures.map(({ steps }) => steps.map(describeStep))).toEqual([['PUT {"amount":1000}']]);
  });

  test('to the shortest sample of a list that fails as well', async () => {
    const { failures } = await report(vault, {
      events: { PUT: [], NAME: [{ name: 'a name that is long' }, { name: 'ok' }, { name: 'long' }] },
      invariants: { short: ({ context }) => context.name.length < 4 },
    });
    expect(failures.map(({ steps }) => steps.map(describeStep))).toEqual([['NAME {"name":"long"}']]);
  });

  test('and so is the result of a service', async () => {
    const loads = setup({ actors: { load: fromPromise(async () => 0) } }).createMachine({
      context: { n: 0 },
      invoke: { src: 'load', onDone: { actions: assign({ n: ({ event }) => event.output }) }, onError: {} },
    });
    const { failures } = await report(loads, {
      services: { load: { done: fc.integer({ min: 0, max: 10_000 }) } },
      invariants: { small: ({ context }) => context.n < 50 },
    });
    expect(failures.map(({ steps }) => steps.map(describeStep))).toEqual([['load done 50']]);
  });
});

describe('time', () => {
  const chain = (second: object) =>
    createMachine({
      initial: 'a',
      states: { a: { after: { 100: 'b' }, on: { HURRY: 'b' } }, b: second, c: {} },
    } as never);
  const soon = (withinMs: number): MachineTests => ({
    temporal: { 'c comes': { when: ({ value }) => value === 'a', eventually: ({ value }) => value === 'c', withinMs } },
  });
  const late = async (machine: unknown, tests: MachineTests) =>
    (await new MachineTesting(machine as AnyStateMachine, tests).temporalFailures()).map(
      ({ description, steps }) => `${description} | ${steps.map(describeStep).join(', ')}`,
    );

  test('withinMs is virtual time: two timers in a row take as long as both', async () => {
    const machine = chain({ after: { 50: 'c' } });
    expect(await late(machine, soon(150))).toEqual([]);
    expect(await late(machine, soon(149))).toEqual(['more than 149 ms can pass, and it is in "b" | after 100 in a']);
  });

  test('a service takes any time, unless a timer ends the waiting', async () => {
    const invoke = { src: fromPromise(async () => 1), onDone: 'c', onError: 'c' };
    expect(await late(chain({ invoke }), soon(5000))).toEqual(['more than 5000 ms can pass, and it is in "b" | after 100 in a']);
    expect(await late(chain({ invoke, after: { 400: 'c' } }), soon(500))).toEqual([]);
  });

  test('an infinite delay fires immediately and is reported so', async () => {
    for (const [delay, asked] of [
      [Infinity, 'Infinity'],
      [NaN, 'NaN'],
      [2 ** 31, '2147483648'],
    ] as const) {
      const machine = setup({ delays: { long: delay } }).createMachine({
        initial: 'a',
        states: { a: { after: { long: 'b', 100: 'c' } }, b: {}, c: {} },
      });
      const [failure] = await new MachineTesting(machine).searchFailures();
      expect(describeFailure(failure!)).toMatch(
        `every delay can be kept: at the start: after long in a has a delay of ${asked} ms; a timer takes at most 2147483647`,
      );
      expect((await new MachineTesting(machine).coverage()).missing.map(({ item }) => item)).toContain('state c');
    }
    expect((await report(setup({ delays: { back: -5 } }).createMachine({ after: { back: {} } }))).failures).toEqual([]);
  });
});

describe('the line of a failure takes temporal properties again', () => {
  const blink = createMachine({
    initial: 'a',
    states: { a: { after: { 10: 'b' }, on: { OFF: 'off' } }, b: { after: { 10: 'a' } }, off: {} },
  });
  const dark: (snapshot: any) => boolean = ({ value }) => value === 'off';
  const lit: (snapshot: any) => boolean = ({ value }) => value === 'a';
  test.each<[string, NonNullable<MachineTests['temporal']>[string]]>([
    ['never', { never: dark }],
    ['always', { always: lit }],
    ['eventually', { when: lit, eventually: dark }],
    ['within', { when: lit, eventually: dark, within: 1 }],
    ['withinMs', { when: lit, eventually: dark, withinMs: 15 }],
    ['until', { when: lit, holds: lit, until: dark }],
    ['until within', { when: lit, holds: () => true, until: dark, within: 2 }],
    ['until withinMs', { when: lit, holds: () => true, until: dark, withinMs: 15 }],
    ['always within', { when: lit, always: (state) => !dark(state), within: 1 }],
    ['never withinMs', { when: lit, never: (state) => state.matches('b'), withinMs: 10 }],
  ])('%s', async (_, property) => {
    const tests: MachineTests = { temporal: { it: property } };
    const [failure] = await new MachineTesting(blink, tests).temporalFailures();
    const again = stepsIn(describeFailure(failure!));
    await expect(replaySteps(blink, tests, again)).rejects.toThrow(/^it: /);
    // The path itself does not show its alternatives.
    await replaySteps(blink, { temporal: { it: { when: lit, eventually: (state) => state.matches('b') } } }, [
      { event: { type: 'OFF' } },
    ]);
  });
});

describe('a missing item comes with a remedy', () => {
  const reasons = async (machine: unknown, tests: MachineTests = {}) =>
    (await new MachineTesting(machine as AnyStateMachine, tests).coverage()).missing.map(
      ({ chart, item, reason }) => `${chart}: ${item}: ${reason}`,
    );

  test('an event that the chart sends itself, and the world may, too', async () => {
    const machine = createMachine({
      id: 'm',
      initial: 'a',
      states: { a: { on: { X: 'b' } }, b: { on: { GO: { actions: sendTo(({ self }) => self, { type: 'X' }) } } } },
    });
    expect((await reasons(machine)).find((one) => one.startsWith('m: event X'))).toMatch(
      /the chart, its children or its services send X themselves: add a sample to events.X, {} without a payload/,
    );
    expect(await reasons(machine, { events: { X: [{}] } })).toEqual([]);
  });

  test('a child machine that receives no events', async () => {
    const kid = createMachine({ id: 'kid', initial: 'w', states: { w: { on: { OK: 'd' } }, d: { type: 'final' } } });
    const machine = setup({ actors: { kid } }).createMachine({
      initial: 'a',
      states: { a: { invoke: { src: 'kid', id: 'kid', onDone: 'b' } }, b: {} },
    });
    const all = (await reasons(machine)).join('\n');
    expect(all).toMatch(/transition a: kid done: .*let a child machine end: children.kid/);
    expect(all).toMatch(/kid: event OK: .*add one to children.kid.OK if/);
    expect(await reasons(machine, { children: { kid: { OK: [{}] } } })).toEqual([]);
  });

  test('a callback that fails', async () => {
    const machine = setup({ actors: { socket: fromCallback(() => {}) } }).createMachine({
      initial: 'a',
      states: {
        a: {
          invoke: { src: 'socket', onError: { target: 'b', actions: assign({ why: ({ event }: any) => event.error.message }) } },
        },
        b: {},
      },
    });
    expect((await reasons(machine)).join('\n')).toMatch(/transition a: socket error: .*add a sample to services.socket.fails/);
    const testing = new MachineTesting(machine, { services: { socket: { fails: [new Error('down')] } } });
    expect((await testing.coverage()).missing).toEqual([]);
    expect((await testing.graph()).vertices.map(({ context }) => context)).toContain('{why:"down"}');
  });

  test('a machine that was given no input', async () => {
    const machine = createMachine({ context: ({ input }: any) => ({ n: input.start }) });
    const [failure] = await new MachineTesting(machine).searchFailures();
    expect(describeFailure(failure!)).toMatch(/It was started without input: if it needs one, pass input/);
  });
});

describe('machines without end', () => {
  test.each<[string, unknown]>([
    ['always', createMachine({ initial: 'a', states: { a: { on: { GO: 'b' } }, b: { always: 'c' }, c: { always: 'b' } } })],
    ['always, from the start', createMachine({ initial: 'b', states: { b: { always: 'c' }, c: { always: 'b' } } })],
    ['raise', createMachine({ on: { GO: { actions: raise({ type: 'X' }) }, X: { actions: raise({ type: 'X' }) } } })],
  ])('%s', async (_, machine) => {
    expect((await report(machine)).failures[0]!.rule).toMatch(/^no unhandled error \(Error "Infinite loop detected/);
  });
});

test('an event that a state forbids is a transition that does nothing', async () => {
  const machine = createMachine({
    initial: 'a',
    on: { X: '.b' },
    states: { a: { on: { X: undefined, GO: 'c' } }, b: {}, c: {} },
  });
  const testing = new MachineTesting(machine);
  expect((await testing.coverage()).missing).toEqual([]);
  expect(await testing.firstFailure('tour')).toBeNull();
});

describe('a thousand states', () => {
  const ring = (states: number) =>
    createMachine({
      initial: 's0',
      states: Object.fromEntries(
        Array.from({ length: states }, (_, i) => [
          `s${i}`,
          { on: { NEXT: `s${(i + 1) % states}`, BACK: `s${(i + states - 1) % states}` } },
        ]),
      ),
    });

  test('in a ring, with the longest ways back: three steps for each state', async () => {
    const testing = new MachineTesting(ring(1000), { limits: { walks: 1 } });
    const { vertices, taken, isComplete } = await testing.graph();
    expect([vertices.length, isComplete, taken]).toEqual([1000, true, 2999]);
    expect((await testing.plans('shortest')).map(({ steps }) => steps.length)).toEqual([499, 500]);
    expect((await testing.coverage()).missing).toEqual([]);
  });

  test('a chart that goes otherwise each time is noticed there, too', async () => {
    let turn = 10;
    const nondeterministic = createMachine({
      context: { n: 0 },
      on: { X: { actions: assign({ n: ({ context }) => (context.n < 3 ? context.n + 1 : ++turn) }) } },
    });
    await expect(new MachineTesting(nondeterministic).graph()).rejects.toThrow(
      /the same steps led to another state: after X, X, X, X the first time/,
    );
  });
});

test('the order in which parallel regions were entered is restored with a state', async () => {
  const region = (key: string) => ({
    initial: 'a',
    states: {
      a: { on: { [key]: 'b', BOTH: 'b' } },
      b: { on: { BOTH: { target: 'a', actions: assign({ log: ({ context }: any) => (context.log + key).slice(-4) }) } } },
    },
  });
  const machine = createMachine({ context: { log: '' }, type: 'parallel', states: { x: region('X'), y: region('Y') } } as never);
  const testing = new MachineTesting(machine, {});
  expect(await testing.firstFailure('shortest')).toBeNull();
  expect(await testing.firstFailure('tour')).toBeNull();
});

test('timers that pile up are a state that is not looked at', async () => {
  const machine = createMachine({ on: { GO: { actions: raise({ type: 'HI' }, { delay: 50 }) }, HI: {} } });
  const { vertices, isComplete } = await new MachineTesting(machine).graph();
  expect([isComplete, vertices.length < 200]).toEqual([false, true]);
});

describe('wrong options', () => {
  const one = createMachine({ id: 'one', context: { n: 0 }, on: { A: {} } });
  test.each<[MachineTests, RegExp]>([
    [{ evnts: {} } as never, /^Unknown option tests\.evnts\. Known: input, events,/],
    [{ events: { AA: [{}] } }, /^events.AA: machine one has no transition for it; it takes A$/],
    [{ events: { A: 'x' } } as never, /^the samples of event A are "x"\. Pass a list/],
    [
      { events: { A: () => JSON.parse('{') as never } },
      /^the function that returns the samples of event A throws in state {}: .*\. Fix it, or return \[\] in this state\.$/,
    ],
  ])('%j is rejected', async (tests, description) => {
    await expect((async () => new MachineTesting(one, tests).graph())()).rejects.toThrow(description);
  });

  test('a guard without an implementation', async () => {
    const [failure] = await new MachineTesting(createMachine({ on: { A: { guard: 'isSo' } } })).searchFailures();
    expect(describeFailure(failure!)).toMatch(/Guard 'isSo' is not implemented.*Give it by provide: { guards: { … } }/);
  });
});

test('samples define the results of a service without an implementation', async () => {
  const machine = createMachine({
    initial: 'a',
    context: { got: 0 },
    states: {
      a: {
        invoke: {
          src: 'later',
          onDone: { target: 'b', actions: assign({ got: ({ event }) => event.output as number }) },
          onError: 'b',
        },
      },
      b: {},
    },
  });
  const testing = new MachineTesting(machine, { services: { later: { done: [7] } } });
  expect((await testing.graph()).vertices.map(({ context }) => context)).toEqual(['{got:0}', '{got:7}', '{got:0}']);
  expect((await testing.coverage()).missing).toEqual([]);
});

describe('meaningless options are rejected with their names', () => {
  const good = createMachine({ id: 't', initial: 'a', states: { a: { on: { X: 'b' } }, b: { on: { X: 'a' } } } });
  const is = () => true;

  test.each<[object, RegExp]>([
    [{ limits: { sates: 3 } }, /limits\.sates is not known. Did you mean "states"/],
    [{ limits: { walks: -1 } }, /limits\.walks is -1\. Pass a number, at least 0/],
    [{ limits: { states: NaN } }, /limits\.states is NaN/],
    [{ thresholds: { guards: 3 } }, /thresholds\.guards is not known. Did you mean "guard"/],
    [{ provide: { action: {} } }, /provide\.action is not known. Did you mean "actions"/],
    [{ services: { p: { don: [1] } } }, /services\.p\.don is not known. Did you mean "done"/],
    [{ invariants: { no: true } }, /invariants\.no is not a function/],
    [{ temporal: { p: { whn: is, eventually: is } } }, /temporal\.p contains whn, eventually\. A property is/],
    [{ temporal: { p: {} } }, /temporal\.p contains nothing/],
    [{ temporal: { p: { always: is, never: is } } }, /temporal\.p contains always, never/],
    [{ temporal: { p: { when: is, eventually: is, withinMS: 1 } } }, /temporal\.p contains when, eventually, withinMS/],
    [{ temporal: { p: { always: true } } }, /temporal\.p\.always is not a function/],
    [{ states: { bb: is } }, /states\.bb: machine t has no such state/],
    [{ reasons: { 't: state b': ' ' } }, /reasons\["t: state b"\] is empty/],
  ])('%o', (tests, description) => {
    expect(() => new MachineTesting(good, tests)).toThrow(description);
  });

  test.each<[string, MachineTests, RegExp]>([
    [
      'an invariant',
      { invariants: { no: (async () => false) as never } },
      /no: .*returns a promise\. It must return true or false synchronously/,
    ],
    ['a state', { states: { b: async () => false } }, /check of state b: .*it returns false/],
  ])('%s that returns a promise of false is reported', async (_, tests, description) => {
    const testing = new MachineTesting(good, tests);
    const failures = [...(await testing.searchFailures()), await testing.firstFailure('shortest')].flatMap(
      (failure) => failure ?? [],
    );
    expect(failures.map(describeFailure).join('\n')).toMatch(description);
  });

  test('a temporal property that gives a promise', async () => {
    const testing = new MachineTesting(good, { temporal: { p: { always: (async () => false) as never } } });
    await expect(testing.temporalFailures()).rejects.toThrow('temporal.p returns a promise');
  });

  test.each([
    [[{ event: { type: 'NOPE' } }], /step 0 sends NOPE: machine t has no transition for it; it takes X/],
    [
      [{ event: { type: 'X' } }, { evnt: { type: 'X' } }],
      /step 1 is {"evnt":{"type":"X"}}\. A step contains one of event, timer/,
    ],
  ])('a line that is taken again: %j', async (steps, description) => {
    await expect(replaySteps(good, {}, steps as never)).rejects.toThrow(description);
    await expect(replaySteps(good, {}, [{ event: { type: 'X' } }])).resolves.toBeUndefined();
  });
});
