/** `quiver run`: simulates scenarios and prints a report of each. */
import { setImmediate } from 'node:timers/promises';
import type { HostKind } from '../../network/world/hosts.js';
import type { Violation } from '../../network/monitor.js';
import { Recorder, traceHeader } from '../../network/recorder.js';
import type { Report, Verdict } from '../../network/report.js';
import { Simulation, type SimulationOptions } from '../../network/simulation.js';
import { integerOption, exitStatusOf, USAGE } from '../usage.js';
import type { VerbWork } from '../verbs.js';
import { ProgressLine } from '../progress.js';
import { RunBounds } from '../run-bounds.js';
import type { Meter } from '../../machines/protocol.js';
import { broughtBy } from '../protocols.js';
import { bold, counted, dim, number, property, verdictInColor } from '../style.js';
import { readScenarios, type Source } from '../scenarios.js';
import { TraceFile } from '../trace-file.js';
import { UsageError } from '../../machines/errors.js';

/** Milliseconds between two updates of the terminal and checks for Ctrl-C. */
const SLICE_MS = 50;

const command: VerbWork<'run'> = async (values, words) => {
  const host = hostOf(values.host);
  const stop = integerOption('stop', values.stop, 0);
  if (stop !== undefined && values.trace !== undefined) {
    throw new UsageError(
      '--stop and --trace cannot be combined: the trace would end where a replay continues. Omit one of them.',
    );
  }
  if (stop !== undefined && values['no-watch']) {
    throw new UsageError(
      '--stop and --no-watch cannot be combined: --stop waits for a violation, and --no-watch does not check properties. Omit one of them.',
    );
  }
  const verdicts: Verdict[] = [];
  let refused = false;
  for await (const item of readScenarios(words, integerOption('seed', values.seed))) {
    const done = 'error' in item ? item : await simulate(item, { host, watch: !values['no-watch'], stop }, values.trace);
    if ('error' in done) {
      refused = true;
      if (values.json) console.log(JSON.stringify({ error: done.error.message }));
      console.error(`quiver: ${done.error.message}`);
      continue;
    }
    verdicts.push(done.report.verdict);
    if (values.json) console.log(JSON.stringify(done.report));
    else printReport(item as Source, done.report, done.violations);
  }
  return refused ? USAGE : exitStatusOf(verdicts);
};

function hostOf(text: string | undefined): HostKind {
  if (text === undefined || text === 'actors' || text === 'snapshots') return text ?? 'actors';
  throw new UsageError(`--host is "${text}". Choose actors (live XState actors) or snapshots.`);
}

interface Done {
  readonly report: Report;
  readonly violations: readonly Violation[];
}

/**
 * Runs a scenario to its end. An invalid scenario that is detected during the run (a port in use) is reported like any other
 * error.
 */
async function simulate(
  { where, json, scenario }: Source,
  { stop, ...options }: SimulationOptions & { readonly watch: boolean; readonly stop: number | undefined },
  tracePath: string | undefined,
): Promise<Done | { error: UsageError }> {
  const simulation = new Simulation(scenario, options);
  const violations: Violation[] = [];
  simulation.monitor.violations$.subscribe((violation) => violations.push(violation));
  const trace = tracePath === undefined ? null : await TraceFile.open(tracePath);
  const recorder = trace && new Recorder(simulation.network, scenario.protocol, simulation.monitor);
  try {
    trace?.line(traceHeader(scenario.protocol, json, scenario.seed, simulation.network));
    recorder?.lines$.subscribe((line) => trace?.line(line));
    const ended = await runInSlices(simulation, where, stop, violations);
    // The properties were not checked.
    const report: Report = options.watch || ended.verdict !== 'valid' ? ended : { ...ended, verdict: 'unknown' };
    recorder?.conclude(report);
    trace?.keep();
    return { report, violations };
  } catch (error) {
    trace?.discard();
    if (!(error instanceof UsageError)) throw error;
    return { error: new UsageError(`${where}: ${error.message}`) };
  }
}

/**
 * Runs the scenario with pauses for the terminal and for Ctrl-C. With `stop`, the first violation is reported immediately, and the run ends
 * that many steps later.
 */
async function runInSlices(
  simulation: Simulation,
  where: string,
  stop: number | undefined,
  violations: readonly Violation[],
): Promise<Report> {
  const progress = new ProgressLine();
  const bounds = new RunBounds(simulation);
  simulation.start();
  let sliceEndMs = performance.now() + SLICE_MS;
  let last = Infinity;
  for (let steps = 1; simulation.advance(); steps++) {
    const [first] = violations;
    if (stop !== undefined && first && last === Infinity) {
      progress.done();
      console.error(`${where}: violated: ${first.property} at time ${first.at}`);
      last = steps + stop;
    }
    if (steps >= last) {
      simulation.stop();
      break;
    }
    if (bounds.reached !== null) {
      simulation.stop();
      break;
    }
    if (performance.now() < sliceEndMs) continue;
    progress.show(`${where}: ${steps.toLocaleString('en-US')} steps, time ${simulation.network.now}`);
    await setImmediate();
    sliceEndMs = performance.now() + SLICE_MS;
  }
  progress.done();
  if (bounds.reached !== null) console.error(`${where}: ${bounds.reached}`);
  return simulation.finish();
}

/** A report for people: verdict first, then what was checked, measured and found; a failure with the line that reproduces it. */
function printReport({ where, scenario }: Source, report: Report, violations: readonly Violation[]): void {
  const { messages, meters, properties, summary } = report;
  const nodes = scenario.graph.topology.nodes.length;
  const byType = Object.entries(messages.byType).map(([type, count]) => `${number(count)} ${type}`);
  console.log(
    `${verdictInColor(report.verdict)}  ${bold(where)}  ${dim(`${scenario.protocol.name}, ${counted(nodes, 'node')}, seed ${report.seed}, until ${number(report.at)}`)}`,
  );
  console.log(`  messages    ${number(messages.total)}${byType.length > 0 ? ` (${byType.join(', ')})` : ''}`);
  console.log(`  properties  ${properties.length > 0 ? properties.map(property).join('  ') : dim('not looked at')}`);
  for (const meter of meters) console.log(`  ${meter.name.padEnd(11)} ${describeMeter(meter)}`);
  for (const [key, value] of Object.entries(summary)) console.log(`  ${dim(key.padEnd(11))} ${dim(clip(JSON.stringify(value)))}`);
  const words = [where, ...broughtBy(scenario)].join(' ');
  for (const violation of violations) printViolation(violation, words, report.seed);
}

function describeMeter({ measured, bound, ratio }: Meter): string {
  if (bound === null) return `${number(measured)} (no bound known)`;
  return `${number(measured)} of at most ${number(bound)}${ratio === null ? '' : ` (${number(ratio)})`}`;
}

function printViolation({ property: name, description, index, at, nodes = [] }: Violation, words: string, seed: number): void {
  const where = nodes.length > 0 ? ` at ${nodes.join(', ')}` : '';
  console.log(`  ${bold(`violated: ${name}${where}`)} after step ${index} at time ${at}, seed ${seed}`);
  console.log(`    ${description}`);
  console.log(`    see it: npx quiver run ${words} --seed ${seed} --trace failure.ndjson`);
}

const WIDTH_MAX = 120;
const clip = (text: string): string => (text.length > WIDTH_MAX ? `${text.slice(0, WIDTH_MAX)}…` : text);

export default command;
