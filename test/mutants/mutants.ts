/**
 * Mutants: charts with one mistake, which show whether the tests would detect it.
 *
 * Judges check a mutant one after the other, the cheap ones first, until one kills it. The paths kill it if a step of the recorded graph
 * has another state or other effects than in the chart itself. Then some path through that graph fails; tours are tried first, because they
 * are short. The walks kill it if a walk through a whole system differs. The checker kills it with another verdict, or other numbers of
 * states and transitions, on one of the small systems. Callers can add judges, such as the swarm. A survivor is shown as a diff. A reason
 * can explain that it is equivalent.
 */
import type { AnyStateMachine } from 'xstate';
import type { Protocol } from '../../machines/protocol.js';
import { createHost } from '../../network/world/hosts.js';
import { begin, restore, macrostep, type Stepped } from '../../network/world/remembering.js';
import { checkScenario } from '../explore/scenario.js';
import { ownCharts, reasonKey, type Reasons } from '../coverage/report.js';
import type { ChartGraph } from '../paths/graph.js';
import { pathsOf, type Expected } from '../paths/paths.js';
import { sameAs, walk } from '../paths/walk.js';
import { commuting, mutantsOfChart, nameOf, type Mutant } from './chart-mutants.js';
import { onCharts, systemsOf, type System } from '../system/systems.js';
import { systemWalks } from '../system/tours.js';
import { recordWalk, walkAgain, type RecordedWalk } from '../system/walk.js';
import { requireProtocol } from '../../network/scenario/required.js';
import { thrownText } from '../../machines/errors.js';

/** Decides whether a mutant is killed, for the protocol with the mutant among its charts. */
export interface Judge {
  readonly name: string;
  kills(mutated: Protocol, mutant: Mutant): boolean;
}

export interface Judged extends Mutant {
  /** The name of the judge. */
  readonly killedBy: string | null;
  /** For a survivor: why it does the same as the chart, where a reason is given. */
  readonly reason?: string;
}

/**
 * All charts that differ from those of a protocol by one edit: a transition, a guard, an action or a state that is gone or another
 * one.
 */
export function mutantsOf(protocol: Protocol): readonly Mutant[] {
  requireProtocol('mutantsOf', protocol);
  // A chart without samples is another protocol's, and judged there.
  return ownCharts(protocol).flatMap((chart) => mutantsOfChart(chart, protocol.charts[chart]!));
}

export interface JudgeOptions {
  /**
   * The judges, in this order.
   *
   * @defaultValue the paths, the walks and the checker's counts
   */
  readonly judges?: readonly Judge[];
  /** Asked after them. */
  readonly others?: readonly Judge[];
  readonly reasons?: Reasons;
  /** The reason why a mutant is equivalent to the chart. A mutant with a reason is not judged. */
  readonly idle?: (mutant: Mutant) => string | undefined;
}

/**
 * Judges all mutants of a protocol, one after the other: first with the paths, then with the walks, the checker, and further judges. A
 * survivor has `killedBy: null`.
 *
 * @param protocol the protocol.
 * @param graphs The graphs of the protocol itself, from `graphsOf`.
 * @param options Further judges, and reasons why a survivor is equivalent.
 * @example
 * ```ts
 * import { directory } from 'xstate-quiver/machines';
 * import { graphsOf, judgeMutants } from 'xstate-quiver/check';
 *
 * const [first] = judgeMutants(directory, graphsOf(directory, 40));
 * console.log(first?.operator, first?.place, first?.killedBy);
 * ```
 * @public
 */
export function* judgeMutants(
  protocol: Protocol,
  graphs: readonly ChartGraph[],
  {
    judges = [pathJudge(graphs), walkJudge(protocol), checkerJudge(protocol)],
    others = [],
    reasons = {},
    idle = () => undefined,
  }: JudgeOptions = {},
): Generator<Judged> {
  const asked = [...judges, ...others];
  for (const mutant of mutantsOf(protocol)) {
    const { chart, machine } = mutant;
    const mutated = { ...protocol, charts: { ...protocol.charts, [chart]: machine } };
    const isIdle = idle(mutant);
    const killedBy = isIdle === undefined ? (asked.find((judge) => judge.kills(mutated, mutant))?.name ?? null) : null;
    const reason =
      isIdle ??
      reasons[reasonKey(chart, nameOf(mutant))] ??
      (killedBy === null ? (mutant.idle ?? commutes(mutant, graphs)) : undefined);
    yield { ...mutant, killedBy, ...(reason !== undefined && { reason }) };
  }
}

/** True if every step of the graphs is the same in the other order, for callers without the path judge. */
function commutes({ chart, swapped, machine }: Mutant, graphs: readonly ChartGraph[]): string | undefined {
  if (swapped === undefined) return undefined;
  const own = graphs.filter((graph) => graph.chart === chart);
  if (own.some((graph) => differs(graph, machine))) return undefined;
  const edges = own.flatMap(({ vertices }) => vertices.flatMap(({ edges }) => [...(edges?.values() ?? [])]));
  return commuting(edges.filter(({ items }) => items.has(`transition ${swapped}`)).length);
}

function pathJudge(graphs: readonly ChartGraph[]): Judge {
  const tours = graphs.map((graph) => ({ graph, paths: pathsOf(graph, 'tour') }));
  return {
    name: 'paths',
    kills: (_, { chart, machine }) => {
      const own = tours.filter(({ graph }) => graph.chart === chart);
      const host = createHost('snapshots', { charts: { [chart]: machine } });
      return (
        own.some(({ paths }) => paths.some((path) => walk(path, host) !== null)) ||
        own.some(({ graph }) => differs(graph, machine))
      );
    },
  };
}

function walkJudge(protocol: Protocol): Judge {
  let recorded: readonly RecordedWalk[] | undefined;
  return {
    name: 'walks',
    kills: (mutated) => {
      recorded ??= systemWalks(protocol).walks.map((walk) => recordWalk(walk, protocol));
      return recorded.some((walk) => walkAgain(walk, mutated, 'snapshots') !== null);
    },
  };
}

function checkerJudge(protocol: Protocol): Judge {
  const known = systemsOf(protocol).map((system) => ({ system, expected: undefined as SystemOutcome | undefined }));
  return {
    name: 'checker',
    kills: (mutated) =>
      known.some((one) => outcomeOn(one.system, mutated) !== (one.expected ??= outcomeOn(one.system, protocol))),
  };
}

/** True if some step of the graph goes otherwise on the mutant. */
function differs({ input, first, effects, vertices }: ChartGraph, machine: AnyStateMachine): boolean {
  try {
    if (!sameAs({ ...first, effects }, seen(begin(machine, input)))) return true;
    return vertices.some(({ value, context, edges }) => {
      if (!edges) return false;
      const snapshot = restore(machine, { value, context });
      return [...edges.values()].some(
        ({ event, effects, to }) => !sameAs({ ...to, effects }, seen(macrostep(machine, snapshot, event))),
      );
    });
  } catch {
    // The chart itself took all these steps.
    return true;
  }
}

const seen = ({ snapshot, effects }: Stepped): Expected => ({ value: snapshot.value, context: snapshot.context, effects });

/** The checker's result for a small system, as text to compare. */
type SystemOutcome = string;

/** Enough for two nodes of any of our protocols, and soon over. */
const STATES_MAX = 2000;

function outcomeOn(system: System, protocol: Protocol): SystemOutcome {
  try {
    const { verdict, states, transitions } = checkScenario(onCharts(system, protocol), { bounds: { states: STATES_MAX } });
    return `${verdict}, ${states} states, ${transitions} transitions`;
  } catch (error) {
    return thrownText(error);
  }
}
