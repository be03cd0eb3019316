/** A run as the lines of a trace: a scenario simulated, or a counterexample of the checker made again. */
import type { CounterexampleHeader } from '../inspector/hands.js';
import { Recorder, traceHeader } from '../network/recorder.js';
import type { Report } from '../network/report.js';
import { Simulation, type SimulationOptions } from '../network/simulation.js';
import type { Refuted, TraceHeader, TraceLine } from '../network/trace.js';
import type { Scenario } from '../network/scenario/types.js';
import { nearestGoodRun } from '../test/explore/good-run.js';

/** The header and then every line, made as they are asked for; the report at the end. */
export function* recordRun(
  scenario: Scenario,
  json: unknown,
  options: SimulationOptions = {},
): Generator<TraceHeader | TraceLine, Report> {
  const simulation = new Simulation(scenario, options);
  yield traceHeader(scenario.protocol, json, scenario.seed, simulation.network, options);
  let lines: TraceLine[] = [];
  const recorder = new Recorder(simulation.network, scenario.protocol, simulation.monitor);
  recorder.lines$.subscribe((line) => lines.push(line));
  const take = () => {
    const taken = lines;
    lines = [];
    return taken;
  };
  const { choices = [], refutes } = options;
  const sayEndless = () => {
    if (refutes?.loop !== simulation.choicesMade || simulation.choicesMade > choices.length) return;
    recorder.endless(refutes.loop < choices.length ? 'what follows comes again and again for ever' : 'nothing more happens');
  };
  simulation.start();
  sayEndless();
  yield* take();
  while (simulation.advance()) {
    sayEndless();
    yield* take();
  }
  const report = simulation.finish();
  recorder.conclude(report);
  yield* take();
  return report;
}

/** A counterexample of the checker: the scenario without its workload, whose commands are among the choices. */
export function recordCounterexample(
  { workload: _, ...scenario }: Scenario,
  json: unknown,
  { choices, start, property, nodes, loop }: Refuted & Pick<TraceHeader, 'start'> & Required<Pick<TraceHeader, 'choices'>>,
): Generator<TraceHeader | TraceLine> {
  const { workload: __, ...given } = json as Record<string, unknown>;
  const refutes = { property, ...(nodes && { nodes }), ...(loop !== undefined && { loop }) };
  return recordRun(scenario, given, { choices, refutes, ...(start ? { start } : {}) });
}

/**
 * The nearest good run to a counterexample, `null` where none is found. It has no verdict: such a trace ends with one only where time has passed.
 */
export function recordNearest(
  scenario: Scenario,
  { scenario: json, choices, start }: CounterexampleHeader,
): (TraceHeader | TraceLine)[] | null {
  const good = nearestGoodRun(scenario, { choices, ...(start && { start }) });
  if (!good) return null;
  const lines = [...recordRun(scenario, json, { choices: good.choices, ...(start && { start }) })];
  return lines.filter((line) => !('kind' in line && line.kind === 'verdict'));
}

/** The options of a simulation that a trace's header asks for. */
export const optionsOf = ({ choices, refutes, start }: TraceHeader): SimulationOptions => ({
  ...(choices ? { choices } : {}),
  ...(refutes ? { refutes } : {}),
  ...(start ? { start } : {}),
});
