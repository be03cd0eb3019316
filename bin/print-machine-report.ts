/** Prints the results of `quiver test` for a machine: problems first, then a short summary. */
import { gapsOf, machineKinds, type MachineKind } from '../test/machine/coverage.js';
import type { Mode } from '../test/machine/options.js';
import type { MachineReport } from '../test/machine/report.js';
import { describeStep } from '../test/machine/steps.js';
import { bold, counted, dim, number, table, verdictInColor } from './style.js';
import type { ReportWithPages } from './test-machine.js';

const WALKED_ON: Readonly<Record<Mode, string>> = { live: 'on live actors', pure: 'only on the chart' };

const HEADINGS: Readonly<Record<MachineKind, string>> = {
  state: 'states',
  transition: 'transitions',
  guard: 'guards',
  event: 'events',
  action: 'actions',
  outcome: 'outcomes',
};

/** How a failure is taken again, and seen. */
type WaysBack = (failure: ReportWithPages['failures'][number]) => readonly string[];

export function printMachineReport(report: ReportWithPages, path: string, back: WaysBack): void {
  const { machine, searched, mutants, verdict } = report;
  console.log(`${bold(machine)}  ${dim(path)}`);
  printFailures(report, back);
  printFindings(report);
  printGaps(report);
  printSummary(report);
  if (mutants) printMutants(mutants);
  if (searched.cut) console.log(`\n${bold('not decided')}: ${searched.cut.text}`);
  console.log(`\n${verdictInColor(verdict)}`);
}

function printFailures({ failures }: ReportWithPages, back: WaysBack): void {
  for (const failure of failures) {
    console.log(`\n${bold(failure.rule)}: ${failure.description}`);
    if (failure.isUnhandled) continue;
    for (const [i, step] of failure.steps.entries()) console.log(`  ${i + 1}. ${describeStep(step)}`);
    for (const line of back(failure)) console.log(dim(`  ${line}`));
  }
}

/** Failures before warnings, and what is meant last, in one line each. */
function printFindings({ findings }: ReportWithPages): void {
  const open = findings.filter(({ reason }) => reason === undefined);
  for (const { name, chart, description, steps, isFailure } of open.toSorted(
    (a, b) => Number(b.isFailure) - Number(a.isFailure),
  )) {
    console.log(`\n${isFailure ? '' : 'warning: '}${bold(`${chart}: ${name}`)}: ${description}`);
    for (const [i, step] of steps.entries()) console.log(`  ${i + 1}. ${describeStep(step)}`);
    console.log(dim(`  if it is meant: reasons: { ${JSON.stringify(name)}: 'why' }`));
  }
  const meant = findings.filter(({ reason }) => reason !== undefined);
  if (meant.length > 0) console.log('');
  for (const { chart, name, reason } of meant) console.log(`${dim('meant')}  ${chart}: ${name} (${reason})`);
}

function printGaps({ coverage, notes, page }: ReportWithPages): void {
  const gaps = gapsOf(coverage);
  const explained = coverage.missing.filter(({ isExplained }) => isExplained);
  if (gaps.length + explained.length + coverage.refuted.length + notes.length > 0) console.log('');
  for (const gap of gaps) console.log(`not covered  ${gap}`);
  for (const { chart, item, reason } of explained) console.log(`${dim('unreachable')}  ${chart}: ${item} (${reason})`);
  for (const name of coverage.refuted) console.log(`reached      ${name}, although a reason excludes it`);
  for (const note of notes) console.log(`note         ${note}`);
  if (page !== undefined) console.log(dim(`see it: ${page}`));
}

function printSummary({ searched, walked, mode, coverage }: ReportWithPages): void {
  const { states, steps, cut, unread } = searched;
  const { covered, of } = coverage.configurations;
  console.log(`\n${counted(states, 'state')}, ${counted(steps, 'step')} between them${cut ? ', and there are more' : ''}`);
  if (unread.length > 0)
    console.log(`nothing reads ${unread.map((key) => `context.${key}`).join(', ')}: states that differ in this alone are one`);
  console.log(`${number(covered)} of ${counted(of, 'configuration')}`);
  for (const one of walked) {
    const all = one.of === undefined ? '' : ` of ${number(one.of)}`;
    console.log(`${one.kind.padEnd(9)} ${counted(one.paths, 'path')}${all}, ${counted(one.steps, 'step')}, ${WALKED_ON[mode]}`);
  }
  const rows = Object.entries(coverage.charts).map(([chart, shares]) => [
    chart,
    ...machineKinds.map((kind) => `${shares[kind].covered}/${shares[kind].of}`),
  ]);
  console.log(`\n${table(['covered', ...machineKinds.map((kind) => HEADINGS[kind])], rows)}`);
}

function printMutants(mutants: NonNullable<MachineReport['mutants']>): void {
  const by = (judge: string) => number(mutants.filter(({ killedBy }) => killedBy === judge).length);
  const survivors = mutants.filter(({ killedBy }) => killedBy === null);
  console.log(
    `\n${counted(mutants.length, 'mutant')}: ${by('rules')} killed by rules, ${by('paths')} only by paths, ${number(survivors.length)} left`,
  );
  for (const { name, diff, reason } of survivors) {
    console.log(`\n${name}${reason === undefined ? '' : dim(` (the same: ${reason})`)}`);
    console.log(diff.map((line) => `  ${line}`).join('\n'));
  }
}
