/** Generated tests of a machine, as `quiver test` runs them, with a limit for promises that never settle. */
import type { AnyStateMachine } from 'xstate';
import { patienceOf } from '../../bin/patience.js';
import { traceOfPaths } from '../../inspector/path-trace.js';
import { gapsOf } from '../../test/machine/coverage.js';
import type { MachineTests } from '../../test/machine/options.js';
import { shownOf } from '../../test/machine/plans.js';
import { reportOnMachine } from '../../test/machine/report.js';
import { describeStep } from '../../test/machine/steps.js';
import { MachineTesting } from '../../test/machine/testing.js';
import { PROMISE_SECONDS } from './bounds.js';
import type { Tested } from './messages.js';

interface Given {
  readonly machine: AnyStateMachine;
  readonly tests: MachineTests;
}

export async function tested({ machine, tests }: Given, onProgress: (text: string) => void): Promise<Tested> {
  const testing = new MachineTesting(machine, tests, patienceOf(PROMISE_SECONDS * 1000));
  const report = await reportOnMachine(testing, { onProgress });
  const { verdict, searched, failures, findings, coverage, notes } = report;
  const open = findings.filter(({ reason }) => reason === undefined);
  const shown = await shownOf(testing, await testing.counts(), failures[0]);
  return {
    did: 'test',
    verdict,
    states: searched.states,
    steps: searched.steps,
    stopped: searched.cut?.text ?? null,
    failures: failures.map(({ rule, description, steps }) => ({ rule, description, steps: steps.map(describeStep) })),
    remarks: [...open.map(({ text }) => text), ...gapsOf(coverage).map((gap) => `not covered: ${gap}`), ...notes],
    trace: [...traceOfPaths(shown.of, shown.paths, shown.coverage, shown.broken)]
      .map((line) => `${JSON.stringify(line)}\n`)
      .join(''),
  };
}
