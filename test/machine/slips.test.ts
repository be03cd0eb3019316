/** Mistakes in an application's code and tests that XState does not report: each is named, with its place and a remedy. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { assign, createMachine, enqueueActions, fromPromise, raise, sendTo, setup } from 'xstate';
import { describeMachine } from './describe-machine.js';
import type { MachineTests } from './options.js';
import { reportOnMachine } from './report.js';
import { describeFailure, failuresAlong, MachineTesting, replaySteps } from './testing.js';

const report = (machine: unknown, tests: MachineTests = {}) => reportOnMachine(new MachineTesting(machine as never, tests));
const searched = async (machine: unknown, tests: MachineTests) => new MachineTesting(machine as never, tests).graph();

const line = createMachine({ id: 'line', initial: 'open', states: { open: { on: { CHECK: 'closed' } }, closed: {} } });
const shop = setup({
  actors: { charge: fromPromise(async () => 1), line },
  actions: { log: () => {} },
  guards: { isOpen: () => true },
  delays: { backoff: 100 },
}).createMachine({
  id: 'shop',
  context: { ref: null as unknown },
  initial: 'idle',
  invoke: { src: 'line', id: 'first' },
  states: {
    idle: { on: { PAY: 'paying', OPEN: { actions: assign({ ref: ({ spawn }) => spawn('line', { id: 'spare' }) }) } } },
    paying: { invoke: { src: 'charge', id: 'payment', onDone: 'paid', onError: 'late' } },
    late: { after: { backoff: 'idle' } },
    paid: {},
  },
});

describe('a name that nothing has', () => {
  const is = () => true;
  test.each<[MachineTests, RegExp]>([
    [{ services: { chrage: {} } }, /^services\.chrage: machine shop has no actor of this source or id. Did you mean "charge"/],
    [{ children: { lines: {} } }, /^children\.lines: machine shop has no actor .*Did you mean "line"/],
    [
      { children: { line: { CHEKC: [{}] } } },
      /^children\.line\.CHEKC: machine line has no transition for it. Did you mean "CHECK"/,
    ],
    [{ children: { charge: {} } }, /^children\.charge is not a machine and takes no events\. .* services\.charge/],
    [{ exec: { PAYY: is } }, /^exec\["PAYY"\]: no step of machine shop is called so. Did you mean "PAY"/],
    [{ exec: { 'payment dome': is } }, /^exec\["payment dome"\]: .*Did you mean "payment done"/],
    [{ delays: { backof: 1 } }, /^delays\.backof: machine shop does not use this name. Did you mean "backoff"/],
    [{ provide: { actions: { lgo: is } } }, /^provide\.actions\.lgo: machine shop does not use this name\. Did you mean "log"/],
    [{ provide: { guards: { isOpn: is } } }, /^provide\.guards\.isOpn: .*Did you mean "isOpen"/],
    [{ exec: { PAY: true } } as never, /^exec\["PAY"\] is not a function/],
    [{ children: { line: 'real' } } as never, /^children\.line is "real"\. Pass samples by event type/],
    [{ services: [] } as never, /^services is \[\]\. Pass an object with names as keys/],
  ])('%j', async (tests, description) => {
    await expect((async () => searched(shop, tests))()).rejects.toThrow(description);
  });

  test('but all existing names are accepted, also those of actors spawned later', async () => {
    const tests: MachineTests = {
      services: { charge: {}, payment: {} },
      children: { first: { CHECK: [{}] }, spare: {}, line: {} },
      exec: { PAY: is, 'payment done': is, 'after backoff in late': is, 'first: CHECK': is, '*': is },
      delays: { backoff: 5 },
      provide: { actions: { log: is } },
      limits: { states: 200 },
    };
    await expect(searched(shop, tests)).resolves.toMatchObject({ failures: [] });
  });
});

describe('missing implementations', () => {
  const waits = createMachine({ id: 'w', initial: 'a', states: { a: { after: { slow: 'b' } }, b: {} } });
  const loads = createMachine({
    id: 'w',
    initial: 'a',
    states: { a: { invoke: { src: 'load', onDone: 'b', onError: 'b' } }, b: {} },
  });

  test('a delay, for which XState does not wait', async () => {
    expect(() => new MachineTesting(waits)).toThrow(
      /^delay slow of machine w has no implementation, and XState would not wait at all\. Add provide: { delays: { slow: 500 } }/,
    );
    const later = createMachine({ id: 'w', on: { GO: { actions: raise({ type: 'HI' }, { delay: 'long' as never }) }, HI: {} } });
    expect(() => new MachineTesting(later)).toThrow(/^delay long of machine w/);
    expect((await report(waits, { delays: { slow: 5 } })).verdict).toBe('valid');
  });

  test('a service, unless samples replace it', async () => {
    expect(() => new MachineTesting(loads)).toThrow(
      /^service load of machine w has no implementation\. Add its possible results, services: { load: .* or provide: { actors/,
    );
    expect((await report(loads, { services: { load: { done: [1] } } })).verdict).toBe('valid');
    const parent = setup({ actors: { loads } }).createMachine({ id: 'p', invoke: { src: 'loads', id: 'kid' } });
    expect(() => new MachineTesting(parent)).toThrow(/^service load of machine w .* with w\.provide\(/);
    expect((await report(parent, { services: { load: { done: [1] } } })).failures).toEqual([]);
  });

  test('an action, which is not covered then, and may have a reason', async () => {
    const tracks = createMachine({
      id: 't',
      on: { X: { actions: 'track' }, Y: { actions: enqueueActions(({ enqueue }) => enqueue('note')) } },
    });
    const { verdict, coverage } = await report(tracks);
    expect(verdict).toBe('invalid');
    expect(coverage.missing.map(({ item, reason }) => `${item}: ${reason}`)).toEqual([
      expect.stringMatching(/^action track: it has no implementation, so XState performs nothing\. Add one, provide/),
      expect.stringMatching(/^action note: it has no implementation/),
    ]);
    const given = { reasons: { 'action track': 'the page has it' }, provide: { actions: { note: () => {} } } };
    expect((await report(tracks, given)).verdict).toBe('valid');
  });

  test('an actor that is spawned', async () => {
    const spawns = createMachine({ on: { X: { actions: assign(({ spawn }: any) => ({ it: spawn('nobody') })) } } });
    expect((await report(spawns)).failures[0]!.text).toMatch(/'nobody' not implemented.*Give it by provide: { actors: { … } }/);
  });
});

describe('chance', () => {
  test('a nondeterministic guard is named, even if both results lead to the same state', async () => {
    let calls = 0;
    const flips = createMachine({
      id: 'coin',
      initial: 'a',
      states: {
        a: {
          on: {
            FLIP: [
              {
                guard: function isHeads() {
                  return ++calls % 2 === 0;
                },
                target: 'b',
              },
              { target: 'b' },
            ],
          },
        },
        b: {},
      },
    });
    await expect(report(flips)).rejects.toThrow(
      /^guard isHeads \(a: FLIP\) of coin returned two results for the same arguments: it reads a clock, chance/,
    );
  });

  test('guards that are combined, or that look at a state, are asked as they are', async () => {
    const { verdict } = await report(
      setup({ guards: { big: ({ context }: any, { than }: { than: number }) => context.n > than } }).createMachine({
        context: { n: 0 },
        on: {
          UP: {
            guard: { type: 'big', params: { than: -1 } },
            actions: assign({ n: ({ context }: any) => Math.min(context.n + 1, 2) }),
          },
        },
      }),
      { reasons: { 'guard (root): UP is false': 'it is never so small' } },
    );
    expect(verdict).toBe('valid');
  });
});

describe('a mutated context', () => {
  const list = (actions: unknown) => createMachine({ context: { items: [] as number[] }, on: { ADD: { actions } } } as never);

  test('by an action, on live actors', async () => {
    const { failures } = await report(list(({ context }: any) => void context.items.push(1)));
    expect(failures[0]!.text).toMatch(
      /^the context is changed only by assign: after ADD: the context {items:\[\]} was mutated into {items:\[1\]}/,
    );
  });

  test('by an assign, which ends the search: states share their contexts', async () => {
    const pushes = assign({ items: ({ context }: any) => (context.items.push(1), context.items) });
    await expect(report(list(pushes))).rejects.toThrow(
      /^The search for states has stopped: after ADD, the context {items:\[\]} was mutated into {items:\[1\]}/,
    );
  });

  test('by a guard, which is evaluated more than once', async () => {
    const counts = ({ context }: any) => context.items.push(1) > 0;
    const guarded = createMachine({ context: { items: [] }, on: { ADD: { guard: counts, actions: 'added' } } } as never);
    await expect(report(guarded.provide({ actions: { added: () => {} } } as never))).rejects.toThrow(
      /was mutated into .* do not change the context in actions and guards/,
    );
  });

  test('is ignored where "distinguish" defines the identity', async () => {
    const { failures } = await report(
      list(({ context }: any) => void context.items.push(1)),
      { distinguish: () => 0 },
    );
    expect(failures).toEqual([]);
  });
});

describe('promises and timers of an action', () => {
  const acts = (action: unknown) => createMachine({ id: 'm', on: { GO: { actions: action } } } as never);

  test('a promise that is rejected breaks the path, at once or a few turns later', async () => {
    for (const turns of [0, 5]) {
      const { verdict, failures } = await report(
        acts(async function save() {
          for (let turn = 0; turn < turns; turn++) await Promise.resolve();
          throw new Error('disk full');
        }),
      );
      expect(verdict).toBe('invalid');
      expect(failures[0]!.text).toMatch(
        /^no unhandled error \(Error "disk full"\): after GO: the promise of action save was rejected, .* service with onError/,
      );
    }
    expect((await report(acts(async () => {}))).verdict).toBe('valid');
  });

  test('events to itself without end, by send or by sendTo, are an end by name', async () => {
    const sends = createMachine({ id: 'm', on: { GO: { actions: ({ self }) => self.send({ type: 'GO' }) } } });
    const sendsTo = createMachine({ id: 'm', on: { GO: { actions: sendTo(({ self }) => self, { type: 'GO' }) } } });
    for (const machine of [sends, sendsTo]) {
      const { failures } = await report(machine, { events: { GO: [{}] } });
      expect(failures[0]!.text).toMatch(
        /One step caused more than 1000 events, the last one GO\. Actors send events to each other, or to themselves/,
      );
    }
  });
});

describe('the line of a failure', () => {
  const counts = createMachine({
    id: 'c',
    context: { n: 0 },
    on: { UP: { actions: assign({ n: ({ context }) => Math.min(context.n + 1, 4) }) } },
  });
  const steps = [1, 2, 3].map(() => ({ event: { type: 'UP' } }));
  const tests: MachineTests = {
    invariants: { 'not two': ({ context }) => context.n !== 2, 'not three': ({ context }) => context.n !== 3 },
    temporal: { 'never one': { never: ({ context }) => context.n === 1 } },
  };

  test('takes all that breaks on the way, the failure that printed it among it', async () => {
    const failures = await failuresAlong(counts, tests, steps);
    expect(failures.map(({ rule, steps: way }) => `${rule} ${way.length}`)).toEqual(['not two 2', 'not three 3', 'never one 1']);
    await expect(replaySteps(counts, tests, steps)).rejects.toThrow(/^not two: [^]*\nnot three: [^]*\nnever one: /);
  });

  test('is made short for its own rule, and not for another on the way', async () => {
    const found = await new MachineTesting(counts, tests).searchFailures();
    expect(found.map(({ rule, steps: way }) => `${rule} ${way.length}`)).toEqual(['not two 2', 'not three 3']);
  });

  test('repeats a result that differs from the search', async () => {
    let presses = 0;
    const sneaks = createMachine({
      on: { PRESS: { actions: ({ self }) => presses++ < 999 && self.send({ type: 'MORE' }) }, MORE: '.b' },
      initial: 'a',
      states: { a: {}, b: {} },
    });
    const { failures } = await report(sneaks);
    const failure = failures.find(({ rule }) => rule === 'the machine goes as it did')!;
    expect(failure.text).toMatch(/after PRESS: its value is "b" instead of "a"/);
    presses = 0;
    expect((await failuresAlong(sneaks, {}, failure.steps)).map(describeFailure)[0]).toBe(failure.text);
  });
});

test('meta.test of a child machine is held, too', async () => {
  const child = createMachine({
    initial: 'a',
    states: { a: { on: { X: 'b' } }, b: { meta: { test: (lamp: { lit: boolean }) => lamp.lit } } },
  });
  const parent = setup({ actors: { child } }).createMachine({ id: 'p', invoke: { src: 'child', id: 'kid' } });
  const failing = async (lit: boolean) =>
    (await report(parent, { children: { kid: { X: [{}] } }, sut: () => ({ lit }) })).failures.map(
      ({ text }) => text.split('\n')[0],
    );
  expect(await failing(true)).toEqual([]);
  expect(await failing(false)).toEqual([expect.stringMatching(/^check of state kid: b: after kid: X: it returns false/)]);
});

describe('describeMachine', () => {
  const counter = createMachine({
    id: 'up',
    context: { n: 0 },
    on: { UP: { actions: assign({ n: ({ context }) => context.n + 1 }) } },
  });
  const collected = (limits: NonNullable<MachineTests['limits']>, tests: MachineTests = {}) => {
    const found: { name: string; body: () => Promise<void>; timeoutMs: number }[] = [];
    const runner = {
      describe: (_: string, body: () => void) => body(),
      test: (name: string, body: () => Promise<void>, timeoutMs: number) => void found.push({ name, body, timeoutMs }),
      expect: expect as never,
    };
    describeMachine(counter, { ...tests, limits }, runner);
    return found;
  };

  test('gives each of its tests enough time, or the given limit', () => {
    expect(new Set(collected({}).map(({ timeoutMs }) => timeoutMs))).toEqual(new Set([120_000]));
    expect(new Set(collected({ testMs: 700 }).map(({ timeoutMs }) => timeoutMs))).toEqual(new Set([700]));
  });

  test('writes a page for a failure, and the failing test contains its path', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'quiver-slips-'));
    const cwd = vi.spyOn(process, 'cwd').mockReturnValue(folder);
    onTestFinished(() => {
      cwd.mockRestore();
      rmSync(folder, { recursive: true });
    });
    const invariants = { 'stays small': ({ context }: { readonly context: { readonly n: number } }) => context.n < 2 };
    const [search] = collected({}, { invariants } as never);
    const { actual } = await search!.body().then(
      () => expect.unreachable(),
      (error: unknown) => error as { readonly actual: readonly string[] },
    );
    const path = 'quiver-failures/up-nothing-breaks-in-any-state-that-was-found.html';
    expect(actual).toEqual([expect.stringMatching(/^stays small: after UP, UP/), `see it: ${path}`]);
    expect(readFileSync(join(folder, path), 'utf8')).toContain('id="trace"');
  });

  test('has a separate test that fails, as unknown, if the search is incomplete', async () => {
    const guarded = { 'is no less than 0': ({ context }: { readonly context: { readonly n: number } }) => context.n >= 0 };
    const found = collected({ states: 5 }, { invariants: guarded } as never);
    const { body } = found.find(({ name }) => name.startsWith('the search is complete'))!;
    const { actual } = await body().then(
      () => expect.unreachable(),
      (error: unknown) => error as { readonly actual: readonly string[] },
    );
    expect(actual).toEqual([
      expect.stringMatching(/^unknown: the search ended at limits\.states 5, .* limits: \{ states: 50 \}/),
    ]);
  });
});

test('an event that the paths send and exec has no entry for is named', async () => {
  const form = createMachine({
    id: 'form',
    initial: 'empty',
    states: { empty: { on: { FILL: 'filled' }, after: { 10: 'filled' } }, filled: { on: { CLEAR: 'empty', SEND: {} } } },
  });
  const graphOf = (exec: NonNullable<MachineTests['exec']>, more: MachineTests = {}) =>
    new MachineTesting(form, { exec, ...more }).graph();
  await expect(graphOf({ FILL: () => {} })).rejects.toThrow(
    `exec has no entry for CLEAR, SEND of machine form, so the system under test would not receive them. Add exec["CLEAR"], or leave them out of the paths with filter; exec['*'] takes all others`,
  );
  await expect(graphOf({ FILL: () => {}, CLEAR: () => {}, SEND: () => {} })).resolves.toBeDefined();
  await expect(graphOf({ '*': () => {} })).resolves.toBeDefined();
  const filter = (_: unknown, step: object) => !('event' in step);
  await expect(graphOf({ 'after 10 in empty': () => {} }, { filter })).resolves.toBeDefined();
});
