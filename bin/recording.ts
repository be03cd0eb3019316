/** Converts results of the checker to traces: a counterexample, the nearest run without the violation, and a branch that a viewer makes. */
import type { CounterexampleHeader, SentCommand } from '../inspector/gestures.js';
import { recordRun } from '../network/record-run.js';
import type { SimulationOptions } from '../network/simulation.js';
import type { Refuted, TraceHeader, TraceLine } from '../network/trace.js';
import type { Scenario } from '../network/scenario/types.js';
import { branchOff } from '../test/explore/branch.js';
import { nearestGoodRun } from '../test/explore/good-run.js';
import { fieldsOf } from '../machines/checks.js';

/** A counterexample of the checker: the scenario without its workload, whose commands are among the choices. */
export function recordCounterexample(
  { workload: _, ...scenario }: Scenario,
  json: unknown,
  { choices, start, property, nodes, loop }: Refuted & Pick<TraceHeader, 'start'> & Required<Pick<TraceHeader, 'choices'>>,
): Generator<TraceHeader | TraceLine> {
  const { workload: __, ...given } = fieldsOf(json);
  const refutes = { property, ...(nodes && { nodes }), ...(loop !== undefined && { loop }) };
  return recordRun(scenario, given, { choices, refutes, ...(start ? { start } : {}) });
}

/** The nearest good run to a counterexample, or `null` if none is found. Its trace has no verdict, because no time passes in it. */
export function recordNearest(
  scenario: Scenario,
  { scenario: json, choices, start }: CounterexampleHeader,
): (TraceHeader | TraceLine)[] | null {
  const good = nearestGoodRun(scenario, { choices, ...(start && { start }) });
  if (!good) return null;
  const lines = [...recordRun(scenario, json, { choices: good.choices, ...(start && { start }) })];
  return lines.filter((line) => !('kind' in line && line.kind === 'verdict'));
}

/** The trace of a counterexample after a viewer has added commands. */
export const recordBranch = (
  scenario: Scenario,
  { scenario: json, choices, start }: CounterexampleHeader,
  commands: readonly SentCommand[],
): Iterable<TraceHeader | TraceLine> =>
  recordRun(scenario, json, {
    choices: branchOff(scenario, { choices, ...(start && { start }) }, commands),
    ...(start && { start }),
  });

/** The options of a simulation according to a trace's header. */
export const optionsOf = ({ choices, refutes, start }: TraceHeader): SimulationOptions => ({
  ...(choices ? { choices } : {}),
  ...(refutes ? { refutes } : {}),
  ...(start ? { start } : {}),
});
