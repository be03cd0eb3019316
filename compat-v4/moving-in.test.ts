/** Both sides of docs/from-xstate-test.md: what is written for @xstate/test 0.5.1 runs, and so does what replaces it. */
import { createModel } from '@xstate/test';
import { describe, expect, test } from 'vitest';
import { createMachine as createMachine4 } from 'xstate';
import { describeMachine, MachineTesting, type MachineTests } from '../test/index.js';
import { feedback } from '../test/machine/plain.fixtures.js';

/** A page under test. */
class Page {
  shows = 'question';
  press(button: string): void {
    const next: Record<string, string> = { GOOD: 'thanks', BAD: 'form', SUBMIT: 'thanks', CLOSE: 'closed' };
    this.shows = next[button] ?? this.shows;
  }
}
const shows = (state: string) => (page: Page) => expect(page.shows).toBe(state);

const machine4 = createMachine4<any, any, any>({
  id: 'feedback',
  initial: 'question',
  states: {
    question: { on: { GOOD: 'thanks', BAD: 'form', CLOSE: 'closed' }, meta: { test: shows('question') } },
    form: { on: { SUBMIT: 'thanks', CLOSE: 'closed' }, meta: { test: shows('form') } },
    thanks: { on: { CLOSE: 'closed' }, meta: { test: shows('thanks') } },
    closed: { meta: { test: shows('closed') } },
  },
});

describe('@xstate/test', () => {
  const model = createModel<Page>(machine4).withEvents({
    GOOD: { exec: (page) => page.press('GOOD') },
    BAD: { exec: (page) => page.press('BAD') },
    SUBMIT: { exec: (page) => page.press('SUBMIT') },
    CLOSE: { exec: (page) => page.press('CLOSE') },
  });
  for (const plan of model.getShortestPathPlans()) {
    describe(`${plan.description}`, () => {
      for (const path of plan.paths) test(`${path.description}`, () => path.test(new Page()));
    });
  }
  test('coverage', () => model.testCoverage());
});

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

test('a page that does otherwise fails on both sides', async () => {
  class Broken extends Page {
    override press(button: string): void {
      if (button !== 'SUBMIT') super.press(button);
    }
  }
  const model = createModel<Page>(machine4).withEvents({
    BAD: { exec: (page) => page.press('BAD') },
    SUBMIT: { exec: (page) => page.press('SUBMIT') },
  });
  const plans = model.getSimplePathPlansTo('thanks');
  await expect(
    (async () => {
      for (const { paths } of plans) for (const path of paths) await path.test(new Broken());
    })(),
  ).rejects.toThrow();
  const failure = await new MachineTesting(feedback, { ...tests, sut: () => new Broken() }).firstFailure('tour');
  expect(failure!.steps.map((step) => ('event' in step ? step.event.type : ''))).toEqual(['BAD', 'SUBMIT']);
});
