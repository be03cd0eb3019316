/** The code of docs/from-xstate-test.md that is for XState 5 runs here. */
import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { createTestModel, getShortestPaths } from 'xstate/graph';
import { describeMachine } from '../../test/machine/describe-machine.js';
import { MachineTesting } from '../../test/machine/testing.js';
import type { MachineTests } from '../../test/machine/options.js';
import { feedback, vending } from '../../test/machine/plain.fixtures.js';

/** A page under test. */
class Page {
  shows = 'question';
  press(button: string): void {
    const next: Record<string, string> = { GOOD: 'thanks', BAD: 'form', SUBMIT: 'thanks', CLOSE: 'closed' };
    this.shows = next[button] ?? this.shows;
  }
}
const shows = (state: string) => (page: Page) => expect(page.shows).toBe(state);

const tests: MachineTests<Page> = {
  sut: () => new Page(),
  exec: {
    GOOD: (page) => page.press('GOOD'),
    BAD: (page) => page.press('BAD'),
    SUBMIT: (page) => page.press('SUBMIT'),
    CLOSE: (page) => page.press('CLOSE'),
  },
  states: {
    question: shows('question'),
    form: shows('form'),
    thanks: shows('thanks'),
    closed: shows('closed'),
  },
};
describeMachine(feedback, tests, { describe, test, expect });

test('a page with a defect fails with the steps that show it', async () => {
  class Broken extends Page {
    override press(button: string): void {
      if (button !== 'SUBMIT') super.press(button);
    }
  }
  const failure = await new MachineTesting(feedback, { ...tests, sut: () => new Broken() }).firstFailure('tour');
  expect(failure!.steps.map((step) => ('event' in step ? step.event.type : ''))).toEqual(['BAD', 'SUBMIT']);
});

describe('xstate/graph and describeMachine', () => {
  test('payloads, and shortest paths as data', async () => {
    const model = createTestModel(vending, {
      events: [{ type: 'COIN', coin: 1 }, { type: 'COIN', coin: 2 }, { type: 'TAKE' }, { type: 'AGAIN' }],
    });
    const paths = model.getShortestPaths();

    const testing = new MachineTesting(vending, { events: { COIN: [{ coin: 1 }, { coin: 2 }] } });
    const plans = await testing.plans('shortest');

    const ends = new Set(
      paths.flatMap(({ steps }) => steps.map(({ state }) => `${state.value as string} {paid:${state.context.paid}}`)),
    );
    const { vertices } = await testing.graph();
    expect(new Set(vertices.map(({ value, context }) => `${value as string} ${context as string}`))).toEqual(ends);
    expect(plans.length).toBeGreaterThan(0);
  });

  test('toState', async () => {
    const paths = createTestModel(feedback).getShortestPaths({ toState: (state) => state.matches('thanks') });

    const plans = await new MachineTesting(feedback, { toState: (state) => state.matches('thanks') }).plans('shortest');

    // The model counts a state once for every event that leads there.
    expect(Math.min(...paths.map(({ steps }) => steps.length - 1))).toBe(plans[0]!.steps.length);
  });

  test('filterEvents and filter', async () => {
    const paths = getShortestPaths(feedback, {
      filterEvents: (_: unknown, event: { type: string }) => event.type !== 'CLOSE',
    } as never);

    const { vertices } = await new MachineTesting(feedback, {
      filter: (_, step) => !('event' in step && step.event.type === 'CLOSE'),
    }).graph();

    expect(paths.map(({ state }) => state.value).sort()).toEqual(vertices.map(({ value }) => value).sort());
  });

  test('serializeState and distinguish', async () => {
    const paths = getShortestPaths(vending, {
      serializeState: ({ value }) => JSON.stringify(value),
      events: [{ type: 'COIN', coin: 3 }, { type: 'TAKE' }, { type: 'AGAIN' }],
    });

    const { vertices } = await new MachineTesting(vending, {
      events: { COIN: [{ coin: 3 }] },
      distinguish: ({ context }) => context.paid >= 3,
    }).graph();

    // Equal keys must have the same future, otherwise the search misses states.
    expect([paths.length, vertices.length]).toEqual([1, 3]);
  });

  test('simple paths', async () => {
    const paths = createTestModel(feedback).getSimplePaths();

    const plans = await new MachineTesting(feedback).plans('simple');

    const longest = Math.max(...paths.map(({ steps }) => steps.length - 1));
    expect(Math.max(...plans.map(({ steps }) => steps.length))).toBe(longest);
  });
});

test('every line of the page that is for XState 5 is in a test that runs', () => {
  const read = (path: string) => readFileSync(new URL(path, import.meta.url), 'utf8');
  const lines = new Set(
    read('./moving-in.test.ts')
      .split('\n')
      .map((line) => line.trim()),
  );
  const blocks = [...read('../../docs/from-xstate-test.md').matchAll(/```ts\n(.*?)```/gs)]
    .map(([, block]) => block!)
    .filter((block) => !block.includes('createModel'))
    .flatMap((block) => block.split('\n'));
  expect(blocks.length).toBeGreaterThan(30);
  expect(blocks.map((line) => line.trim()).filter((line) => line !== '' && !lines.has(line))).toEqual([]);
});
