/** The products of a machine's tests: mutants, coverage for other tools, plans as files. */
import { describe, expect, test } from 'vitest';
import { assign, createMachine, fromCallback, fromObservable, fromPromise, setup } from 'xstate';
import { mergeCounts } from './coverage.js';
import { emitMachineTests, startMachine } from './emit.js';
import { chartListing, lcovOf } from './lcov.js';
import { judgeMachineMutants, machineMutants } from './mutants.js';
import type { MachineTests } from './options.js';
import { reportOnMachine } from './report.js';
import { MachineTesting } from './testing.js';

const door = setup({
  guards: { isRight: ({ event }) => event['code'] === 42 },
  actors: { open: fromPromise(async () => {}) },
  actions: { beep: () => {} },
}).createMachine({
  id: 'door',
  context: { tries: 0 },
  initial: 'locked',
  states: {
    locked: {
      on: {
        CODE: [
          { guard: 'isRight', target: 'opening' },
          { actions: ['beep', assign({ tries: ({ context }) => Math.min(context.tries + 1, 2) })] },
        ],
      },
    },
    opening: { invoke: { src: 'open', onDone: 'open', onError: 'locked' } },
    open: { after: { 5000: 'locked' } },
  },
});
const tests: MachineTests = { events: { CODE: [{ code: 1 }, { code: 42 }] } };

const judged = async (testing: MachineTesting) => {
  const all = [];
  for await (const mutant of judgeMachineMutants(testing, machineMutants(testing))) all.push(mutant);
  return all;
};

describe('mutants', () => {
  test('paths kill mutants that differ, also by time and services', async () => {
    const all = await judged(new MachineTesting(door, tests));
    expect(all.map(({ name }) => name)).toEqual(
      expect.arrayContaining([
        'retarget opening: open done, to opening',
        'retarget open: after 5000, to opening',
        'drop transition open: after 5000',
        'swap actions locked: CODE #2, actions 1 and 2',
      ]),
    );
    expect(all.filter(({ killedBy }) => killedBy === null)).toEqual([]);
  });

  test('rules kill without knowing the machine', async () => {
    const temporal: MachineTests['temporal'] = {
      'it locks again': { when: (state) => state.matches('open'), eventually: (state) => state.matches('locked') },
    };
    const all = await judged(new MachineTesting(door, { ...tests, temporal: temporal! }));
    expect(all.find(({ name }) => name === 'drop transition open: after 5000')!.killedBy).toBe('rules');
    expect(all.find(({ name }) => name === 'drop transition opening: open error')!.killedBy).toBe('rules');
  });

  const sums = (actions: any) =>
    createMachine({ id: 'sums', context: { n: 0, m: 0 }, on: { ADD: { guard: ({ context }: any) => context.n < 3, actions } } });
  const up = (key: 'n' | 'm') => assign({ [key]: ({ context }: any) => context[key] + 1 } as never);

  test('actions that commute are recognized by running both orders', async () => {
    const [swapped] = (await judged(new MachineTesting(sums([up('n'), up('m')])))).filter(({ name }) => name.startsWith('swap'));
    expect(swapped).toMatchObject({ killedBy: null, reason: 'both orders do the same in every step that performs them (3)' });
  });

  test('those that do not commute are killed', async () => {
    const copy = assign({ m: ({ context }: any) => context.n });
    const [swapped] = (await judged(new MachineTesting(sums([up('n'), copy])))).filter(({ name }) => name.startsWith('swap'));
    expect(swapped!.killedBy).toBe('paths');
  });

  test('a self-transition without effects is equivalent to none', async () => {
    const idles = createMachine({
      id: 'idles',
      context: { n: 0 },
      initial: 'a',
      states: {
        a: {
          on: { STAY: 'a', COUNT: { target: 'a', actions: assign({ n: ({ context }: any) => (context.n + 1) % 3 }) }, GO: 'b' },
        },
        b: { entry: assign({ n: 0 }), on: { AGAIN: { target: 'b', reenter: true }, BACK: 'a' } },
      },
    });
    const all = await judged(new MachineTesting(idles));
    const left = all.filter(({ killedBy }) => killedBy === null).map(({ name, reason }) => `${name}: ${reason}`);
    expect(left).toEqual([
      expect.stringMatching(
        /^drop transition a: STAY: a state with nothing inside that leads to itself .* no other state takes the event$/,
      ),
      expect.stringMatching(/^retarget a: STAY, to stay: a state with nothing inside .* with the target or without it$/),
      expect.stringMatching(/^retarget a: COUNT, to stay: /),
      // Its entry repeats an assignment. No reason is detected, so a person has to decide.
      'drop transition b: AGAIN: undefined',
      'retarget b: AGAIN, to stay: undefined',
    ]);
  });

  test('where an outer state takes the event as well, to drop it is a mistake', async () => {
    const inner = createMachine({
      id: 'inner',
      initial: 'a',
      on: { X: '.b' },
      states: { a: { on: { X: 'a', GO: 'b' } }, b: {} },
    });
    const all = await judged(new MachineTesting(inner));
    expect(all.find(({ name }) => name === 'drop transition a: X')).toMatchObject({ killedBy: 'paths' });
  });

  test('each is named before it is judged', async () => {
    const notified: string[] = [];
    await reportOnMachine(new MachineTesting(door, tests), { mutants: true, onProgress: (what) => notified.push(what) });
    expect(notified.filter((what) => what.startsWith('mutant'))[0]).toMatch(/^mutant 1 of \d+, drop transition locked: CODE$/);
  });

  test('a survivor is shown as a diff and fails the report, unless a reason is given', async () => {
    const idle = createMachine({ id: 'idle', context: { n: 0 }, on: { A: { guard: () => true, actions: assign({ n: 1 }) } } });
    const given = { reasons: { 'guard (root): A is false': 'it is always true' } };
    const report = await reportOnMachine(new MachineTesting(idle, given), { mutants: true });
    const [survivor] = report.mutants!.filter(({ killedBy }) => killedBy === null);
    expect(survivor).toMatchObject({
      name: 'drop guard (root): A',
      diff: ['  (root)', '-   A [guard] / assign', '+   A / assign'],
    });
    expect(report.verdict).toBe('invalid');
    const explained = { reasons: { ...given.reasons, 'drop guard (root): A': 'it is always true' } };
    expect((await reportOnMachine(new MachineTesting(idle, explained), { mutants: true })).verdict).toBe('valid');
  });
});

describe('coverage', () => {
  const half: MachineTests = { events: { CODE: [{ code: 1 }] } };

  test('thresholds, by kind', async () => {
    const complete = async (thresholds: MachineTests['thresholds']) =>
      (await new MachineTesting(door, { ...half, thresholds: thresholds! }).coverage()).isComplete;
    expect(await complete({ state: 30, transition: 20, guard: 50, outcome: 0 })).toBe(true);
    expect(await complete({ state: 34, transition: 20, guard: 50, outcome: 0 })).toBe(false);
    expect(await complete({ state: 30, transition: 20, outcome: 0 })).toBe(false);
  });

  test('results of services, also of child machines and observables', async () => {
    const load = fromPromise(async () => 1);
    const position = fromObservable(() => ({ subscribe: () => ({ unsubscribe() {} }) }) as never);
    const line = setup({ actors: { load } }).createMachine({
      id: 'line',
      initial: 'a',
      states: { a: { invoke: { src: 'load', onDone: 'b', onError: 'b' } }, b: {} },
    });
    const parent = setup({ actors: { line, position } }).createMachine({
      id: 'parent',
      invoke: [{ src: 'line' }, { src: 'position', onError: {} }],
    });
    const { missing, charts } = await new MachineTesting(parent, {
      services: { load: { fails: [] }, position: { next: [1], completes: false } },
    }).coverage();
    expect(missing.map(({ chart, item }) => `${chart}: ${item}`)).toEqual(['line: transition a: load error']);
    expect(charts['parent']!.outcome).toEqual({ covered: 2, of: 2 });
    expect(charts['line']!.outcome).toEqual({ covered: 1, of: 1 });
  });

  test('events of callbacks, each one in their samples', async () => {
    const socket = fromCallback(() => {});
    const chat = setup({ actors: { socket } }).createMachine({
      id: 'chat',
      invoke: { src: 'socket' },
      on: { open: {}, closed: {} },
    });
    const { missing, charts } = await new MachineTesting(chat, {
      services: { socket: { sends: [{ type: 'open' }, { type: 'closed' }] } },
      filter: (_, step) => !('sends' in step && step.event.type === 'closed'),
    }).coverage();
    expect(missing.map(({ item }) => item).filter((item) => item.startsWith('outcome'))).toEqual(['outcome socket sends closed']);
    expect(charts['chat']!.outcome).toEqual({ covered: 1, of: 2 });
  });

  test('configurations of parallel regions are counted; a threshold may require some', async () => {
    const light = createMachine({
      id: 'light',
      type: 'parallel',
      states: {
        lamp: { initial: 'off', states: { off: { on: { PRESS: 'on' } }, on: {} } },
        door: {
          initial: 'shut',
          states: { shut: { on: { PRESS: 'open' } }, open: { initial: 'in', states: { in: {}, last: { type: 'history' } } } },
        },
      },
    });
    const reasons = { 'state door.open.last': 'history' };
    const coverage = (configuration: number) => new MachineTesting(light, { reasons, thresholds: { configuration } }).coverage();
    expect((await coverage(50)).configurations).toEqual({ covered: 2, of: 4 });
    expect((await coverage(50)).isComplete).toBe(true);
    const { isComplete, missing } = await coverage(51);
    expect([isComplete, missing.slice(1).map(({ item, reason }) => `${item} (${reason})`)]).toEqual([
      false,
      ['configurations 2 of 4 (thresholds.configuration asks for 51 %)'],
    ]);
  });

  test('runs add up', async () => {
    const wrong = new MachineTesting(door, half);
    const right = new MachineTesting(door, { events: { CODE: [{ code: 42 }] } });
    expect((await wrong.coverage()).isComplete).toBe(false);
    expect((await wrong.coverage(await right.counts())).missing).toEqual([]);
    expect(mergeCounts({ a: { 'state x': 1 } }, { a: { 'state x': 2, 'state y': 0 } })).toEqual({
      a: { 'state x': 3, 'state y': 0 },
    });
  });

  test('but not those of another machine of the same id, or of an older one', async () => {
    const own = new MachineTesting(createMachine({ id: 'door', initial: 'locked', states: { locked: {} } }));
    const other = await new MachineTesting(door, half).counts();
    await expect(own.coverage(other)).rejects.toThrow(
      /^The counts of door belong to another machine or to an older version: state opening is only in the counts/,
    );
    const idle = await new MachineTesting(createMachine({ id: 'idle' })).counts();
    await expect(own.coverage(idle)).rejects.toThrow(
      /^The counts are of idle, and not of door\. Use a separate file for each machine/,
    );
  });

  test('lcov of the chart as lines', async () => {
    const counts = (await new MachineTesting(door, half).counts())['door']!;
    expect(chartListing(door).split('\n')).toEqual([
      'door',
      'locked',
      '  CODE [isRight] → opening',
      '  CODE / beep, assign',
      'opening',
      '  open done → open',
      '  open error → locked',
      'open',
      '  after 5000 → locked',
      '',
    ]);
    const lcov = lcovOf(door, counts, 'door.chart.txt');
    expect(lcov).toMatch(/^TN:door\nSF:door.chart.txt\nFN:2,locked\n/);
    expect(lcov).toMatch(/\nFNF:3\nFNH:1\nBRDA:3,0,0,-\nBRDA:3,0,1,\d+\nBRF:2\nBRH:1\n/);
    expect(lcov).toMatch(/\nDA:3,0\nDA:4,\d+\nDA:5,0\n[^]*LF:8\nLH:2\nend_of_record\n$/);
  });
});

describe('plans as a file of tests', () => {
  const bodies = async (machine: unknown) => {
    const text = emitMachineTests('door', await new MachineTesting(door, tests).plans('tour'), '');
    const found: (() => Promise<void>)[] = [];
    const code = text.replaceAll(/^import .*$/gm, '');
    new Function('test', 'expect', 'startMachine', 'machine', 'tests', code)(
      (_: string, body: () => Promise<void>) => found.push(body),
      expect,
      startMachine,
      machine,
      tests,
    );
    return found;
  };

  test('the emitted file passes, and fails on another machine', async () => {
    for (const body of await bodies(door)) await body();
    const [{ machine }] = machineMutants(new MachineTesting(door, tests)).filter(
      ({ operator }) => operator === 'drop action',
    ) as [any];
    const [body] = await bodies(machine);
    await expect(body!()).rejects.toThrow();
  });

  test('an impossible step is rejected with its name', async () => {
    const started = await startMachine(door, tests);
    expect((await started.take({ event: { type: 'CODE', code: 1 } })).value).toBe('locked');
    await expect(started.take({ done: 'open' })).rejects.toThrow(
      'open done is not possible in state "locked". Possible steps: CODE {"code":1}, CODE {"code":42}.',
    );
  });
});
