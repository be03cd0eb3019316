/** `eventually` without external events, with services that may send forever; and properties that hold for a while. */
import { describe, expect, test } from 'vitest';
import { createMachine, fromCallback, raise, setup, type AnyStateMachine } from 'xstate';
import type { MachineTests } from './options.js';
import { reportOnMachine } from './report.js';
import { describeStep } from './steps.js';
import { MachineTesting } from './testing.js';

const late = async (machine: unknown, tests: MachineTests) =>
  (await new MachineTesting(machine as AnyStateMachine, tests).temporalFailures()).map(
    ({ description, steps }) => `${description} | ${steps.map(describeStep).join(', ')}`,
  );

const is =
  (name: string) =>
  ({ value }: { readonly value: unknown }) =>
    value === name;

describe('with a callback that sends any number of events', () => {
  const sends = (after: object, on: object = { TICK: {} }) =>
    setup({ actors: { ticker: fromCallback(() => {}) } }).createMachine({
      initial: 'a',
      invoke: { src: 'ticker' },
      states: { a: { on, after }, b: {}, c: {} },
    } as never);
  const ticks = { ticker: { sends: [{ type: 'TICK' }] } };
  const isA = ({ value }: { value: unknown }) => value === 'a';
  const comes = async (machine: unknown, more: object = {}) =>
    late(machine, { services: ticks, temporal: { it: { when: isA, eventually: (state) => !isA(state), ...more } } });

  test('a timer goes off in the end, and in its time', async () => {
    expect(await comes(sends({ 100: 'b' }))).toEqual([]);
    expect(await comes(sends({ 100: 'b' }), { withinMs: 100 })).toEqual([]);
    expect(await comes(sends({ 100: 'b' }), { withinMs: 99 })).toHaveLength(1);
    expect(await comes(sends({ 100: 'b' }), { within: 2 })).toEqual([expect.stringMatching(/^is not reached within 2 steps/)]);
  });

  test('unless the event renews the timer, or there is none', async () => {
    const renewed = sends({ 100: 'b' }, { TICK: { target: 'a', reenter: true } });
    expect(await comes(renewed)).toEqual(['can loop forever through "a" | ticker sends TICK']);
    expect(await comes(renewed, { withinMs: 250 })).toEqual([expect.stringMatching(/^more than 250 ms can pass/)]);
    expect(await comes(sends({}))).toEqual(['can loop forever through "a" | ticker sends TICK']);
  });

  test('two timers that renew each other in turn do not end a loop', async () => {
    const region = (key: string) => ({
      initial: 'on',
      states: { on: { on: { [key]: { target: 'on', reenter: true } }, after: { 100: '#end' } } },
    });
    const machine = setup({ actors: { ticker: fromCallback(() => {}) } }).createMachine({
      initial: 'a',
      invoke: { src: 'ticker' },
      states: { a: { type: 'parallel', states: { x: region('X'), y: region('Y') } }, b: { id: 'end' } },
    } as never);
    const temporal: MachineTests['temporal'] = {
      it: { when: (state) => !state.matches('b'), eventually: (state) => state.matches('b') },
    };
    const notified = async (types: readonly string[]) =>
      (await late(machine, { services: { ticker: { sends: types.map((type) => ({ type })) } }, temporal: temporal! })).length;
    expect([await notified(['X']), await notified(['Y']), await notified(['X', 'Y'])]).toEqual([0, 0, 1]);
  });
});

describe('with bounds', () => {
  const isNot =
    (name: string) =>
    ({ value }: { readonly value: unknown }) =>
      value !== name;
  /** When pressed, it waits 300 ms, and another 200 ms for the next event, unless an event hurries it. */
  const button = createMachine({
    initial: 'up',
    states: {
      up: { on: { PRESS: 'down' } },
      down: { after: { 300: 'held' }, on: { HURRY: 'open' } },
      held: { after: { 200: 'open' } },
      open: { on: { PRESS: 'up' } },
    },
  });
  const broken = async (property: NonNullable<MachineTests['temporal']>[string]) => {
    const found = await late(button, { temporal: { it: property } });
    expect(await late(button, { mode: 'pure', temporal: { it: property } })).toEqual(found);
    return found;
  };

  test('always and never: for so many steps, or so long, whatever happens', async () => {
    const down = is('down');
    expect(await broken({ when: down, never: is('held'), withinMs: 299 })).toEqual([]);
    expect(await broken({ when: down, never: is('held'), withinMs: 300 })).toEqual([
      'does not hold in "held", which can come within 300 ms | PRESS, after 300 in down',
    ]);
    expect(await broken({ when: is('held'), always: isNot('down'), within: 2 })).toEqual([]);
    expect(await broken({ when: is('held'), always: isNot('down'), within: 3 })).toEqual([
      'does not hold in "down" | PRESS, after 300 in down, after 200 in held, PRESS, PRESS',
    ]);
    expect(await broken({ never: is('open'), within: 1 })).toEqual([]);
    expect(await broken({ never: is('open'), within: 2 })).toEqual(['does not hold in "open" | PRESS, HURRY']);
    expect(await broken({ always: isNot('held'), withinMs: 100 })).toEqual([]);
    expect(await broken({ when: down, always: isNot('up') })).toEqual(['does not hold in "up" | PRESS, HURRY, PRESS']);
  });

  test('until: it has to come in time, and meanwhile it holds', async () => {
    const waits = { when: is('down'), holds: isNot('up'), until: is('open') };
    expect(await broken(waits)).toEqual([]);
    expect(await broken({ ...waits, withinMs: 500 })).toEqual([]);
    expect(await broken({ ...waits, withinMs: 499 })).toEqual([
      'more than 499 ms can pass, and it is in "held" | PRESS, after 300 in down',
    ]);
    expect(await broken({ ...waits, within: 2 })).toEqual([]);
    expect(await broken({ ...waits, within: 1 })).toEqual([
      'is not reached within 1 step, but is in "held" | PRESS, after 300 in down',
    ]);
    expect(await broken({ ...waits, holds: isNot('held'), within: 2 })).toEqual([
      'does not hold in "held", and what it is to last until has not come | PRESS, after 300 in down',
    ]);
  });

  test('two bounds at once are refused', async () => {
    await expect(late(button, { temporal: { it: { never: is('up'), within: 2, withinMs: 5 } } })).rejects.toThrow(
      'temporal.it has both within and withinMs. Use one of them, or two properties.',
    );
  });

  test('a bound that is not a number is rejected', async () => {
    await expect(late(button, { temporal: { it: { never: is('up'), within: '2' as never } } })).rejects.toThrow(
      'temporal.it.within is 2. Pass a number, at least 0.',
    );
  });
});

describe('a bound in time where there is much to go through', () => {
  const search = createMachine({
    initial: 'idle',
    states: {
      idle: { on: { KEY: { target: 'typing', actions: raise({ type: 'SEARCH' }, { delay: 300 }) } } },
      typing: { on: { SEARCH: 'results', ESC: 'idle' } },
      results: {},
    },
  });
  const soon = { when: is('typing'), never: is('results'), withinMs: 1 };

  test.each(['live', 'pure'] as const)('a delayed event that an earlier visit left behind is found, %s', async (mode) => {
    expect(await late(search, { mode, limits: { timers: 1 }, temporal: { soon } })).toEqual([
      'does not hold in "results", which can come within 1 ms | KEY, ESC, KEY, delayed SEARCH',
    ]);
  });

  test('a search that is too large ends with a notice, without blocking other work', async () => {
    let turns = 0;
    const ticking = setInterval(() => turns++);
    const clock = (on: number, off: number) => ({
      initial: 'a',
      states: { a: { after: { [on]: 'b' } }, b: { after: { [off]: 'a' } } },
    });
    const clocks = createMachine({ type: 'parallel', states: { x: clock(700, 301), y: clock(1103, 130), z: clock(977, 211) } });
    const property = { never: () => false, withinMs: 1_000_000 };
    const report = await reportOnMachine(new MachineTesting(clocks, { mode: 'pure', temporal: { property } }));
    expect(report.failures.map(({ description }) => description)).toEqual([
      expect.stringMatching(/^is undecided: a search of 1000000 ms needs more steps than the limits/),
    ]);
    expect(report.verdict).toBe('unknown');
    clearInterval(ticking);
    expect(turns).toBeGreaterThan(5);
  });
});

test('a `when` that never holds is reported', async () => {
  const machine = createMachine({ initial: 'a', states: { a: { after: { 100: 'b' } }, b: {} } });
  expect(await late(machine, { temporal: { slip: { when: is('aa'), never: is('b'), withinMs: 500 } } })).toEqual([
    '`when` holds in no state of 2: nothing is asked | ',
  ]);
});
