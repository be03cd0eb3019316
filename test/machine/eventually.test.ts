/** What comes in the end when nobody touches a machine, beside services that may send for ever. */
import { describe, expect, test } from 'vitest';
import { fromCallback, setup, type AnyStateMachine } from 'xstate';
import type { MachineTests } from './options.js';
import { describeStep } from './steps.js';
import { MachineTesting } from './testing.js';

const late = async (machine: unknown, tests: MachineTests) =>
  (await new MachineTesting(machine as AnyStateMachine, tests).temporalFailures()).map(
    ({ says, steps }) => `${says} | ${steps.map(describeStep).join(', ')}`,
  );

describe('beside a callback that sends as often as it likes', () => {
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

  test('unless what is sent begins it anew, or there is none', async () => {
    const renewed = sends({ 100: 'b' }, { TICK: { target: 'a', reenter: true } });
    expect(await comes(renewed)).toEqual(['can go round through "a" for ever | ticker sends TICK']);
    expect(await comes(renewed, { withinMs: 250 })).toEqual([expect.stringMatching(/^more than 250 ms can pass/)]);
    expect(await comes(sends({}))).toEqual(['can go round through "a" for ever | ticker sends TICK']);
  });

  test('two timers that each go on while the other one begins anew hold nobody up: together they go round', async () => {
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
    const told = async (types: readonly string[]) =>
      (await late(machine, { services: { ticker: { sends: types.map((type) => ({ type })) } }, temporal: temporal! })).length;
    expect([await told(['X']), await told(['Y']), await told(['X', 'Y'])]).toEqual([0, 0, 1]);
  });
});
