/** Suspicious patterns of a machine are found without a property, and a reason silences an intended one. */
import { assign, createMachine, fromCallback, fromPromise, sendTo, setup, type AnyStateMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import { examples } from '../../examples/machines/samples.js';
import type { MachineTests } from './options.js';
import { planted } from './planted.fixture.js';
import { reportOnMachine } from './report.js';
import { describeStep } from './steps.js';
import { MachineTesting } from './testing.js';

const namesIn = async (machine: AnyStateMachine, tests: MachineTests = {}) =>
  (await new MachineTesting(machine, tests).findings()).map(({ name }) => name);

describe('mistakes of everyday kinds', () => {
  test.each(Object.entries(planted))('%s', async (_, { machine, tests, finds }) => {
    expect(await namesIn(machine, tests)).toContain(finds);
  });

  test('the same machines in order have none', async () => {
    const form = createMachine({
      id: 'form',
      context: { fields: 0 },
      initial: 'form',
      states: {
        form: {
          on: {
            FILL: {
              guard: ({ context }) => context.fields < 2,
              actions: assign({ fields: ({ context }) => context.fields + 1 }),
            },
            SUBMIT: [{ guard: ({ context }) => context.fields > 0, target: 'sent' }, { target: 'refused' }],
          },
        },
        refused: { on: { AGAIN: 'form' } },
        sent: { type: 'final' },
      },
    });
    expect(await namesIn(form)).toEqual([]);
    const game = createMachine({
      id: 'game',
      context: { rounds: 0 },
      initial: 'playing',
      states: {
        playing: {
          on: {
            ROUND: [
              { guard: ({ context }) => context.rounds >= 2, target: 'over' },
              { actions: assign({ rounds: ({ context }) => context.rounds + 1 }) },
            ],
          },
        },
        over: { on: { AGAIN: { target: 'playing', actions: assign({ rounds: 0 }) } } },
      },
    });
    expect(await namesIn(game)).toEqual([]);
  });
});

describe('a finding', () => {
  const toggle = createMachine({ id: 'door', initial: 'open', states: { open: { on: { SHUT: 'shut' } }, shut: {} } });

  test('is a warning with the way there, and its reason silences it', async () => {
    const { verdict, findings } = await reportOnMachine(new MachineTesting(toggle));
    expect(verdict).toBe('valid');
    expect(findings).toMatchObject([{ name: 'dead end shut', chart: 'door', isFailure: false }]);
    expect(findings[0]!.steps.map(describeStep)).toEqual(['SHUT']);
    expect(findings[0]!.text).toBe(
      `dead end shut: after SHUT: nothing leads out of shut, and the machine has not ended there. If it is intended, add reasons: { "dead end shut": 'why' }`,
    );
    const silenced = await reportOnMachine(new MachineTesting(toggle, { reasons: { 'dead end shut': 'it is walled up' } }));
    expect(silenced.findings).toMatchObject([{ reason: 'it is walled up' }]);
  });

  test('names the start that leads to it', async () => {
    const machine = createMachine({
      id: 'begins',
      context: ({ input }) => ({ isGuest: input === 'guest' }),
      initial: 'open',
      states: {
        open: { on: { LEAVE: [{ guard: ({ context }) => context.isGuest, target: 'lost' }, { target: 'closed' }] } },
        lost: {},
        closed: { type: 'final' },
      },
    });
    const findings = await new MachineTesting(machine, { starts: [{ input: 'member' }, { input: 'guest' }] }).findings();
    expect(findings.map(({ name }) => name)).toEqual(['dead end lost']);
    expect(findings[0]!.steps.map(describeStep)).toEqual(['start #2 "guest"', 'LEAVE']);
  });

  test('that is not there any more refutes its reason', async () => {
    const reasons = { 'dead end open': 'an old one' };
    const { verdict, coverage } = await reportOnMachine(new MachineTesting(toggle, { reasons }));
    expect({ verdict, refuted: coverage.refuted }).toEqual({ verdict: 'invalid', refuted: ['dead end open'] });
  });

  test('fails when a child has no transition for an event in any state', async () => {
    const child = createMachine({ id: 'child', on: { PLAY: {} } });
    const parent = setup({ actors: { child } }).createMachine({
      id: 'parent',
      invoke: { src: 'child', id: 'child' },
      on: { GO: { actions: sendTo('child', { type: 'PALY' } as never) } },
    });
    const { verdict, findings } = await reportOnMachine(new MachineTesting(parent));
    expect(verdict).toBe('invalid');
    expect(findings).toMatchObject([{ name: 'dropped event PALY of child', isFailure: true }]);
  });
});

describe('no finding', () => {
  const works = fromPromise(async () => 1);

  test.each([
    [
      'a loop of lights',
      createMachine({ initial: 'red', states: { red: { after: { 10: 'green' } }, green: { after: { 10: 'red' } } } }),
    ],
    [
      'an application that has loaded',
      setup({ actors: { works } }).createMachine({
        initial: 'loading',
        states: {
          loading: { invoke: { src: 'works', onDone: 'idle', onError: 'idle' }, after: { 100: 'idle' } },
          idle: { on: { EDIT: 'editing' } },
          editing: { on: { DONE: 'idle' } },
        },
      }),
    ],
    [
      'a service that runs as long as its state, beside events that lead out',
      setup({ actors: { socket: fromCallback(() => {}) } }).createMachine({
        initial: 'off',
        states: { off: { on: { ON: 'on' } }, on: { invoke: { src: 'socket' }, on: { OFF: 'off' } } },
      }),
    ],
    [
      'retries that end',
      setup({ actors: { works } }).createMachine({
        context: { tries: 0 },
        initial: 'trying',
        states: {
          trying: {
            invoke: {
              src: 'works',
              onDone: 'done',
              onError: [
                {
                  guard: ({ context }) => context.tries < 2,
                  target: 'waiting',
                  actions: assign({ tries: ({ context }) => context.tries + 1 }),
                },
                { target: 'failed' },
              ],
            },
            after: { 1000: 'failed' },
          },
          waiting: { after: { 10: 'trying' } },
          done: { type: 'final' },
          failed: { type: 'final' },
        },
      }),
    ],
    [
      'parallel regions of which one rests',
      createMachine({
        type: 'parallel',
        states: {
          a: { initial: 'x', states: { x: { on: { GO: 'y' } }, y: {} } },
          b: { initial: 'p', states: { p: { on: { T: 'q' } }, q: { on: { T: 'p' } } } },
        },
      }),
    ],
  ] as [string, AnyStateMachine][])('in %s', async (_, machine) => {
    expect(await namesIn(machine)).toEqual([]);
  });

  test('but real ones in the machines of examples/machines', async () => {
    const found: Record<string, readonly string[]> = {};
    for (const [name, { machine, tests }] of Object.entries(examples)) {
      const findings = await new MachineTesting(machine, tests.children ? tests : { ...tests, mode: 'pure' }).findings();
      const names = findings.map(({ chart, name }) => `${chart}: ${name}`);
      if (names.length > 0) found[name] = names;
      expect(findings.filter(({ reason }) => reason === undefined)).toEqual([]);
    }
    // Each waits for a promise, and no event leads out: the reasons explain it.
    expect(found).toEqual({
      'form wizard': ['wizard: wait without timeout submitting'],
      'drag and drop': ['drag: wait without timeout storing'],
      order: ['order: wait without timeout placing', 'line: wait without timeout checking'],
    });
  }, 120_000);
});

describe('a cycle without an exit', () => {
  test('is found where an event leads into it, and when nothing from outside can end it', async () => {
    const light = createMachine({
      id: 'light',
      initial: 'off',
      states: { off: { on: { ON: 'red' } }, red: { after: { 10: 'green' } }, green: { after: { 10: 'red' } } },
    });
    const [finding] = await new MachineTesting(light).findings();
    expect(finding).toMatchObject({ name: 'cycle without exit green, red' });
    expect(finding!.description).toMatch(/no event from outside changes that$/);
  });
});
