import { randomInt, randomUUID } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { assign, createMachine, fromPromise, setup, spawnChild, stopChild } from 'xstate';
import type { MachineTests } from './options.js';
import { reportOnMachine } from './report.js';
import { MachineTesting, replaySteps } from './testing.js';

const reported = async (machine: ReturnType<typeof createMachine>, tests: MachineTests = {}) =>
  reportOnMachine(new MachineTesting(machine as never, tests));

/** A list of at most three items with ids that `makeId` draws. */
const listOf = (makeId: () => unknown) =>
  setup({
    types: { context: {} as { items: { id: unknown }[] }, events: {} as { type: 'ADD' } | { type: 'REMOVE'; id: unknown } },
  }).createMachine({
    id: 'list',
    context: { items: [] },
    on: {
      ADD: {
        guard: ({ context }) => context.items.length < 3,
        actions: assign({ items: ({ context }) => [...context.items, { id: makeId() }] }),
      },
      REMOVE: { actions: assign({ items: ({ context, event }) => context.items.filter(({ id }) => id !== event.id) }) },
    },
  });

const eachRemoved: MachineTests = {
  events: { REMOVE: ({ context }) => (context.items as { id: unknown }[]).map(({ id }) => ({ id })) },
  invariants: {
    'ids are unique': ({ context }) =>
      new Set((context.items as { id: unknown }[]).map(({ id }) => id)).size === context.items.length,
  },
};

describe('ids by chance and time', () => {
  test.each([
    ['crypto.randomUUID', () => crypto.randomUUID()],
    ['randomUUID of node:crypto', () => randomUUID()],
    ['randomInt of node:crypto', () => randomInt(1_000_000)],
    ['Math.random in base 36', () => Math.random().toString(36).slice(2)],
    ['a part of Math.random', () => Math.random().toString(36).slice(7)],
    ['Math.random below a million', () => Math.floor(Math.random() * 1e6)],
    ['Math.random', () => Math.random()],
    ['Date.now', () => Date.now()],
    ['Date.now in a text', () => `item-${Date.now()}`],
    ['new Date()', () => new Date().toISOString()],
    ['performance.now', () => performance.now()],
  ])(
    'a list with ids by %s is searched completely, and ids do not repeat',
    async (_, makeId) => {
      const report = await reported(listOf(makeId) as never, eachRemoved);
      expect(report.failures).toEqual([]);
      expect(report.searched).toMatchObject({ isComplete: true });
      expect(report.searched.states).toBeLessThan(60);
      expect(report.verdict).toBe('valid');
    },
    30_000,
  );

  test('ids by crypto.getRandomValues are the same in every run', async () => {
    const makeId = () => [...crypto.getRandomValues(new Uint8Array(4))].join('.');
    const once = async () =>
      (await new MachineTesting(listOf(makeId) as never, { ...eachRemoved, limits: { states: 60 } }).plans('shortest')).slice(
        0,
        20,
      );
    expect(await once()).toEqual(await once());
  });

  test('the id of a spawned actor', async () => {
    const track = createMachine({
      id: 'track',
      initial: 'on',
      states: { on: { on: { MUTE: 'off' } }, off: { on: { MUTE: 'on' } } },
    });
    const mixer = setup({ types: { context: {} as { ids: string[] } }, actors: { track } }).createMachine({
      id: 'mixer',
      context: { ids: [] },
      on: {
        ADD: {
          guard: ({ context }) => context.ids.length < 2,
          actions: [
            assign({ ids: ({ context }) => [...context.ids, `track-${Date.now()}-${crypto.randomUUID()}`] }),
            spawnChild('track', { id: ({ context }: any) => context.ids.at(-1) }),
          ],
        },
        REMOVE: {
          actions: [stopChild(({ context }: any) => context.ids[0]), assign({ ids: ({ context }) => context.ids.slice(1) })],
        },
      },
    });
    const { verdict, searched, failures } = await reported(mixer as never, { children: { track: { MUTE: [{}] } } });
    expect({ verdict, failures, isComplete: searched.isComplete }).toEqual({ verdict: 'valid', failures: [], isComplete: true });
  });
});

describe('chance and time that decide', () => {
  const coin = (isHeads: () => boolean) =>
    createMachine({
      id: 'coin',
      initial: 'ready',
      states: {
        ready: { on: { FLIP: [{ guard: isHeads, target: 'heads' }, { target: 'tails' }] } },
        heads: { on: { AGAIN: 'ready' } },
        tails: { on: { AGAIN: 'ready' } },
      },
    });

  test.each([0.5, 0.1, 0.9])('a guard that draws below %d is decided both ways', async (bound) => {
    const { verdict, failures, coverage } = await reported(coin(() => Math.random() < bound));
    expect({ verdict, failures, isComplete: coverage.isComplete }).toEqual({ verdict: 'valid', failures: [], isComplete: true });
  });

  test.each(['live', 'pure'] as const)('a die shows six, mode %s', async (mode) => {
    const die = setup({ types: { context: {} as { roll: number } } }).createMachine({
      id: 'die',
      context: { roll: 0 },
      initial: 'ready',
      states: {
        ready: { on: { ROLL: { target: 'rolled', actions: assign({ roll: () => Math.floor(Math.random() * 6) + 1 }) } } },
        rolled: { always: [{ guard: ({ context }) => context.roll === 6, target: 'won' }, { target: 'ready' }] },
        won: { type: 'final' },
      },
    });
    const { verdict, failures } = await reported(die as never, { mode });
    expect({ verdict, failures }).toEqual({ verdict: 'valid', failures: [] });
  });

  test('a rarely true guard is decided, and random walks draw other numbers', async () => {
    const rare = createMachine({
      id: 'rare',
      initial: 'ready',
      states: {
        ready: { on: { PULL: [{ guard: () => Math.random() < 0.01, target: 'won' }, { target: 'lost' }] } },
        won: { on: { AGAIN: 'ready' } },
        lost: { on: { AGAIN: 'ready' } },
      },
    });
    expect((await reported(rare as never)).verdict).toBe('valid');
    const die = createMachine({
      id: 'die',
      context: { roll: 1 },
      on: { ROLL: { actions: assign({ roll: () => Math.floor(Math.random() * 6) + 1 }) } },
    });
    const isNoSix: MachineTests = { invariants: { 'is no 6': ({ context }) => context.roll !== 6 } };
    const { verdict, failures } = await reported(die as never, isNoSix);
    expect(verdict).toBe('invalid');
    expect(failures[0]!.text).toMatch(/^is no 6: after ROLL \(chance 8\)/);
    await expect(replaySteps(die as never, isNoSix, failures[0]!.steps)).rejects.toThrow('is no 6');
  });

  test('a guard that chance never decides is not called constant', async () => {
    const never = createMachine({
      id: 'never',
      initial: 'a',
      states: {
        a: { on: { GO: [{ guard: () => Math.random() < 1e-9, target: 'b' }, { target: 'a' }] } },
        b: { on: { GO: 'a' } },
      },
    });
    const { findings, coverage } = await reported(never as never);
    expect(findings).toEqual([]);
    const { reason } = coverage.missing.find(({ item }) => item === 'guard a: GO is true')!;
    expect(reason).toMatch(/guard reads chance or the clock, and no tried value decided it so/);
  });

  test('time passes with timers, and as long as a guard asks for', async () => {
    const session = setup({ types: { context: {} as { since: number } } }).createMachine({
      id: 'session',
      context: { since: 0 },
      initial: 'out',
      states: {
        out: { on: { LOG_IN: { target: 'in', actions: assign({ since: () => Date.now() }) } } },
        in: {
          on: {
            ACT: [
              { guard: ({ context }) => Date.now() - context.since > 30 * 60_000, target: 'out' },
              { actions: assign({ since: () => Date.now() }) },
            ],
          },
        },
      },
    });
    const { verdict, failures, searched } = await reported(session as never);
    expect({ verdict, failures, isComplete: searched.isComplete }).toEqual({ verdict: 'valid', failures: [], isComplete: true });
  });

  test.each([
    ['office hours', () => Math.abs(new Date().getUTCHours() - 13) <= 4],
    ['a Sunday', () => new Date().getUTCDay() === 0],
    ['a weekend', () => new Date().getUTCDay() % 6 === 0],
    ['another month', () => new Date().getUTCMonth() > 0],
  ])('%s: the clock goes there', async (_, isThen) => {
    const shop = createMachine({
      id: 'shop',
      initial: 'out',
      states: { out: { on: { ENTER: [{ guard: isThen, target: 'in' }, { target: 'out' }] } }, in: { on: { LEAVE: 'out' } } },
    });
    expect((await reported(shop as never)).verdict).toBe('valid');
  });

  test('a deadline that was computed from the clock', async () => {
    const poll = setup({
      types: { context: {} as { until: number } },
      actors: { load: fromPromise(async () => {}) },
    }).createMachine({
      id: 'poll',
      context: { until: 0 },
      initial: 'idle',
      states: {
        idle: { on: { START: { target: 'loading', actions: assign({ until: () => Date.now() + 3000 }) } } },
        loading: { invoke: { src: 'load', onDone: 'idle', onError: 'waiting' }, on: { STOP: 'idle' } },
        waiting: {
          after: { 1000: [{ guard: ({ context }) => Date.now() >= context.until, target: 'idle' }, { target: 'loading' }] },
          on: { STOP: 'idle' },
        },
      },
    });
    const { verdict, failures, searched } = await reported(poll as never);
    expect({ verdict, failures, isComplete: searched.isComplete }).toEqual({ verdict: 'valid', failures: [], isComplete: true });
  });

  test('a failure by chance is replayed by its line', async () => {
    const { failures } = await reported(
      coin(() => Math.random() < 0.5),
      { invariants: { 'never heads': ({ value }) => value !== 'heads' } },
    );
    expect(failures.map(({ rule }) => rule)).toContain('never heads');
    await expect(
      replaySteps(
        coin(() => Math.random() < 0.5) as never,
        { invariants: { 'never heads': ({ value }) => value !== 'heads' } },
        failures[0]!.steps,
      ),
    ).rejects.toThrow('never heads');
  });
});

describe('controlled values', () => {
  test('actions, properties and samples share a clock; other code has the real one', async () => {
    const realNow = Date.now;
    const began = Date.now();
    const seen: number[] = [];
    const outside: number[] = [];
    const stamp = setup({
      types: { context: {} as { at: number } },
      actions: { log: () => void seen.push(Date.now()) },
    }).createMachine({
      id: 'stamp',
      context: { at: 0 },
      on: { STAMP: { actions: [assign({ at: () => Date.now() }), 'log'] } },
    });
    const testing = new MachineTesting(stamp as never, {
      invariants: { 'not later than now': ({ context }) => context.at <= Date.now() },
      exec: { STAMP: () => void outside.push(Date.now()) },
      sut: () => ({}),
    });
    expect(await testing.firstFailure('tour')).toBeNull();
    expect(new Set(seen.map((at) => at < began))).toEqual(new Set([true]));
    expect(outside.every((at) => at >= began)).toBe(true);
    expect(Date.now).toBe(realNow);
  });

  test('after a run, and after one that breaks, the platform is as it was', async () => {
    const before = [Math.random, Date, performance.now, crypto.randomUUID, crypto.getRandomValues, randomUUID];
    const broken = createMachine({
      id: 'broken',
      on: {
        GO: {
          actions: assign(() => {
            throw new Error(String(Math.random()));
          }),
        },
      },
    });
    await reported(broken);
    expect([Math.random, Date, performance.now, crypto.randomUUID, crypto.getRandomValues, randomUUID]).toEqual(before);
    expect(Object.getOwnPropertyNames(crypto)).not.toContain('randomUUID');
  });

  test('draws of actions do not change those of the chart', async () => {
    const busy = setup({ types: { context: {} as { id: number } }, actions: { jitter: () => void Math.random() } }).createMachine(
      {
        id: 'busy',
        context: { id: 0 },
        on: {
          GO: {
            actions: [
              'jitter',
              assign({ id: () => Math.random() }),
              'jitter',
              assign({ id: ({ context }) => context.id + Math.random() }),
            ],
          },
        },
      },
    );
    const { failures } = await reported(busy as never, { limits: { states: 30 } });
    expect(failures).toEqual([]);
  });

  test('the same seed takes the same paths, and another seed draws other values', async () => {
    const plans = async (seed: number) =>
      JSON.stringify(await new MachineTesting(listOf(() => Math.random()) as never, { ...eachRemoved, seed }).plans('tour'));
    const [first, again, other] = [await plans(1), await plans(1), await plans(2)];
    expect(first).toBe(again);
    expect(other).not.toBe(first);
  });

  test('two paths at the same time do not disturb each other', async () => {
    const testing = new MachineTesting(listOf(() => crypto.randomUUID()) as never, eachRemoved);
    const paths = await testing.paths('shortest');
    expect(await Promise.all(paths.map((path) => testing.failureOf(path)))).toEqual(paths.map(() => null));
  });

  test('a variable of the module is rejected with a remedy', async () => {
    let next = 0;
    const counting = listOf(() => next++);
    await expect(reported(counting as never, eachRemoved)).rejects.toThrow(
      /^the same steps led to another state: .* Move that into the context, replace it with "provide"/s,
    );
  });
});
