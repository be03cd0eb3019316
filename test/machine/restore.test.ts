/** Stored at any place of a path and restored, a machine goes on alike. */
import { expect, test } from 'vitest';
import { createMachine, fromPromise, setup, stopChild } from 'xstate';
import { reportOnMachine } from './report.js';
import { MachineTesting } from './testing.js';

test('stored and restored', async () => {
  const restore = (context: unknown) =>
    new MachineTesting(createMachine({ context: context as object, on: { X: {} } }), { restore: true }).restoreFailure();
  expect(await restore({ list: [1] })).toBeNull();
  expect((await restore({ list: new Set([1]) }))!.rule).toBe('stored and restored it goes on alike');
});

test('with running timers and services: timers continue with their remaining time', async () => {
  const at = (context: object) =>
    setup({ actors: { work: fromPromise(async () => 1), child: blinking } }).createMachine({
      context,
      type: 'parallel',
      states: {
        clock: {
          initial: 'a',
          states: { a: { after: { 300: 'b' } }, b: { after: { 300: 'c' } }, c: { entry: stopChild('blink') } },
        },
        other: {
          initial: 'idle',
          states: {
            idle: { on: { GO: 'going' } },
            going: { after: { 500: 'done' }, invoke: { src: 'work', onDone: 'done' } },
            done: {},
          },
        },
        child: { invoke: { src: 'child', id: 'blink' } },
      },
    });
  const blinking = createMachine({
    id: 'blink',
    initial: 'on',
    states: { on: { after: { 200: 'off' } }, off: { type: 'final' } },
  });
  const restore = (context: object) =>
    new MachineTesting(at(context), { restore: true, services: { work: { fails: [] } } }).restoreFailure();
  expect(await restore({})).toBeNull();
  expect(await restore({ when: new Date(0) })).toMatchObject({
    description: 'its context is {when:"1970-01-01T00:00:00.000Z"} instead of {when:Date 0}',
  });
});

test('the report names the timers that XState loses and the tests have armed again', async () => {
  const egg = createMachine({
    id: 'egg',
    initial: 'idle',
    states: { idle: { on: { COOK: 'cooking' } }, cooking: { after: { 3000: 'done' } }, done: { on: { AGAIN: 'idle' } } },
  });
  const notes = async (tests: object) => (await reportOnMachine(new MachineTesting(egg, tests))).notes;
  expect(await notes({ restore: true })).toEqual([
    expect.stringMatching(/^XState does not arm timers again .* never go off: after 3000 in cooking$/),
  ]);
  expect(await notes({})).toEqual([]);
});
