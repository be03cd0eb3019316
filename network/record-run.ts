/** Runs a scenario and returns the lines of its trace. */
import { Recorder, traceHeader } from './recorder.js';
import type { Report } from './report.js';
import type { Scenario } from './scenario/types.js';
import { Simulation, type SimulationOptions } from './simulation.js';
import type { TraceHeader, TraceLine } from './trace.js';

/** Yields the header and then every line on demand; returns the report. */
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
  const writeEndless = () => {
    if (refutes?.loop !== simulation.choicesMade || simulation.choicesMade > choices.length) return;
    recorder.endless(refutes.loop < choices.length ? 'the following lines repeat forever' : 'nothing more happens');
  };
  simulation.start();
  writeEndless();
  yield* take();
  while (simulation.advance()) {
    writeEndless();
    yield* take();
  }
  const report = simulation.finish();
  recorder.conclude(report);
  yield* take();
  return report;
}
