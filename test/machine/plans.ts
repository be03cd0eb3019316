/** The test paths through a machine's states as data: each step, and the state to expect after it. */
import { waysOf } from '../paths/paths.js';
import type { MachineEdge, MachineGraph, MachineVertex } from './graph.js';
import type { MachineStep } from './options.js';
import type { Plan } from './run.js';
import type { Subject } from './subject.js';

export const planKinds = ['shortest', 'tour', 'simple', 'pairs'] as const;
export type PlanKind = (typeof planKinds)[number];

/**
 * Generates test paths: `shortest` reaches every state, `tour` covers all items, `simple` visits no state twice, and `pairs` takes each
 * transition after each possible previous one.
 */
export function plansOf(subject: Subject, graph: MachineGraph, kind: PlanKind): readonly Plan[] {
  const ways = kind === 'pairs' ? pairsOf(graph) : (waysOf(graph, kind) as readonly (readonly MachineEdge[])[]);
  const wanted = subject.tests.toState ? ways.filter((way) => way.at(-1)?.to.isTarget) : ways;
  return wanted.map((way) => planOf(subject, graph, way));
}

/** How many steps the paths of one kind take on live actors. */
const STEPS_MAX = 20_000;

/** As many of the plans as can be walked in reasonable time, evenly spread from the first to the last. */
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

const taken = ({ items }: MachineEdge): string =>
  [...items].filter((item) => (item as string).includes(': transition ')).join(' + ');

/** The edges of these steps, as far as the search has seen them. */
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
