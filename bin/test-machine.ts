/** `quiver test FILE` for a module that exports a machine of an application: its generated tests, reported. */
import { relative } from 'node:path';
import { machineKinds, type MachineKind } from '../test/machine/coverage.js';
import { reportOn, type MachineReport } from '../test/machine/report.js';
import { describeStep } from '../test/machine/steps.js';
import { MachineTesting } from '../test/machine/testing.js';
import { integerOption } from './command.js';
import { testsIn, type FoundMachine } from './machines.js';
import { ProgressLine } from './progress.js';
import { bold, dim, number, table, verdict } from './style.js';

export interface MachineWords {
  readonly json?: boolean;
  readonly pairs?: boolean;
  readonly seed?: string;
  readonly with?: string;
}

/** The exit status. */
export async function testMachine(found: FoundMachine, words: MachineWords): Promise<number> {
  const seed = integerOption('seed', words.seed);
  const tests = { ...(await testsIn(words.with)), ...(seed !== undefined && { seed }), ...(words.pairs && { pairs: true }) };
  const progress = new ProgressLine();
  const report = await reportOn(new MachineTesting(found.machine, tests), (what) =>
    progress.show(`${found.machine.id}: ${what}`),
  );
  progress.done();
  if (words.json) console.log(JSON.stringify(report));
  else print(report, relative('.', found.path));
  return report.verdict === 'valid' ? 0 : 1;
}

const HEADINGS: Readonly<Record<MachineKind, string>> = {
  state: 'states',
  transition: 'transitions',
  guard: 'guards',
  event: 'events',
  action: 'actions',
  outcome: 'outcomes',
};

function print({ machine, searched, walked, failures, coverage, ...report }: MachineReport, path: string): void {
  const { states, steps, isComplete } = searched;
  console.log(`${bold(machine)}  ${dim(path)}\n`);
  console.log(`${number(states)} states, ${number(steps)} steps between them${isComplete ? '' : ', and there are more'}`);
  for (const one of walked)
    console.log(`${one.kind.padEnd(9)} ${number(one.paths)} paths, ${number(one.steps)} steps, on live actors`);
  const rows = Object.entries(coverage.charts).map(([chart, shares]) => [
    chart,
    ...machineKinds.map((kind) => `${shares[kind].covered}/${shares[kind].of}`),
  ]);
  console.log(`\n${table(['covered', ...machineKinds.map((kind) => HEADINGS[kind])], rows)}`);
  for (const { chart, item, reason, isExplained } of coverage.missing)
    console.log(`${isExplained ? dim('unreachable') : 'not covered'}  ${chart}: ${item} (${reason})`);
  for (const name of coverage.refuted) console.log(`reached      ${name}, for which the tests give a reason why it cannot be`);
  for (const { rule, says, steps } of failures) {
    console.log(`\n${bold(rule)}: ${says}`);
    for (const [i, step] of steps.entries()) console.log(`  ${i + 1}. ${describeStep(step)}`);
    console.log(dim(`  again: await replaySteps(machine, tests, ${JSON.stringify(steps)});`));
  }
  console.log(`\n${verdict(report.verdict)}`);
}
