/** The test paths through a machine's states: as data, as separate tests with short descriptions, and for the inspector. */
import { type PathKind, waysOf } from '../paths/paths.js';
import type { MachineEdge, MachineGraph, MachineVertex, Failure } from './graph.js';
import type { MachineStep } from './options.js';
import type { Plan } from './run.js';
import type { Subject } from './subject.js';
import type { StateValue } from 'xstate';
import { nameOfStep } from './steps.js';
import { coverageKinds, kindOf } from '../coverage/items.js';
import type { ShownPaths } from '../failure-page.js';
import type { MachineCounts } from './coverage.js';
import type { MachineTesting } from './testing.js';

export const planKinds = ['shortest', 'tour', 'simple', 'pairs'] as const;
export type PlanKind = (typeof planKinds)[number];

/** The paths of a kind. The edges of a machine's graph lead to its own vertices. */
const machineWays = (graph: MachineGraph, kind: PathKind) => waysOf(graph, kind) as readonly (readonly MachineEdge[])[];

/**
 * Generates test paths: `shortest` reaches every state, `tour` covers all items, `simple` visits no state twice, and `pairs` takes each
 * transition after each possible previous one.
 */
export function plansOf(subject: Subject, graph: MachineGraph, kind: PlanKind): readonly Plan[] {
  const ways = kind === 'pairs' ? pairsOf(graph) : machineWays(graph, kind);
  const wanted = subject.tests.toState ? ways.filter((way) => way.at(-1)?.to.isTarget) : ways;
  return wanted.map((way) => planOf(subject, graph, way));
}

/** How many steps the paths of one kind take on live actors. */
const STEPS_MAX = 20_000;

/** A selection of the paths that can be run in reasonable time, evenly spread over the list. */
export function spread(plans: readonly Plan[]): readonly Plan[] {
  const steps = plans.reduce((sum, plan) => sum + plan.steps.length, 0);
  const every = Math.ceil(steps / STEPS_MAX);
  return every <= 1 ? plans : plans.filter((_, i) => i % every === 0);
}

function planOf({ tests }: Subject, { first }: MachineGraph, way: readonly MachineEdge[]): Plan {
  const steps = way.map(({ step }) => step);
  // Parts that "distinguish" ignores may differ on another path to the same state.
  return tests.distinguish ? { steps } : { steps, expected: [first.view, ...way.map(({ view }) => view)] };
}

/** For each pair of steps that can follow each other and differ in the transitions that they take: the shortest way to the first, and both. */
function pairsOf({ first, vertices }: MachineGraph): readonly (readonly MachineEdge[])[] {
  const ways = new Map<MachineVertex, readonly MachineEdge[]>([[first, []]]);
  for (const [vertex, way] of ways)
    for (const edge of vertex.edges?.values() ?? []) if (!ways.has(edge.to)) ways.set(edge.to, [...way, edge]);
  const covered = new Set<string>();
  const pairs: (readonly MachineEdge[])[] = [];
  for (const vertex of vertices) {
    for (const before of vertex.edges?.values() ?? []) {
      for (const after of before.to.edges?.values() ?? []) {
        const pair = `${taken(before)} then ${taken(after)}`;
        if (covered.has(pair) || taken(before) === '' || taken(after) === '') continue;
        covered.add(pair);
        pairs.push([...ways.get(vertex)!, before, after]);
      }
    }
  }
  return pairs;
}

const taken = ({ items }: MachineEdge): string => [...items].filter((item) => item.includes(': transition ')).join(' + ');

/** The transitions of these steps, up to the first that the search has not visited. */
export function edgesAlong({ first }: MachineGraph, steps: readonly MachineStep[]): readonly MachineEdge[] {
  const edges: MachineEdge[] = [];
  let here: MachineVertex = first;
  for (const step of steps) {
    const edge = here.edges?.get(JSON.stringify(step));
    if (!edge) break;
    edges.push(edge);
    here = edge.to;
  }
  return edges;
}

/** A path as the inspector shows it, with the child machines that run. The search keeps contexts as text, and so they are shown. */
export function shownPath({ chart, first }: MachineGraph, edges: readonly MachineEdge[]) {
  const seen = ({ value, context, children }: MachineVertex) => ({
    value,
    context: { context },
    effects: [],
    children: Object.fromEntries(
      Object.entries(children).map(([name, child]) => [name, { ...child, context: { context: child.context } }]),
    ),
  });
  return { chart, first: seen(first), steps: edges.map(({ event, to }) => ({ event, expected: seen(to) })) };
}

/**
 * A path with a description and a test, to register with any runner.
 *
 * @public
 */
export interface MachinePath<Sut = any> extends Plan {
  /** The state in which the path ends, and its steps: `paid: CARD → PAY`. No two paths of one kind have the same. */
  readonly description: string;
  /**
   * Takes the path on live actors.
   *
   * @param sut The system under test, instead of a new one from `tests.sut`. `tests.cleanup` is not called for it.
   * @throws Error that describes the failure.
   */
  test(sut?: Sut): Promise<void>;
}

/** A longer path shows its first and last steps. */
const STEPS_SHOWN = 6;

export function descriptionsOf(plans: readonly Plan[]): readonly string[] {
  const counts = new Map<string, number>();
  return plans.map((plan) => {
    const description = descriptionOf(plan);
    const count = (counts.get(description) ?? 0) + 1;
    counts.set(description, count);
    return count === 1 ? description : `${description} (${count})`;
  });
}

function descriptionOf({ steps, expected }: Plan): string {
  const names = steps.map(nameOfStep);
  const left = names.length - STEPS_SHOWN;
  const shown = left > 1 ? [...names.slice(0, STEPS_SHOWN / 2), `${left} more`, ...names.slice(-STEPS_SHOWN / 2)] : names;
  const way = names.length === 0 ? 'at the start' : shown.join(' → ');
  const end = expected?.at(-1)?.value;
  return end === undefined ? way : `${stateOf(end)}: ${way}`;
}

/** `paying.card`; the regions of a parallel state are joined by `+`. */
const stateOf = (value: StateValue): string =>
  typeof value === 'string'
    ? value
    : Object.entries(value)
        .map(([name, inside]) => [name, stateOf(inside as StateValue)].filter((one) => one !== '').join('.'))
        .join(' + ');

/** Prepares a tested machine for the inspector: its test paths with their coverage, or the path to a failure. */
export async function shownOf(testing: MachineTesting, counts: MachineCounts, failure?: Failure): Promise<ShownPaths> {
  const graph = await testing.graph();
  const isPainted = ([item]: [string, number]) => coverageKinds.some((kind) => kind === kindOf(item));
  const painted = Object.entries(counts).map(([chart, items]) => [
    chart,
    Object.fromEntries(Object.entries(items).filter(isPainted)),
  ]);
  const ways = failure ? [edgesAlong(graph, failure.steps)] : machineWays(graph, 'tour');
  return {
    of: { name: testing.machine.id, charts: Object.fromEntries((await testing.subject()).originals) },
    paths: ways.map((way) => shownPath(graph, way)),
    coverage: Object.fromEntries(painted),
    ...(failure && { broken: { name: failure.rule, description: failure.description } }),
  };
}
