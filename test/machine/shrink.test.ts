/** A shorter path of a failure is one that the machine takes: it does not contain a step that the machine would ignore. */
import { createMachine } from 'xstate';
import { describe, expect, test } from 'vitest';
import type { MachineTests } from './options.js';
import { describeStep } from './steps.js';
import { MachineTesting } from './testing.js';

const upload = createMachine({
  id: 'upload',
  initial: 'idle',
  states: {
    idle: { on: { FILE: 'sending' } },
    sending: { on: { FAIL: 'failed', DONE: 'idle' } },
    failed: { on: { RETRY: 'sending' } },
  },
});

const broken = () => {
  throw new Error('the button is not there');
};

describe.each<[string, MachineTests]>([
  ['of a system under test', { sut: () => ({}), exec: { FILE: () => {}, FAIL: () => {}, DONE: () => {}, RETRY: broken } }],
  [
    'of a reference',
    {
      reference: {
        start: () => 0,
        step: (_, step) => ('event' in step && step.event.type === 'RETRY' ? 1 : 0),
        agrees: (count) => count === 0,
      },
    },
  ],
])('a failure %s', (_, tests) => {
  test('on a tour keeps the steps that lead to it', async () => {
    const failure = await new MachineTesting(upload, tests).firstFailure('tour');
    expect(failure!.steps.map(describeStep)).toEqual(['FILE', 'FAIL', 'RETRY']);
  });

  test('on a walk keeps the steps that lead to it', async () => {
    const { failure } = await new MachineTesting(upload, tests).walks();
    expect(failure!.steps.map(describeStep)).toEqual(['FILE', 'FAIL', 'RETRY']);
  });
});
