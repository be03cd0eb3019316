/**
 * What must hold of the way a machine goes, and not of one state: decided on all states and steps that the search has found.
 *
 * `eventually` asks what the machine does when nobody touches it: its timers go off and its services come to something, and on every such
 * way, in any order, the state must be reached. A machine that can only wait for an event has come to rest.
 */
import type { AnyMachineSnapshot } from 'xstate';
import type { Failure, MachineGraph, MachineVertex } from './graph.js';
import type { Step } from './options.js';
import { isFromOutside } from './steps.js';

type Predicate = (snapshot: AnyMachineSnapshot) => boolean;

/**
 * A property of the ways that a machine can go.
 *
 * - `always`, `never`: of every state.
 * - `sometimes`: of one state at least.
 * - `when`, `eventually`, `within`: from such a state, without events from outside, such a state is reached, in so many steps at most.
 * - `when`, `holds`, `until`: from such a state on it holds, whatever happens, until such a state is reached.
 *
 * @public
 */
export type Temporal =
  | { readonly always: Predicate }
  | { readonly never: Predicate }
  | { readonly sometimes: Predicate }
  | { readonly when: Predicate; readonly eventually: Predicate; readonly within?: number }
  | { readonly when: Predicate; readonly holds: Predicate; readonly until: Predicate };

/** What the predicates of a property say of one state. */
export type Marks = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

export function marksOf(temporal: Readonly<Record<string, Temporal>> | undefined, snapshot: AnyMachineSnapshot): Marks {
  const of = (property: Temporal) =>
    Object.fromEntries(
      Object.entries(property).flatMap(([key, one]) => (typeof one === 'function' ? [[key, one(snapshot)]] : [])),
    );
  return Object.fromEntries(Object.entries(temporal ?? {}).map(([name, property]) => [name, of(property)]));
}

/** The first way on which each property is broken. */
export function temporalFailures(
  graph: MachineGraph,
  temporal: Readonly<Record<string, Temporal>> | undefined,
): readonly Failure[] {
  return Object.entries(temporal ?? {}).flatMap(([rule, property]) => {
    const marks = (vertex: MachineVertex) => vertex.marks[rule]!;
    const found = failureOf(graph, property, marks);
    return found ? [{ rule, ...found }] : [];
  });
}

type MarksAt = (vertex: MachineVertex) => Readonly<Record<string, boolean>>;
type Found = Omit<Failure, 'rule'> | null;

function failureOf({ vertices, isComplete }: MachineGraph, property: Temporal, marks: MarksAt): Found {
  const first = (key: string, value: boolean): Found => {
    const found = vertices.find((vertex) => marks(vertex)[key] === value);
    return found ? { steps: found.way, says: `does not hold in ${JSON.stringify(found.value)}` } : null;
  };
  if ('always' in property) return first('always', false);
  if ('never' in property) return first('never', true);
  if ('sometimes' in property) {
    if (vertices.some((vertex) => marks(vertex)['sometimes'])) return null;
    return { steps: [], says: `no state of ${vertices.length}${isComplete ? '' : ' (not all were searched)'} is such a one` };
  }
  const starts = vertices.filter((vertex) => marks(vertex)['when']);
  const check = 'eventually' in property ? stays(marks, property.within ?? Infinity) : breaks(marks);
  for (const start of starts) {
    const found = check(start);
    if (found) return found;
  }
  return null;
}

/** A way from here that does not reach the state: it ends before, goes in a circle, or takes too long. */
function stays(marks: MarksAt, within: number): (start: MachineVertex) => Found {
  const clean = new Set<MachineVertex>();
  const visit = (vertex: MachineVertex, way: readonly Step[], on: readonly MachineVertex[]): Found => {
    if (marks(vertex)['eventually'] || vertex.edges === null || (within === Infinity && clean.has(vertex))) return null;
    const here = JSON.stringify(vertex.value);
    if (on.includes(vertex)) return { steps: way, says: `can go round through ${here} for ever` };
    if (on.length >= within) return { steps: way, says: `is not reached within ${within} steps, but is in ${here}` };
    const moves = [...vertex.edges.values()].filter(({ step }) => !isFromOutside(step));
    if (moves.length === 0) return { steps: way, says: `comes to rest in ${here}` };
    for (const { step, to } of moves) {
      const found = visit(to, [...way, step], [...on, vertex]);
      if (found) return found;
    }
    clean.add(vertex);
    return null;
  };
  return (start) => visit(start, start.way, []);
}

/** A way from here to a state in which it does not hold although the end has not come. */
function breaks(marks: MarksAt): (start: MachineVertex) => Found {
  return (start) => {
    const cameBy = new Map<MachineVertex, readonly Step[]>([[start, start.way]]);
    for (const [vertex, steps] of cameBy) {
      const { until, holds } = marks(vertex);
      if (until) continue;
      if (!holds)
        return { steps, says: `does not hold in ${JSON.stringify(vertex.value)}, and what it is to last until has not come` };
      for (const { step, to } of vertex.edges?.values() ?? []) if (!cameBy.has(to)) cameBy.set(to, [...steps, step]);
    }
    return null;
  };
}
