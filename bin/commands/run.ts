/** `quiver run`: simulates scenarios and prints a report of each. */
import { setImmediate } from 'node:timers/promises';
import type { HostKind } from '../../network/hosts.js';
import type { Violation } from '../../network/monitor.js';
import { Recorder, traceHeader } from '../../network/recorder.js';
import type { Report, Verdict } from '../../network/report.js';
import { Simulation } from '../../network/simulation.js';
import { integerOption, parse, statusOf, USAGE, type Command } from '../command.js';
import { OutputFile } from '../output-file.js';
import { Progress } from '../progress.js';
import { printReport } from '../print-report.js';
import { readScenarios, type Source } from '../scenarios.js';
import { UsageError } from '../../machines/errors.js';

/** Between two looks at the terminal and at Ctrl-C. */
const SLICE_MS = 50;

export const command: Command = async (args) => {
  const { values, positionals } = parse(args, {
    json: { type: 'boolean' },
    trace: { type: 'string' },
    seed: { type: 'string' },
    host: { type: 'string' },
  });
  const host = hostOf(values.host);
  const verdicts: Verdict[] = [];
  let refused = false;
  for await (const item of readScenarios(positionals, integerOption('seed', values.seed))) {
    if ('error' in item) {
      refused = true;
      if (values.json) console.log(JSON.stringify({ error: item.error.message }));
      console.error(`quiver: ${item.error.message}`);
      continue;
    }
    const { report, violations } = await simulate(item, host, values.trace);
    verdicts.push(report.verdict);
    if (values.json) console.log(JSON.stringify(report));
    else printReport(item, report, violations);
  }
  return refused ? USAGE : statusOf(verdicts);
};

function hostOf(text: string | undefined): HostKind {
  if (text === undefined || text === 'actors' || text === 'snapshots') return text ?? 'actors';
  throw new UsageError(`--host is "${text}"; choose actors (live XState actors) or snapshots`);
}

async function simulate({ where, json, scenario }: Source, host: HostKind, tracePath: string | undefined) {
  const simulation = new Simulation(scenario, { host });
  const violations: Violation[] = [];
  simulation.monitor.violations$.subscribe((violation) => violations.push(violation));
  const trace = tracePath === undefined ? null : new OutputFile(tracePath);
  try {
    if (trace) {
      trace.line(traceHeader(scenario.protocol, json, scenario.seed, simulation.network));
      const recorder = new Recorder(simulation.network, scenario.protocol, simulation.monitor);
      recorder.lines$.subscribe((line) => trace.line(line));
    }
    const report = await runInSlices(simulation, where);
    trace?.keep();
    return { report, violations };
  } catch (error) {
    trace?.discard();
    throw error;
  }
}

/** The whole run, with room in between for the terminal and for Ctrl-C. */
async function runInSlices(simulation: Simulation, where: string): Promise<Report> {
  const progress = new Progress();
  simulation.start();
  let sliceEndMs = performance.now() + SLICE_MS;
  for (let steps = 1; simulation.advance(); steps++) {
    if (performance.now() < sliceEndMs) continue;
    progress.show(`${where}: ${steps.toLocaleString('en-US')} steps, time ${simulation.network.now}`);
    await setImmediate();
    sliceEndMs = performance.now() + SLICE_MS;
  }
  progress.done();
  return simulation.finish();
}
