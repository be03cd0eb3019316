/** Several ways to begin in one run. */
import { describe, expect, test } from 'vitest';
import { assign, setup } from 'xstate';
import type { MachineTests } from './options.js';
import { reportOnMachine } from './report.js';
import { describeFailure, failuresAlong, MachineTesting } from './testing.js';

const editor = setup({ guards: { mayWrite: ({ context }: any) => context.role === 'admin' } }).createMachine({
  id: 'editor',
  context: ({ input }: any) => ({ role: input.role, saved: 0 }),
  initial: 'reading',
  states: {
    reading: { on: { EDIT: { guard: 'mayWrite', target: 'editing' } } },
    editing: { on: { SAVE: { target: 'reading', actions: assign({ saved: 1 }) } } },
    locked: { on: { UNLOCK: 'reading' } },
  },
});
const starts = (...more: object[]): MachineTests => ({
  starts: [{ input: { role: 'guest' } }, { input: { role: 'admin' } }, ...more] as never,
});
const reported = (tests: MachineTests) => reportOnMachine(new MachineTesting(editor, tests));

describe('starts', () => {
  test('one input alone leaves a guard half covered, two cover it in one run', async () => {
    const one = await reported({ input: { role: 'guest' } });
    expect(one.coverage.missing.map(({ item }) => item)).toContain('guard reading: EDIT is true');
    const two = await reported(starts());
    expect(two.coverage.missing.map(({ item }) => item)).toEqual(['state locked', 'transition locked: UNLOCK', 'event UNLOCK']);
    expect(two.failures).toEqual([]);
  });

  test.each(['live', 'pure'] as const)('a stored state is a start, too: %s', async (mode) => {
    const snapshot = editor.resolveState({ value: 'locked', context: { role: 'guest', saved: 0 } } as never);
    expect(await reported({ mode, ...starts({ snapshot }) })).toMatchObject({ verdict: 'valid' });
  });

  test('a failure contains the start of the machine, and its steps repeat it', async () => {
    const tests = { ...starts(), invariants: { 'nothing is saved': ({ context }: any) => context.saved === 0 } };
    const [failure] = (await reported(tests)).failures;
    expect(describeFailure(failure!)).toContain('after start #2 {role:"admin"}, EDIT, SAVE: does not hold');
    expect((await failuresAlong(editor, tests, failure!.steps)).map(({ rule }) => rule)).toEqual(['nothing is saved']);
  });

  test('an error at one start is found at that start', async () => {
    const { failures } = await reported({ starts: [{ input: { role: 'guest' } }, { input: undefined }] });
    expect(failures[0]!.steps).toEqual([{ start: 1, description: 'undefined' }]);
  });

  test.each([
    [{ starts: [] }, /starts is \[\]\. Pass a list/],
    [{ starts: [{ inputs: 1 }] }, /starts\[0\] is {"inputs":1}\. Pass { input: … } or { snapshot: … }/],
    [{ input: 1, starts: [{ input: 1 }] }, /input and starts are both defined/],
  ])('%j is refused', (tests, message) => {
    expect(() => new MachineTesting(editor, tests as never)).toThrow(message);
  });
});
