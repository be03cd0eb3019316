/**
 * Properties of a machine's paths, decided on all states and steps that the search has found.
 *
 * `eventually` concerns the machine without external events: its timers fire and its services finish, in any order, and every such path
 * must reach the state. A machine that can only wait for an event is quiescent.
 */
import type { AnyMachineSnapshot } from 'xstate';
import { UsageError } from '../../machines/errors.js';
import { endless, movesOf, type Marks, type PathEdge, type PathState } from './endless.js';
import type { Failure } from './graph.js';
import type { MachineStep } from './options.js';
import { Rig } from './rig.js';
import { beyondAlong, firstBeyond } from './deadline.js';
import type { Subject } from './subject.js';

type Predicate = (snapshot: AnyMachineSnapshot) => boolean;

/** A limit in steps, or in milliseconds of virtual time. */
interface Bounds {
  readonly within?: number;
  readonly withinMs?: number;
}

/**
 * A property of a machine's paths.
 *
 * - `always`, `never`: true (or false) in every state, with `when` in every state from such a state on. `within` limits it to a number of
 *   steps, `withinMs` to milliseconds of virtual time, after `when` or the start.
 * - `sometimes`: true in at least one state.
 * - `when`, `eventually`: without external events, every path from a state with `when` reaches a state with `eventually`. An infinite loop
 *   violates it, unless a timer runs through all of the loop. `within` and `withinMs` limit the path. A service may take any time; only a
 *   timer of the machine limits the wait for it.
 * - `when`, `holds`, `until`: from a state with `when`, `holds` stays true until a state with `until`, whatever happens. `within` and
 *   `withinMs` limit the time until then without external events, as for `eventually`.
 *
 * A property has at most one of the two limits, which is inclusive.
 *
 * @public
 */
export type Temporal =
  | (Bounds & { readonly when?: Predicate; readonly always: Predicate })
  | (Bounds & { readonly when?: Predicate; readonly never: Predicate })
  | { readonly sometimes: Predicate }
  | (Bounds & { readonly when: Predicate; readonly eventually: Predicate })
  | (Bounds & { readonly when: Predicate; readonly holds: Predicate; readonly until: Predicate });

export function marksOf(temporal: Readonly<Record<string, Temporal>> | undefined, snapshot: AnyMachineSnapshot): Marks {
  const answer = (name: string, description: unknown): boolean => {
    if (!(description instanceof Promise)) return Boolean(description);
    description.catch(() => {});
    throw new UsageError(`temporal.${name} returns a promise. It must return true or false synchronously.`);
  };
  const of = (name: string, property: Temporal) =>
    Object.fromEntries(
      Object.entries(property).flatMap(([key, one]) => (typeof one === 'function' ? [[key, answer(name, one(snapshot))]] : [])),
    );
  return Object.fromEntries(Object.entries(temporal ?? {}).map(([name, property]) => [name, of(name, property)]));
}

/** For each violated property, the first path that violates it. */
export async function temporalFailures(subject: Subject, graph: PathGraph): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  for (const [rule, property] of Object.entries(subject.tests.temporal ?? {})) {
    const marks = (vertex: PathState) => vertex.marks[rule]!;
    const found =
      failureOf(graph, property, marks) ??
      (await firstBeyond(
        subject,
        startsOf(graph, property, marks).map(({ way }) => way),
        property,
      ));
    if (found) failures.push({ rule, ...found });
  }
  return failures;
}

interface PathGraph {
  readonly vertices: readonly PathState[];
  readonly isComplete: boolean;
}

type MarksAt = (vertex: PathState) => Readonly<Record<string, boolean>>;
export type Refutation = Omit<Failure, 'rule'> | null;

/** The states in which a property begins: those where `when` holds, or the start. */
function startsOf({ vertices }: PathGraph, property: Temporal, marks: MarksAt): readonly PathState[] {
  const isAlways = !('when' in property) || property.when === undefined;
  return isAlways ? vertices.slice(0, 1) : vertices.filter((vertex) => marks(vertex)['when']);
}

function failureOf(graph: PathGraph, property: Temporal, marks: MarksAt): Refutation {
  const { vertices, isComplete } = graph;
  if ('sometimes' in property) {
    if (vertices.some((vertex) => marks(vertex)['sometimes'])) return null;
    const description = `no state of ${vertices.length}${isComplete ? '' : ' (not all were searched)'} is such a one`;
    return { steps: [], description, ...(!isComplete && { isOpen: true }) };
  }
  const { within, withinMs } = property;
  const starts = startsOf(graph, property, marks);
  if (starts.length === 0)
    return {
      steps: [],
      description: `\`when\` holds in no state of ${vertices.length}${isComplete ? '' : ' (not all were searched)'}: nothing is asked`,
      ...(!isComplete && { isOpen: true }),
    };
  const each = (check: (start: PathState) => Refutation): Refutation => {
    for (const start of starts) {
      const found = check(start);
      if (found) return found;
    }
    return null;
  };
  if ('always' in property || 'never' in property) {
    if (within === undefined && withinMs !== undefined) return null;
    const isBad = (vertex: PathState) => marks(vertex)['always'] === false || marks(vertex)['never'] === true;
    return each((start) => reaches(start, isBad, () => false, within));
  }
  const broken = 'until' in property ? each(breaks(marks)) : null;
  const goal = (vertex: PathState) => marks(vertex)['eventually'] ?? marks(vertex)['until'] ?? false;
  if (broken || within !== undefined) return broken ?? each(takesLonger(goal, within!));
  // With `withinMs`, a loop that takes no time does not violate the property.
  return 'eventually' in property && withinMs === undefined ? neverComes(starts, marks) : null;
}

/** A path from one of these states that does not reach the target: it becomes quiescent before, or loops forever. */
function neverComes(starts: readonly PathState[], marks: MarksAt): Refutation {
  const isBefore = (vertex: PathState) => vertex.edges !== null && !marks(vertex)['eventually'];
  const ways = new Map(starts.filter(isBefore).map((start) => [start, start.way] as const));
  for (const [vertex, way] of ways) {
    const moves = movesOf(vertex);
    if (moves.length === 0) return { steps: way, description: `comes to rest in ${JSON.stringify(vertex.value)}` };
    for (const { edge } of moves) if (isBefore(edge.to) && !ways.has(edge.to)) ways.set(edge.to, [...way, edge.step]);
  }
  const round = endless(new Set(ways.keys()));
  if (!round) return null;
  return {
    steps: [...ways.get(round.at)!, ...round.steps],
    description: `can loop forever through ${JSON.stringify(round.at.value)}`,
  };
}

/** A path from here that does not reach the state within this number of steps. */
function takesLonger(isGoal: (vertex: PathState) => boolean, within: number): (start: PathState) => Refutation {
  const visit = (vertex: PathState, way: readonly MachineStep[], taken: number): Refutation => {
    if (isGoal(vertex) || vertex.edges === null) return null;
    const here = JSON.stringify(vertex.value);
    if (taken >= within)
      return { steps: way, description: `is not reached within ${within} ${within === 1 ? 'step' : 'steps'}, but is in ${here}` };
    const moves = movesOf(vertex);
    if (moves.length === 0) return { steps: way, description: `comes to rest in ${here}` };
    for (const { edge } of moves) {
      const found = visit(edge.to, [...way, edge.step], taken + 1);
      if (found) return found;
    }
    return null;
  };
  return (start) => visit(start, start.way, 0);
}

/** A shortest path from here to a bad state, with at most this number of steps, without passing the end of the question. */
function reaches(
  start: PathState,
  isBad: (vertex: PathState) => boolean,
  isOver: (vertex: PathState) => boolean,
  within = Infinity,
): Refutation {
  const cameBy = new Map<PathState, readonly MachineStep[]>([[start, []]]);
  for (const [vertex, steps] of cameBy) {
    if (isOver(vertex)) continue;
    if (isBad(vertex))
      return { steps: [...start.way, ...steps], description: `does not hold in ${JSON.stringify(vertex.value)}` };
    if (steps.length >= within) continue;
    for (const { step, to } of vertex.edges?.values() ?? []) if (!cameBy.has(to)) cameBy.set(to, [...steps, step]);
  }
  return null;
}

/** A way from here to a state in which it does not hold although the end has not come. */
const breaks =
  (marks: MarksAt) =>
  (start: PathState): Refutation => {
    const found = reaches(
      start,
      (vertex) => marks(vertex)['holds'] === false,
      (vertex) => marks(vertex)['until'] === true,
    );
    return found && { ...found, description: `${found.description}, and what it is to last until has not come` };
  };

/** The properties that this path violates. */
export async function temporalFailuresAlong(subject: Subject, steps: readonly MachineStep[]): Promise<readonly Failure[]> {
  const graph = await graphAlong(subject, steps);
  const failures: Failure[] = [];
  for (const [rule, property] of Object.entries(subject.tests.temporal ?? {})) {
    if ('sometimes' in property) continue;
    const found = failureOf(graph, property, (vertex) => vertex.marks[rule]!) ?? (await beyondAlong(subject, steps, property));
    if (found) failures.push({ rule, ...found });
  }
  return failures;
}

/** The graph of a search that has taken only this path. */
async function graphAlong(subject: Subject, steps: readonly MachineStep[]): Promise<PathGraph> {
  const rig = new Rig(subject, { performs: false });
  const known = new Map<string, Along>();
  const { temporal = {} } = subject.tests;
  const marks = Object.fromEntries(Object.keys(temporal).map((rule) => [rule, {}]));
  const unknown: PathState = { way: [], value: {}, edges: null, marks };
  const arrive = (way: readonly MachineStep[]): Along => {
    const key = rig.key();
    const edges = new Map(
      rig.choices().map((step): [string, PathEdge] => [JSON.stringify(step), { step, to: unknown, keeps: [] }]),
    );
    const { value } = rig.snapshot;
    const vertex = { way, value, edges, marks: rig.ask('temporal', () => marksOf(temporal, rig.snapshot)) };
    if (!known.has(key)) known.set(key, vertex);
    return known.get(key)!;
  };
  let here = arrive([]);
  for (const [i, step] of steps.entries()) {
    await rig.take(step);
    const to = arrive(steps.slice(0, i + 1));
    here.edges.set(JSON.stringify(step), { step, to, keeps: rig.keeps });
    here = to;
  }
  return { vertices: [...known.values()], isComplete: false };
}

interface Along extends PathState {
  readonly edges: Map<string, PathEdge>;
}
