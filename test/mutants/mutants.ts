/**
 * Mutants: charts with one mistake, made to see whether the tests would notice.
 *
 * A mutant is killed by the paths when a step of the recorded graph gives another state or other effects than the chart itself, which
 * is when some path through that graph fails on it; tours are tried first, for they are short. One that does all recorded steps alike
 * goes on to the checker, on small systems: another verdict, or other numbers of states and transitions, kill it there. What
 * survives is shown as a diff; a protocol's `reasons` may say why it is no mistake at all.
 */
import type { AnyStateMachine } from 'xstate';
import type { Protocol } from '../../machines/protocol.js';
import { createHost } from '../../network/hosts.js';
import { begin, restore, step, type Stepped } from '../../network/kernel.js';
import { chartOf, configOf } from '../charts/config.js';
import { explained } from '../coverage/report.js';
import type { ChartGraph } from '../paths/graph.js';
import { pathsOf, type Expected, type Path } from '../paths/paths.js';
import { sameAs, walk } from '../paths/walk.js';
import { editsOf, type Operator } from './operators.js';
import { diff, linesOf } from './render.js';
import { outcomeOn, smallSystems, type Outcome, type System } from './systems.js';

export interface Mutant {
  readonly chart: string;
  readonly operator: Operator;
  readonly place: string;
  readonly machine: AnyStateMachine;
  readonly diff: readonly string[];
}

export interface Judged extends Mutant {
  readonly killedBy: 'paths' | 'checker' | null;
  /** For a survivor: why it does the same as the chart, as the protocol says. */
  readonly reason?: string;
}

/** A mutant may go round in circles within one step; no chart of sense takes as many microsteps. */
const MICROSTEPS_MAX = 1000;

export function mutantsOf(protocol: Protocol): readonly Mutant[] {
  return Object.entries(protocol.charts).flatMap(([chart, machine]) => {
    const original = configOf(machine);
    const before = linesOf(original);
    return editsOf(machine, original).map(({ operator, place, apply }) => {
      const config = configOf(machine);
      apply(config);
      const edited = chartOf({ ...config, options: { maxIterations: MICROSTEPS_MAX } }, machine);
      return { chart, operator, place, machine: edited, diff: diff(before, linesOf(config)) };
    });
  });
}

export const nameOf = ({ operator, place }: Mutant): string => `${operator} ${place}`;

/** Judges all mutants of a protocol, one after the other. */
export function* judgeMutants(protocol: Protocol, graphs: readonly ChartGraph[]): Generator<Judged> {
  const tours = graphs.map((graph) => ({ graph, paths: pathsOf(graph, 'tour') }));
  const systems = smallSystems(protocol).map((system) => ({ system, expected: outcomeOn(protocol, system) }));
  for (const mutant of mutantsOf(protocol)) {
    const own = tours.filter(({ graph }) => graph.chart === mutant.chart);
    const killedBy = isKilledByPaths(mutant, own) ? 'paths' : isKilledByChecker(protocol, mutant, systems) ? 'checker' : null;
    const reason = explained(protocol, mutant.chart, nameOf(mutant));
    yield { ...mutant, killedBy, ...(reason !== undefined && { reason }) };
  }
}

function isKilledByPaths({ chart, machine }: Mutant, own: readonly { graph: ChartGraph; paths: readonly Path[] }[]): boolean {
  const host = createHost('snapshots', { [chart]: machine });
  return (
    own.some(({ paths }) => paths.some((path) => walk(path, host) !== null)) || own.some(({ graph }) => differs(graph, machine))
  );
}

/** Whether some step of the graph goes otherwise on the mutant. */
function differs({ input, first, effects, vertices }: ChartGraph, machine: AnyStateMachine): boolean {
  try {
    if (!sameAs({ ...first, effects }, seen(begin(machine, input)))) return true;
    return vertices.some(({ value, context, edges }) => {
      if (!edges) return false;
      const snapshot = restore(machine, value, context);
      return [...edges.values()].some(
        ({ event, effects, to }) => !sameAs({ ...to, effects }, seen(step(machine, snapshot, event))),
      );
    });
  } catch {
    // The chart itself took all these steps.
    return true;
  }
}

const seen = ({ snapshot, effects }: Stepped): Expected => ({ value: snapshot.value, context: snapshot.context, effects });

function isKilledByChecker(
  protocol: Protocol,
  { chart, machine }: Mutant,
  systems: readonly { readonly system: System; readonly expected: Outcome }[],
): boolean {
  const mutated = { ...protocol, charts: { ...protocol.charts, [chart]: machine } };
  return systems.some(({ system, expected }) => outcomeOn(mutated, system) !== expected);
}
