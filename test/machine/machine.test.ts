import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  and,
  assign,
  createMachine,
  fromCallback,
  fromObservable,
  fromPromise,
  raise,
  sendParent,
  setup,
  spawnChild,
} from 'xstate';
import { UsageError } from '../../machines/errors.js';
import type { MachineTests, MachineStep } from './options.js';
import { Rig } from './rig.js';
import { describeStep } from './steps.js';
import { Subject } from './subject.js';
import { describeFailure, MachineTesting, replaySteps } from './testing.js';

const rigOf = (machine: unknown, tests: MachineTests = {}) => new Rig(new Subject(machine as never, tests), { performs: false });
const choices = (rig: Rig) => rig.choices().map(describeStep);
async function take(rig: Rig, name: string): Promise<unknown> {
  const step = rig.choices().find((one) => describeStep(one) === name);
  if (!step) throw new Error(`${name} is none of ${choices(rig).join(', ')}`);
  await rig.take(step);
  return rig.snapshot.value;
}

const failing = async (machine: unknown, tests: MachineTests = {}) => {
  const testing = new MachineTesting(machine as never, tests);
  const found = [...(await testing.searchFailures()), await testing.firstFailure('tour'), ...(await testing.temporalFailures())];
  return found.flatMap((one) => (one ? [`${one.rule} | ${one.steps.map(describeStep).join(', ')}`] : []));
};

describe('possible steps of a machine', () => {
  test('events of its states, bare or with samples, by list, function and arbitrary', async () => {
    const machine = createMachine({ context: { n: 2 }, on: { A: {}, B: {}, C: {}, 'D.*': {} } });
    const tests: MachineTests = {
      events: { B: ({ context }) => [{ n: context.n }], C: fc.constant({ c: 1 }), 'D.one': [{}] },
    };
    const testing = new MachineTesting(machine, tests);
    const rig = new Rig(await testing.subject(), { performs: false });
    expect([...new Set(choices(rig))]).toEqual(['A', 'B {"n":2}', 'C {"c":1}', 'D.one']);
  });

  test('a promise is done or fails, once', async () => {
    const machine = setup({ actors: { load: fromPromise(async () => 1) } }).createMachine({
      initial: 'loading',
      states: { loading: { invoke: { src: 'load', onDone: 'ready', onError: 'broken' } }, ready: {}, broken: {} },
    });
    const tests = { services: { load: { done: [{ id: 7 }], fails: [new Error('down')] } } };
    expect(choices(rigOf(machine, tests))).toEqual(['load done {"id":7}', 'load fails Error "down"']);
    const rig = rigOf(machine, tests);
    expect(await take(rig, 'load fails Error "down"')).toBe('broken');
    expect(choices(rig)).toEqual([]);
  });

  test('an inline service is named by its place, and a spawned one by its id', () => {
    const machine = createMachine({
      id: 'm',
      initial: 'a',
      states: {
        a: {
          invoke: { src: fromPromise(async () => 1) },
          entry: spawnChild(
            fromPromise(async () => 2),
            { id: 'second' },
          ),
        },
      },
    });
    expect(choices(rigOf(machine))).toEqual([
      'second done',
      'second fails Error "second failed"',
      'invoked in a done',
      'invoked in a fails Error "invoked in a failed"',
    ]);
  });

  test('a callback sends its samples, an observable emits values and completes', async () => {
    const machine = setup({
      actors: {
        ticks: fromObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) })),
        socket: fromCallback(() => {}),
      },
    }).createMachine({
      context: { last: 0 },
      invoke: [
        { src: 'ticks', onSnapshot: { actions: assign({ last: ({ event }) => event.snapshot.context as number }) } },
        { src: 'socket' },
      ],
      on: { PING: { actions: assign({ last: -1 }) } },
    });
    const rig = rigOf(machine, { services: { ticks: { next: [5], fails: [] }, socket: { sends: [{ type: 'PING' }] } } });
    expect(choices(rig)).toEqual(['ticks next 5', 'ticks completes', 'socket sends PING']);
    await take(rig, 'ticks next 5');
    expect(rig.snapshot.context).toEqual({ last: 5 });
    await take(rig, 'socket sends PING');
    expect(rig.snapshot.context).toEqual({ last: -1 });
  });

  test('timers, delayed events and named delays, in any order that time allows', async () => {
    const machine = setup({ delays: { long: 900 } }).createMachine({
      type: 'parallel',
      states: {
        a: { initial: 'on', states: { on: { after: { long: 'off' } }, off: {} } },
        b: { initial: 'on', states: { on: { entry: raise({ type: 'X' }, { delay: 500 }), on: { X: 'off' } }, off: {} } },
      },
    });
    const rig = rigOf(machine);
    expect(choices(rig)).toEqual(['delayed X']);
    // Events that the chart sends to itself are external only if samples define them.
    expect(choices(rigOf(machine, { events: { X: [{}] } }))).toEqual(['X', 'delayed X']);
    await take(rig, 'delayed X');
    expect(choices(rig)).toEqual(['after long in a.on']);
    expect(await take(rig, 'after long in a.on')).toEqual({ a: 'off', b: 'off' });
    expect(choices(rigOf(machine, { delays: { long: 100 } }))).toEqual(['after long in a.on']);
  });

  test('child machines run with timers and services; options define external events', async () => {
    const child = setup({ actors: { work: fromPromise(async () => 1) } }).createMachine({
      initial: 'idle',
      states: {
        idle: { on: { GO: 'busy' }, after: { 100: 'busy' } },
        busy: { invoke: { src: 'work', onDone: { actions: sendParent({ type: 'DONE' }) } } },
      },
    });
    const machine = setup({ actors: { child } }).createMachine({
      invoke: { src: 'child' },
      initial: 'open',
      states: { open: { on: { DONE: 'closed' } }, closed: {} },
    });
    const tests: MachineTests = { children: { child: {} }, services: { work: { fails: [] } } };
    const rig = rigOf(machine, tests);
    expect(choices(rig)).toEqual(['child: GO', 'child: after 100 in idle']);
    await take(rig, 'child: GO');
    expect(await take(rig, 'child/work done')).toBe('closed');
  });

  test('a child machine can be held, and sends its samples', async () => {
    const machine = setup({ actors: { child: createMachine({}) } }).createMachine({
      invoke: { src: 'child' },
      on: { HELLO: { actions: () => {} } },
    });
    const rig = rigOf(machine, { services: { child: { sends: [{ type: 'HELLO' }] } } });
    expect(choices(rig)).toEqual(['child sends HELLO']);
  });

  test('a promise that is asked to runs for real, and its end waits for its step', async () => {
    const machine = setup({ actors: { load: fromPromise(async () => 41 + 1) } }).createMachine({
      context: { got: 0 },
      invoke: { src: 'load', onDone: { actions: assign({ got: ({ event }) => event.output }) } },
    });
    const rig = rigOf(machine, { services: { load: 'real' } });
    expect(choices(rig)).toEqual(['load settles']);
    await take(rig, 'load settles');
    expect(rig.snapshot.context).toEqual({ got: 42 });
  });

  test('a step that cannot happen changes nothing', async () => {
    const rig = rigOf(createMachine({ initial: 'a', states: { a: { after: { 10: 'b' } }, b: {} } }));
    const before = rig.key();
    const steps: MachineStep[] = [{ timer: 'after 99 in a' }, { done: 'nobody' }, { event: { type: 'X' }, to: 'nobody' }];
    for (const step of steps) expect(await rig.take(step)).toBe(false);
    expect(rig.key()).toBe(before);
  });
});

describe('judged rules', () => {
  test('an unhandled failure of a service ends the machine', async () => {
    const machine = setup({ actors: { load: fromPromise(async () => 1) } }).createMachine({
      initial: 'idle',
      states: { idle: { on: { GO: 'loading' } }, loading: { invoke: { src: 'load', onDone: 'idle' } } },
    });
    expect(await failing(machine)).toContain('no unhandled error (Error "load failed") | GO, load fails Error "load failed"');
    expect(await failing(machine, { services: { load: { fails: [] } } })).toEqual([]);
  });

  test('a missing sample is named with a remedy', async () => {
    const machine = createMachine({ on: { CARD: { actions: assign({ n: ({ event }) => event['number'].length }) } } });
    const [failure] = await new MachineTesting(machine).searchFailures();
    expect(describeFailure(failure!)).toMatch(
      /CARD was sent without a payload\. If it needs one, add samples to events\["CARD"\]/,
    );
  });

  const counter = createMachine({
    context: { n: 0 },
    initial: 'on',
    states: {
      on: {
        on: { UP: { guard: ({ context }) => context.n < 3, actions: assign({ n: ({ context }) => context.n + 1 }) }, OFF: 'off' },
      },
      off: {},
    },
  });

  test('invariants, with a path as short as it gets', async () => {
    expect(await failing(counter, { invariants: { small: ({ context }) => context.n < 2 } })).toContain('small | UP, UP');
    expect(await failing(counter, { invariants: { small: ({ context }) => context.n < 4 } })).toEqual([]);
  });

  test('temporal properties', async () => {
    const broken = (temporal: MachineTests['temporal']) => failing(counter, { temporal: temporal! });
    expect(await broken({ p: { never: ({ value }) => value === 'off' } })).toEqual(['p | OFF']);
    expect(await broken({ p: { sometimes: ({ context }) => context.n === 9 } })).toEqual(['p | ']);
    expect(await broken({ p: { sometimes: ({ context }) => context.n === 3 } })).toEqual([]);
    const rising = { when: ({ context }: any) => context.n === 1, holds: ({ value }: any) => value === 'on' };
    expect(await broken({ p: { ...rising, until: ({ context }) => context.n === 2 } })).toEqual(['p | UP, OFF']);
    expect(await broken({ p: { ...rising, until: ({ context, value }) => context.n === 2 || value === 'off' } })).toEqual([]);
  });

  test('eventually concerns the machine without external events', async () => {
    const blink = (to: string) =>
      createMachine({ initial: 'a', states: { a: { after: { 10: 'b' }, on: { X: 'c' } }, b: { after: { 10: to } }, c: {} } });
    const temporal: MachineTests['temporal'] = {
      'c comes': { when: ({ value }) => value === 'a', eventually: ({ value }) => value === 'c' },
    };
    expect(await failing(blink('c'), { temporal })).toEqual([]);
    expect(await failing(blink('a'), { temporal })).toEqual(['c comes | after 10 in a, after 10 in b']);
    const within = { soon: { ...temporal['c comes'], within: 1 } as never };
    expect(await failing(blink('c'), { temporal: within })).toHaveLength(1);
  });

  test('states by name, meta.test, and operations on a system under test', async () => {
    const machine = createMachine({
      initial: 'off',
      states: {
        off: { on: { PRESS: 'on' } },
        on: { on: { PRESS: 'off' }, meta: { test: (lamp: { lit: boolean }) => expect(lamp.lit).toBe(true) } },
      },
    });
    const tests = (press: (lamp: { lit: boolean }) => void): MachineTests => ({
      sut: () => ({ lit: false }),
      exec: { PRESS: press },
      states: { 'o*f': (lamp: { lit: boolean }) => expect(lamp.lit).toBe(false) },
    });
    expect(
      await failing(
        machine,
        tests((lamp) => void (lamp.lit = !lamp.lit)),
      ),
    ).toEqual([]);
    expect(
      await failing(
        machine,
        tests(() => {}),
      ),
    ).toHaveLength(1);
    expect(
      await failing(
        machine,
        tests((lamp) => void (lamp.lit = true)),
      ),
    ).toHaveLength(1);
  });

  test('a reference next to the machine', async () => {
    const reference = (most: number): MachineTests => ({
      reference: {
        start: () => 0,
        step: (n: number, step: MachineStep) => ('event' in step && step.event.type === 'UP' ? Math.min(n + 1, most) : n),
        agrees: (n: number, { context }) => context.n === n,
      },
    });
    expect(await failing(counter, reference(3))).toEqual([]);
    expect((await failing(counter, reference(2)))[0]).toBe('reference | UP, UP, UP');
  });

  test('an actor that is lost and runs on', async () => {
    const beat = fromCallback(() => {});
    const machine = (id?: string) =>
      setup({ actors: { beat } }).createMachine({
        context: { ref: null },
        initial: 'off',
        states: {
          off: {
            on: { ON: { target: 'on', actions: assign({ ref: ({ spawn }) => spawn('beat', id === undefined ? {} : { id }) }) } },
          },
          on: { on: { OFF: { target: 'off', actions: assign({ ref: null }) } } },
        },
      });
    expect(await failing(machine())).toEqual(['no actor left running | ON, OFF']);
    expect(await failing(machine('beat'))).toEqual(['no actor left running | ON, OFF']);
  });

  test('an action that does more than its chart shows', async () => {
    let presses = 0;
    const machine = createMachine({
      context: { n: 0 },
      on: { PRESS: { actions: [() => void presses++, assign({ n: () => presses })] } },
    });
    expect((await failing(machine, { distinguish: () => 1 }))[0]).toBeUndefined();
    presses = 0;
    expect((await failing(machine))[0]).toMatch(/^the machine goes as it did/);
  });

  test('a machine that reads a variable of its module is named', async () => {
    let count = 5;
    const machine = createMachine({ context: { n: 0 }, on: { DRAW: { actions: assign({ n: () => count++ }) } } });
    await expect(failing(machine)).rejects.toThrow(
      /after DRAW the first time .* The machine reads something outside its context/,
    );
  });
});

describe('a failure', () => {
  const machine = createMachine({
    context: { n: 0 },
    on: { UP: { actions: assign({ n: ({ context }) => (context.n + 1) % 5 }) }, NOTHING: { actions: () => {} } },
  });
  const tests: MachineTests = { invariants: { 'never four': ({ context }) => context.n !== 4 } };

  test('is made short, and its line takes it again', async () => {
    const { failure } = await new MachineTesting(machine, { ...tests, seed: 3 }).walks();
    expect(failure!.steps.map(describeStep)).toEqual(['UP', 'UP', 'UP', 'UP']);
    const [, line] = describeFailure(failure!).split('replaySteps(machine, tests, ');
    const steps = JSON.parse(line!.replace(/\);$/, '')) as MachineStep[];
    await expect(replaySteps(machine, tests, steps)).rejects.toThrow(/^never four: after UP, UP, UP, UP: does not hold/);
    await replaySteps(machine, tests, steps.slice(1));
  });

  test('the same seed walks the same way', async () => {
    const walks = async (seed: number) => (await new MachineTesting(machine, { seed, limits: { walks: 2 } }).walks()).walks;
    expect(await walks(1)).toEqual(await walks(1));
    expect(await walks(1)).not.toEqual(await walks(2));
  });
});

describe('coverage', () => {
  test('an uncovered guard names the sample that it needs', async () => {
    const machine = createMachine({
      initial: 'a',
      states: {
        a: {
          on: {
            CODE: {
              guard: function isRight({ event }) {
                return event['code'] === 42;
              },
              target: 'b',
            },
          },
        },
        b: {},
      },
    });
    const { missing } = await new MachineTesting(machine, { events: { CODE: [{ code: 1 }] } }).coverage();
    expect(missing.map(({ item }) => item)).toContain('guard a: CODE is true');
    expect(missing.find(({ item }) => item === 'guard a: CODE is true')!.reason).toMatch(
      /never had this result \(tries: 1\); add a sample to events.CODE for which isRight is true/,
    );
    const right = await new MachineTesting(machine, { events: { CODE: [{ code: 1 }, { code: 42 }] } }).coverage();
    expect(right).toMatchObject({ missing: [], isComplete: true });
  });

  test.each([
    ['a function', ({ context }: any) => context.total > 0],
    ['a name', 'isOwed'],
    ['both of two', and(['isOwed', ({ context }: any) => context.total > 0])],
  ])('an uncovered guard that reads only the context needs no sample of its event: %s', async (_, guard) => {
    const actions = assign(({ context, event }: any) => ({ total: context.total + event.price }));
    const config = {
      context: { total: 0 },
      initial: 'open',
      states: { open: { on: { ADD: { actions }, LEAVE: {}, PAY: { guard, target: 'paid' } } }, paid: {} },
    };
    const machine: any = setup({ guards: { isOwed: ({ context }: any) => context.total > 0 } }).createMachine(config as never);
    const { missing } = await new MachineTesting(machine, { events: { LEAVE: [{}] } }).coverage();
    expect(missing.find(({ item }) => item === 'guard open: PAY is true')!.reason).toMatch(
      /; it reads only the context: add samples to the events that lead to one for which .* is true \(ADD has none\)$/,
    );
    const { missing: none } = await new MachineTesting(machine, { events: { LEAVE: [{}], ADD: [{ price: 1 }] } }).coverage();
    expect(none.map(({ item }) => item)).not.toContain('guard open: PAY is true');
  });

  test('a reason explains an uncovered item, and is refuted if it is covered', async () => {
    const machine = createMachine({ initial: 'a', states: { a: {}, b: {} } });
    const covered = (reasons: Record<string, string>) => new MachineTesting(machine, { reasons }).coverage();
    expect((await covered({})).isComplete).toBe(false);
    expect((await covered({ 'state b': 'old' })).isComplete).toBe(true);
    expect((await covered({ 'state a': 'old', 'state b': 'old' })).refuted).toEqual(['state a']);
  });
});

test('a value that is not a machine is rejected', () => {
  expect(() => new MachineTesting({} as never)).toThrow(
    new UsageError('Expected a machine, got object. Pass the result of createMachine.'),
  );
});
