/** Prints the results of `quiver test` for a protocol. */
import { coverageKinds, type CoverageKind } from '../test/coverage/items.js';
import { hostKinds } from '../test/paths/suite.js';
import { bold, counted, dim, number, table, verdictInColor } from './style.js';
import type { MutantReport, TestReport } from './test-report.js';

const HEADINGS: Readonly<Record<CoverageKind, string>> = {
  state: 'states',
  transition: 'transitions',
  guard: 'guards',
  event: 'events',
  sent: 'sent',
  received: 'received',
};

/** Prints the report. `saved` is the command-line name of the saved scenario. */
export function printTestReport(
  { protocol, walked, failures, coverage, page, swarm, mutants, ...report }: TestReport,
  saved: string | null,
): void {
  const sum = (of: (one: (typeof walked)[number]) => number) => walked.reduce((total, one) => total + of(one), 0);
  console.log(
    `${bold(protocol)}  ${counted(
      sum(({ paths }) => paths),
      'path',
    )}, ${counted(
      sum(({ steps }) => steps),
      'step',
    )}, on ${hostKinds.join(' and on ')}\n`,
  );
  const rows = Object.entries(coverage.charts).map(([chart, shares]) => [
    chart,
    ...coverageKinds.map((kind) => `${shares[kind].covered}/${shares[kind].of}`),
  ]);
  console.log(table(['chart', ...coverageKinds.map((kind) => HEADINGS[kind])], rows));
  if (coverage.leftOut.length > 0) console.log(dim(`left out     ${coverage.leftOut.join(', ')}: no samples here`));
  for (const { chart, item, reason, isExplained } of coverage.missing) {
    console.log(`${isExplained ? dim('unreachable') : 'not covered'}  ${chart}: ${item} (${reason})`);
  }
  for (const name of coverage.refuted) console.log(`reached      ${name}, although a reason excludes it`);
  if (page !== undefined) console.log(`see it       ${page}`);
  for (const failure of failures) console.log(`fails        ${failure}`);
  if (swarm) printSwarm(swarm, saved);
  if (mutants) printMutants(mutants);
  console.log(`\n${verdictInColor(report.verdict)}`);
}

function printSwarm({ runs, failure, page }: NonNullable<TestReport['swarm']>, saved: string | null): void {
  if (!failure) return console.log(`\nswarm  ${counted(runs, 'scenario')}, nothing breaks`);
  console.log(
    `\nswarm  ${bold(failure.property)} breaks in scenario ${number(runs)}, made smaller ${counted(failure.shrinks, 'time')}`,
  );
  console.log(`  ${failure.description}`);
  console.log(`  ${JSON.stringify(failure.scenario)}`);
  if (page !== undefined) console.log(`  see it:  ${page}`);
  console.log(
    saved === null ? dim('  keep it: --save FOLDER') : `  see it:  npx quiver explore ${saved}    again: npx quiver run ${saved}`,
  );
}

function printMutants({ all, killed, survivors, refuted }: MutantReport): void {
  const by = Object.entries(killed).map(([judge, count]) => `${number(count)} killed by ${judge}`);
  console.log(`\n${counted(all, 'mutant')}: ${[...by, `${number(survivors.length)} left`].join(', ')}`);
  for (const { chart, name, diff, reason } of survivors) {
    console.log(`\n${chart}: ${name}${reason === undefined ? '' : dim(` (the same: ${reason})`)}`);
    console.log(diff.map((line) => `  ${line}`).join('\n'));
  }
  for (const name of refuted) console.log(`killed       ${name}, although a reason declares it equivalent`);
}
