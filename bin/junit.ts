/** Writes the results of `quiver test` as JUnit XML for CI systems. Each failure, uncovered part and surviving mutant is a failed test case. */
import { xmlText } from '../inspector/exports/xml-text.js';
import type { ReportWithPages } from './test-machine.js';
import type { Survivor, TestReport } from './test-report.js';

interface Case {
  readonly name: string;
  /** Why it failed; `null` when it passed. */
  readonly failure: string | null;
  /** The output of a passed case. */
  readonly output?: string;
}

const pass = (name: string): Case => ({ name, failure: null });

function suite(name: string, cases: readonly Case[]): string {
  const failures = cases.filter(({ failure }) => failure !== null).length;
  const lines = cases.map((one) => {
    const head = `    <testcase classname="${xmlText(name)}" name="${xmlText(one.name)}"`;
    if (one.failure === null && one.output !== undefined)
      return `${head}>\n      <system-out>${xmlText(one.output)}</system-out>\n    </testcase>`;
    if (one.failure === null) return `${head}/>`;
    return `${head}>\n      <failure message="${xmlText(one.failure.split('\n')[0]!)}">${xmlText(one.failure)}</failure>\n    </testcase>`;
  });
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${cases.length}" failures="${failures}">`,
    `  <testsuite name="${xmlText(name)}" tests="${cases.length}" failures="${failures}">`,
    ...lines,
    '  </testsuite>',
    '</testsuites>',
  ].join('\n');
}

interface Covered {
  readonly isComplete: boolean;
  readonly missing: readonly {
    readonly chart: string;
    readonly item: string;
    readonly reason: string;
    readonly isExplained: boolean;
  }[];
  readonly refuted: readonly string[];
}

/** A reference to the page of a failure. */
const seen = (page: string | undefined): string => (page === undefined ? '' : `\n  see it: ${page}`);

/** Coverage is one case when it is complete, else one for each thing that is missing. */
function coverageCases({ isComplete, missing, refuted }: Covered, page: string | undefined): readonly Case[] {
  if (isComplete) return [pass('coverage')];
  return [
    ...missing
      .filter(({ isExplained }) => !isExplained)
      .map(({ chart, item, reason }) => ({
        name: `coverage of ${chart}: ${item}`,
        failure: `not covered: ${reason}${seen(page)}`,
      })),
    ...refuted.map((name) => ({ name: `coverage of ${name}`, failure: 'reached, although a reason excludes it' })),
  ];
}

const walkedCases = (cases: readonly string[], failures: readonly string[]): readonly Case[] => [
  ...(failures.length === 0 ? cases.map(pass) : []),
  ...failures.map((failure) => ({ name: failure.split('\n')[0]!, failure })),
];

type Left = Pick<Survivor, 'name' | 'diff' | 'reason'>;

/** Each mutant that survives without a reason is a case that fails. */
function mutantCases(all: number, survivors: readonly Left[], refuted: readonly string[]): readonly Case[] {
  const left = survivors.filter(({ reason }) => reason === undefined);
  const failed = [
    ...left.map(({ name, diff }) => ({ name: `mutant ${name}`, failure: `no judge killed it\n${diff.join('\n')}` })),
    ...refuted.map((name) => ({ name: `mutant ${name}`, failure: 'killed, although a reason declares it equivalent' })),
  ];
  return failed.length > 0 ? failed : [pass(`${all} mutants`)];
}

export function protocolJunit({ protocol, walked, failures, coverage, page, swarm, mutants }: TestReport): string {
  const walks = walked.map(({ of, kind }) =>
    'chart' in of ? `${kind} paths of ${of.chart}, start ${of.start}` : `${kind} through system ${of.system}`,
  );
  const failure = swarm?.failure;
  return suite(protocol, [
    ...walkedCases(walks, failures),
    ...coverageCases(coverage, page),
    ...(swarm
      ? [
          {
            name: 'swarm',
            failure: failure
              ? `${failure.property}: ${failure.description}\n${JSON.stringify(failure.scenario)}${seen(swarm.page)}`
              : null,
          },
        ]
      : []),
    ...(mutants ? mutantCases(mutants.all, mutants.survivors, mutants.refuted) : []),
  ]);
}

/** A finding that fails is a case that fails; a warning is one that passes, with its text as output. */
function findingCases(findings: ReportWithPages['findings']): readonly Case[] {
  return findings.map(({ chart, name, text, isFailure, reason }) => ({
    name: `${chart}: ${name}`,
    failure: isFailure ? text : null,
    ...(!isFailure && { output: reason === undefined ? `warning: ${text}` : `meant: ${reason}` }),
  }));
}

export function machineJunit({
  machine,
  searched,
  walked,
  failures,
  findings,
  coverage,
  page,
  mutants,
}: ReportWithPages): string {
  const walks = walked.map(({ kind, paths }) => `${paths} ${kind} paths`);
  const survivors = mutants?.filter(({ killedBy }) => killedBy === null) ?? [];
  return suite(machine, [
    ...walkedCases(
      [`${searched.states} states`, ...walks],
      failures.map(({ text, page }) => `${text}${seen(page)}`),
    ),
    ...findingCases(findings),
    ...(searched.cut ? [{ name: 'the search is complete', failure: `unknown: ${searched.cut.text}` }] : []),
    ...coverageCases(coverage, page),
    ...(mutants ? mutantCases(mutants.length, survivors, []) : []),
  ]);
}
