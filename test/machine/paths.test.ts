/** One test per path: what is registered, how paths are described, and a path that fails. */
import { describe, expect, test } from 'vitest';
import { createMachine } from 'xstate';
import { describeMachine } from './describe-machine.js';
import { MachineTesting } from './testing.js';

const lamp = createMachine({
  id: 'lamp',
  initial: 'off',
  states: { off: { on: { PRESS: 'on' } }, on: { on: { PRESS: 'off', BREAK: 'broken' } }, broken: { type: 'final' } },
});

// Registered with Vitest itself, whose collection waits for the search.
describeMachine(lamp, { each: 'path' }, { describe, test, expect });
const atTheSameTime = { describe, test: test.concurrent, expect };
describeMachine(lamp, { each: 'path' }, atTheSameTime);

test('every path is a separate test', async () => {
  const titles: string[] = [];
  const waiting: unknown[] = [];
  const runner = {
    describe: (name: string, body: () => unknown) => (titles.push(name), waiting.push(body())),
    test: (name: string) => titles.push(name),
    expect,
  };
  describeMachine(lamp, { each: 'path', pairs: true }, runner);
  await Promise.all(waiting);
  expect(titles).toEqual([
    'machine lamp',
    'nothing breaks in any state that was found',
    'the search is complete: every state that can be reached was seen',
    'random walks',
    'nothing looks wrong that no property asks for',
    'states, transitions, guards both ways, events, actions and outcomes are covered',
    'shortest',
    'broken: PRESS → BREAK',
    'tour',
    'broken: PRESS → PRESS → PRESS → BREAK',
    'pairs',
    'off: PRESS → PRESS',
    'broken: PRESS → BREAK',
    'on: PRESS → PRESS → PRESS',
  ]);
});

test('a path takes the system under test that it is given, and fails with the way', async () => {
  const pressed: string[] = [];
  const exec = { PRESS: (sut: string) => void pressed.push(sut), BREAK: () => Promise.reject(new Error('it does not break')) };
  const [path] = await new MachineTesting(lamp, { sut: () => 'own', exec }).paths();
  await expect(path!.test('given')).rejects.toThrow(
    /^exec of BREAK: after PRESS, BREAK: it does not break\n {2}again: await replaySteps/,
  );
  await expect(path!.test()).rejects.toThrow();
  expect(pressed).toEqual(['given', 'own']);
});

test('long paths are shortened in their descriptions, and no two are the same', async () => {
  const clock = createMachine({
    context: { n: 0 },
    initial: 'low',
    states: {
      low: { on: Object.fromEntries('ABCDEFGHIJ'.split('').map((type, i) => [type, { target: `s${i}` }])) },
      ...Object.fromEntries(
        Array.from({ length: 10 }, (_, i) => [`s${i}`, { initial: 'in', states: { in: {} }, on: { NEXT: `s${(i + 1) % 10}` } }]),
      ),
    },
  });
  const descriptions = (await new MachineTesting(clock).paths('tour')).map(({ description }) => description);
  expect(new Set(descriptions).size).toBe(descriptions.length);
  expect(Math.max(...descriptions.map((text) => text.length))).toBeLessThan(80);
  expect(descriptions.join('\n')).toMatch(/s\d\.in: [A-J] → NEXT → NEXT → \d+ more → NEXT → NEXT → NEXT/);
});

test('with a system under test a failure is made short in few tries', async () => {
  let made = 0;
  const tests = { sut: () => made++, exec: { PRESS: () => {}, BREAK: () => Promise.reject(new Error('no')) } };
  const failure = await new MachineTesting(lamp, tests).firstFailure('tour');
  expect([failure?.steps.length, made]).toEqual([2, 2]);
});

test('another value of each is refused', () => {
  expect(() => new MachineTesting(lamp, { each: 'state' as never })).toThrow(`tests.each is "state". Pass 'path', or omit it.`);
});
