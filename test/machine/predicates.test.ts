/** Results of predicates and assertions that count as failures. */
import { assertEvent, createMachine } from 'xstate';
import { expect, test } from 'vitest';
import { describeFailure, MachineTesting } from './testing.js';

const lamp = createMachine({ initial: 'off', states: { off: { on: { PRESS: 'on' } }, on: { on: { PRESS: 'off' } } } });

test('an event that assertEvent refuses is named with the remedy', async () => {
  const note = createMachine({
    initial: 'a',
    states: { a: { exit: ({ event }: any) => assertEvent(event, 'SAVE' as never), on: { SAVE: 'b', CANCEL: 'b' } }, b: {} },
  });
  const failure = await new MachineTesting(note).firstFailure('tour');
  expect(describeFailure(failure!)).toMatch(/after CANCEL: .* Add this one to the assertion/);
});

test.each([[null], [0], [''], [Number.NaN]])('an invariant that returns %j does not hold', async (falsy) => {
  const [failure] = await new MachineTesting(lamp, { invariants: { no: (() => falsy) as never } }).searchFailures();
  expect(failure).toMatchObject({ rule: 'no', steps: [] });
  const assertion = new MachineTesting(lamp, {
    invariants: {
      yes: ({ value }) => {
        expect(value).toBeDefined();
      },
    },
  });
  expect(await assertion.searchFailures()).toEqual([]);
});
