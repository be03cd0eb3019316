/** Writes generated test paths as a Vitest file that people can read, keep and change. Each step contains the expected state after it. */
import type { AnyStateMachine, StateValue } from 'xstate';
import { UsageError } from '../../machines/errors.js';
import type { MachineTests, MachineStep } from './options.js';
import { Rig } from './rig.js';
import type { SeenState } from './encode.js';
import type { Plan } from './run.js';
import { drawn } from './samples.js';
import { describeStep } from './steps.js';
import { Subject } from './subject.js';

/**
 * The observation of an emitted test after a step: the state, the context as text, and the requested actions.
 *
 * @public
 */
export interface SeenPath {
  readonly value: StateValue;
  readonly context: string;
  readonly actions: readonly string[];
}

/**
 * A machine on live actors, one step at a time: what an emitted test drives.
 *
 * @param machine the machine to test.
 * @param tests samples and implementations, as in `describeMachine`.
 * @returns the first state, and `take` for each step.
 * @throws UsageError from `take`, when the step cannot happen where the machine stands.
 * @example
 * ```ts
 * import { createMachine } from 'xstate';
 * import { startMachine } from 'xstate-quiver/test';
 *
 * const lamp = createMachine({ initial: 'off', states: { off: { on: { PRESS: 'on' } }, on: { on: { PRESS: 'off' } } } });
 * const driven = await startMachine(lamp);
 * console.log(driven.first.value, (await driven.take({ event: { type: 'PRESS' } })).value); // off on
 * ```
 * @public
 */
export async function startMachine(
  machine: AnyStateMachine,
  tests: MachineTests = {},
): Promise<{ readonly first: SeenPath; take(step: MachineStep): Promise<SeenPath> }> {
  const rig = new Rig(new Subject(machine, await drawn(tests)), { performs: true });
  return {
    first: seenIn(rig.view()),
    take: async (step) => {
      if (await rig.take(step)) return seenIn(rig.view());
      const can = rig.choices().map(describeStep).join(', ');
      throw new UsageError(
        `${describeStep(step)} is not possible in state ${JSON.stringify(rig.snapshot.value)}. Possible steps: ${can || 'none'}.`,
      );
    },
  };
}

const seenIn = ({ value, context, acted }: SeenState): SeenPath => ({ value, context, actions: acted.map(({ type }) => type) });

/**
 * Emits plans as the text of a readable Vitest file: every step with the observation after it.
 *
 * @param plans The plans of `MachineTesting`.
 * @param importing The line of the file that imports the machine as `machine`, and its options as `tests`.
 */
export function emitMachineTests(name: string, plans: readonly Plan[], importing: string): string {
  const head = [
    `// A tour of the machine ${name}: every transition, every guard both ways. Made by: quiver test --emit`,
    "import { expect, test } from 'vitest';",
    "import { startMachine } from 'xstate-quiver/test';",
    importing,
  ];
  return `${head.join('\n')}\n${plans.map((plan, i) => emitPlan(`${name}, tour ${i + 1}`, plan)).join('')}`;
}

function emitPlan(title: string, { steps, expected }: Plan): string {
  const lines = steps.map((step, i) => expectation(`await machineUnderTest.take(${JSON.stringify(step)})`, expected?.[i + 1]));
  return `
test(${JSON.stringify(title)}, async () => {
  const machineUnderTest = await startMachine(machine, tests);
${[expectation('machineUnderTest.first', expected?.[0]), ...lines].join('')}});
`;
}

function expectation(what: string, view: SeenState | undefined): string {
  if (!view) return `  ${what};\n`;
  const { value, context, actions } = seenIn(view);
  return `  expect(${what}).toEqual({
    value: ${JSON.stringify(value)},
    context: ${JSON.stringify(context)},
    actions: ${JSON.stringify(actions)},
  });\n`;
}
