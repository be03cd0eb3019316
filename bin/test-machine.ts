/**
 * `quiver test FILE` for a module that exports an XState machine: runs its generated tests, prints a report, and writes the requested
 * files. It also reports what an application's code does outside the paths of its tests: a promise that never settles, an unhandled
 * rejection, an active timer. The tests have no clock and no process; the command has.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve } from 'node:path';
import { isObject } from '../machines/checks.js';
import { UsageError, thrownText } from '../machines/errors.js';
import type { TraceHeader, TraceLine } from '../network/trace.js';
import { pageOfPaths } from '../test/failure-page.js';
import { mergeCounts, type MachineCounts } from '../test/machine/coverage.js';
import { emitMachineTests } from '../test/machine/emit.js';
import { chartListing, lcovOf } from '../test/machine/lcov.js';
import type { MachineTests, MachineStep, Mode } from '../test/machine/options.js';
import { reportOnMachine, type MachineReport } from '../test/machine/report.js';
import { describeStep } from '../test/machine/steps.js';
import { failuresAlong, MachineTesting } from '../test/machine/testing.js';
import type { Failure } from '../test/machine/graph.js';
import { shownOf } from '../test/machine/plans.js';
import { integerOption } from './usage.js';
import { testsIn, type FoundMachine } from './machines.js';
import { OutputFile } from './output-file.js';
import { patienceOf } from './patience.js';
import { ProgressLine } from './progress.js';
import type { Reporter } from './reporter.js';
import { relativeModule } from './modules.js';
import { bold, dim, verdictInColor } from './style.js';
import { writeTrace } from './trace-file.js';
import { printMachineReport } from './print-machine-report.js';
import type { ValuesOf } from './verbs.js';
import { encode } from '../test/machine/encode.js';

/** The report with the paths of its failures' pages. */
export type ReportWithPages = Omit<MachineReport, 'failures'> & {
  readonly failures: readonly (MachineReport['failures'][number] & { readonly page?: string })[];
  /** The parts that are not covered, if nothing else failed. */
  readonly page?: string;
};

/** Runs the command and returns its exit status. `word` is how the command line names the machine. */
export async function testMachine(
  found: FoundMachine,
  word: string,
  words: ValuesOf<'test'>,
  reporter: Reporter,
): Promise<number> {
  if (words.reasons !== undefined)
    throw new UsageError('--reasons is for protocols. Put the reasons of a machine into the module of --with.');
  if (words.swarm !== undefined || words.save !== undefined)
    throw new UsageError('--swarm and --save are for protocols. Every test of a machine includes random walks (limits.walks).');
  const seed = integerOption('seed', words.seed);
  const tests = {
    ...(await testsIn(words.with)),
    ...(seed !== undefined && { seed }),
    ...(words.pairs && { pairs: true }),
    ...(words.mode !== undefined && { mode: words.mode as Mode }),
  };
  if (words.replay !== undefined) return replay(found, tests, stepsIn(words.replay));
  const unhandledRejections = new UnhandledRejections();
  const testing = new MachineTesting(found.machine, tests, commandPatience);
  const others = words.counts === undefined ? [] : countsIn(words.counts);
  const progress = new ProgressLine();
  const report = await reportOnMachine(testing, {
    others,
    mutants: words.mutants ?? false,
    onProgress: (what) => progress.show(`${found.machine.id}: ${what}`),
    unhandledRejections: () => unhandledRejections.end(),
  });
  progress.done();
  if (words.emit !== undefined)
    write(words.emit, emitMachineTests(found.machine.id, await testing.plans('tour'), importing(found, words)));
  const own = await testing.counts();
  const counts = mergeCounts(own, ...others);
  if (words.trace !== undefined) await writeTrace(words.trace, await toursOf(testing, counts));
  if (words.counts !== undefined) write(words.counts, `${JSON.stringify([...others, own])}\n`);
  if (words.lcov !== undefined) await writeLcov(words.lcov, testing, counts);
  const withLinks = words.trace === undefined ? await withPages(testing, counts, report) : report;
  if (reporter === 'json') console.log(JSON.stringify(withLinks));
  else if (reporter === 'junit') console.log((await import('./junit.js')).machineJunit(withLinks));
  else printMachineReport(withLinks, relative('.', found.path), waysBack(word, words));
  return EXITS[report.verdict];
}

const EXITS: Readonly<Record<MachineReport['verdict'], number>> = { valid: 0, invalid: 1, unknown: 2 };

/** How the steps of a failure are taken again, and seen. */
const waysBack =
  (word: string, { with: samples, seed, mode, trace }: ValuesOf<'test'>) =>
  ({ steps, page }: ReportWithPages['failures'][number]): readonly string[] => {
    const options = { with: samples, seed, mode };
    const given = Object.entries(options)
      .flatMap(([name, value]) => (value === undefined ? [] : [` --${name} ${value}`]))
      .join('');
    const quoted = JSON.stringify(steps).replaceAll("'", String.raw`'\''`);
    const seen = trace !== undefined ? `npx quiver explore ${trace}` : (page ?? '--trace FILE, then npx quiver explore FILE');
    return [`again: npx quiver test ${word}${given} --replay '${quoted}'`, `see it: ${seen}`];
  };

function stepsIn(text: string): readonly MachineStep[] {
  try {
    const steps: unknown = JSON.parse(text);
    if (Array.isArray(steps) && steps.every(isObject)) return steps as unknown as MachineStep[];
  } catch {
    // Reported below.
  }
  throw new UsageError(`--replay is ${text.slice(0, 40)}. Pass the steps of a failure as the command printed them.`);
}

async function replay({ machine }: FoundMachine, tests: MachineTests, steps: readonly MachineStep[]): Promise<number> {
  const failures = await failuresAlong(machine, tests, steps, commandPatience);
  for (const [i, step] of steps.entries()) console.log(`  ${i + 1}. ${describeStep(step)}`);
  for (const { rule, description, steps: way } of failures) {
    console.log(`\n${bold(rule)}: ${description}`);
    if (way.length < steps.length) console.log(dim(`  after step ${way.length}`));
  }
  console.log(`\n${verdictInColor(failures.length > 0 ? 'invalid' : 'valid')}`);
  return failures.length > 0 ? 1 : 0;
}

function write(path: string, text: string): void {
  const file = new OutputFile(path);
  file.text(text);
  file.keep();
}

/** The counts of earlier runs; empty if the file does not exist yet. */
function countsIn(path: string): readonly MachineCounts[] {
  if (!existsSync(path)) return [];
  try {
    const counts: unknown = JSON.parse(readFileSync(path, 'utf8'));
    if (Array.isArray(counts)) return counts;
  } catch {
    // Reported below.
  }
  throw new UsageError(`${path} contains no counts of earlier runs. Choose another file for --counts, or delete it.`);
}

function importing({ path, name }: FoundMachine, words: ValuesOf<'test'>): string {
  const tests =
    words.with === undefined
      ? 'const tests = {};'
      : `import tests from ${JSON.stringify(relativeModule(words.emit!, resolve(words.with)))};`;
  const machine = name === 'default' ? 'machine' : `{ ${name} as machine }`;
  return `import ${machine} from ${JSON.stringify(relativeModule(words.emit!, path))};\n${tests}`;
}

/** The tours and what they cover, or only the path to a failure. */
async function toursOf(testing: MachineTesting, counts: MachineCounts): Promise<Iterable<TraceHeader | TraceLine>> {
  const { traceOfPaths } = await import('../inspector/path-trace.js');
  const failure = [...(await testing.searchFailures()), ...(await testing.temporalFailures())][0];
  const { of, paths, coverage, broken } = await shownOf(testing, counts, failure);
  return traceOfPaths(of, paths, coverage, broken);
}

/** The report with a page for each failure, or for what is not covered, where pages can be written. */
async function withPages(testing: MachineTesting, counts: MachineCounts, report: MachineReport): Promise<ReportWithPages> {
  const pageOf = (what: string, failure?: Failure) =>
    pageOfPaths(`${report.machine} ${what}`, () => shownOf(testing, counts, failure));
  const failures = [];
  for (const failure of report.failures) {
    const page = failure.isUnhandled ? null : await pageOf(failure.rule, failure);
    failures.push({ ...failure, ...(page !== null && { page }) });
  }
  const page = failures.length > 0 || report.coverage.isComplete ? null : await pageOf('coverage');
  return { ...report, failures, ...(page !== null && { page }) };
}

/** Writes one record for each chart, with its listing. */
async function writeLcov(folder: string, testing: MachineTesting, counts: MachineCounts): Promise<void> {
  try {
    mkdirSync(folder, { recursive: true });
  } catch (error) {
    throw new UsageError(`Cannot create the folder ${folder} (${thrownText(error)}). Choose another one for --lcov.`);
  }
  const records = [...(await testing.subject()).originals].map(([name, machine]) => {
    const chart = join(folder, `${name.replaceAll(/[^\w-]+/g, '-')}.chart.txt`);
    write(chart, chartListing(machine));
    return lcovOf(machine, counts[name]!, chart);
  });
  write(join(folder, 'lcov.info'), records.join(''));
}

/** How long one thing that runs for real may take. */
const WAIT_MS = 10_000;

const commandPatience = patienceOf(WAIT_MS);

/** Collects rejections and errors that no path of a test has caused, from its creation on. */
class UnhandledRejections {
  private readonly thrown: unknown[] = [];
  private readonly receive = (thrown: unknown): void => void this.thrown.push(thrown);

  constructor() {
    process.on('unhandledRejection', this.receive).on('uncaughtException', this.receive);
  }

  /** The errors so far, each once. Later errors end the process as usual. */
  async end(): Promise<readonly Failure[]> {
    // Node reports a rejection when the queue of promises is empty.
    for (let turn = 0; turn < 2; turn++) await new Promise((resume) => setImmediate(resume));
    process.off('unhandledRejection', this.receive).off('uncaughtException', this.receive);
    const texts = new Set(this.thrown.map((thrown) => encode(thrown, () => undefined)));
    return [...texts].map((what) => ({
      rule: `no unhandled error (${what})`,
      description: `While the tests ran, an action or a live service threw ${what} or rejected a promise with it, and no code caught it. Catch the error there, or turn the action into a service with onError.`,
      steps: [],
      isUnhandled: true,
    }));
  }
}
