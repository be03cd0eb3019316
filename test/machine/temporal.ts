/**
 * What must hold of the way a machine goes, and not of one state: decided on all states and steps that the search has found.
 *
 * `eventually` asks what the machine does when nobody touches it: its timers go off and its services come to something, and on every such
 * way, in any order, the state must be reached. A machine that can only wait for an event has come to rest.
 */
import type { AnyMachineSnapshot } from 'xstate';
import { UsageError } from '../../machines/errors.js';
import { endless, movesOf } from './endless.js';
import type { Failure, MachineEdge, MachineGraph, MachineVertex } from './graph.js';
import type { MachineStep } from './options.js';
import { Rig } from './rig.js';
import { beyondAlong, firstBeyond } from './deadline.js';
import type { Subject } from './subject.js';

type Predicate = (snapshot: AnyMachineSnapshot) => boolean;

/** So many steps, or so many milliseconds of virtual time. */
interface Bounds {
  readonly within?: number;
  readonly withinMs?: number;
}

/**
 * A property of the ways that a machine can go.
 *
 * - `always`, `never`: of every state; with `when`, of every state from such a one on, whatever happens; `within` so many steps or `withinMs`
 *   milliseconds of virtual time after it, without `when` after the start.
 * - `sometimes`: of one state at least.
 * - `when`, `eventually`: from such a state, without events from outside, such a state is reached, unless something else goes round for ever
 *   in which no timer runs through; or `within` so many steps, or `withinMs` milliseconds of virtual time. A service may take any time: only
 *   a timer of the machine bounds how long one is waited for.
 * - `when`, `holds`, `until`: from such a state on it holds, whatever happens, until such a state is reached; `within` or `withinMs` say when
 *   that has to be where no event comes from outside, as for `eventually`.
 *
 * A bound is one of both, and its last step or moment belongs to it.
 *
 * @public
 */
export type Temporal =
  | (Bounds & { readonly when?: Predicate; readonly always: Predicate })
  | (Bounds & { readonly when?: Predicate; readonly never: Predicate })
  | { readonly sometimes: Predicate }
  | (Bounds & { readonly when: Predicate; readonly eventually: Predicate })
  | (Bounds & { readonly when: Predicate; readonly holds: Predicate; readonly until: Predicate });

/** What the predicates of a property say of one state. */
export type Marks = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

export function marksOf(temporal: Readonly<Record<string, Temporal>> | undefined, snapshot: AnyMachineSnapshot): Marks {
  const answer = (name: string, description: unknown): boolean => {
    if (!(description instanceof Promise)) return Boolean(description);
    description.catch(() => {});
    throw new UsageError(`temporal.${name} gives a promise; it must give true or false at once`);
  };
  const of = (name: string, property: Temporal) =>
    Object.fromEntries(
      Object.entries(property).flatMap(([key, one]) => (typeof one === 'function' ? [[key, answer(name, one(snapshot))]] : [])),
    );
  return Object.fromEntries(Object.entries(temporal ?? {}).map(([name, property]) => [name, of(name, property)]));
}

/** The first way on which each property is broken. */
export async function temporalFailures(subject: Subject, graph: MachineGraph): Promise<readonly Failure[]> {
  const failures: Failure[] = [];
  for (const [rule, property] of Object.entries(subject.tests.temporal ?? {})) {
    const marks = (vertex: MachineVertex) => vertex.marks[rule]!;
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

type MarksAt = (vertex: MachineVertex) => Readonly<Record<string, boolean>>;
export type Found = Omit<Failure, 'rule'> | null;

/** Where a property begins to be asked: where `when` holds, or at the start. */
function startsOf({ vertices }: MachineGraph, property: Temporal, marks: MarksAt): readonly MachineVertex[] {
  const isAlways = !('when' in property) || property.when === undefined;
  return isAlways ? vertices.slice(0, 1) : vertices.filter((vertex) => marks(vertex)['when']);
}

function failureOf(graph: MachineGraph, property: Temporal, marks: MarksAt): Found {
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
  const each = (check: (start: MachineVertex) => Found): Found => {
    for (const start of starts) {
      const found = check(start);
      if (found) return found;
    }
    return null;
  };
  if ('always' in property || 'never' in property) {
    if (within === undefined && withinMs !== undefined) return null;
    const isBad = (vertex: MachineVertex) => marks(vertex)['always'] === false || marks(vertex)['never'] === true;
    return each((start) => reaches(start, isBad, () => false, within));
  }
  const broken = 'until' in property ? each(breaks(marks)) : null;
  const goal = (vertex: MachineVertex) => marks(vertex)['eventually'] ?? marks(vertex)['until'] ?? false;
  if (broken || within !== undefined) return broken ?? each(takesLonger(goal, within!));
  // With a time to keep, what goes round without taking any is none the less over in time.
  return 'eventually' in property && withinMs === undefined ? neverComes(starts, marks) : null;
}

/** A way from one of these that does not reach the state: it comes to rest before, or goes round for ever. */
function neverComes(starts: readonly MachineVertex[], marks: MarksAt): Found {
  const isBefore = (vertex: MachineVertex) => vertex.edges !== null && !marks(vertex)['eventually'];
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
    description: `can go round through ${JSON.stringify(round.at.value)} for ever`,
  };
}

/** A way from here on which the state is not reached in so many steps. */
function takesLonger(isGoal: (vertex: MachineVertex) => boolean, within: number): (start: MachineVertex) => Found {
  const visit = (vertex: MachineVertex, way: readonly MachineStep[], taken: number): Found => {
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

/** A shortest way from here to a bad state, of so many steps at most and through none in which the question is over. */
function reaches(
  start: MachineVertex,
  isBad: (vertex: MachineVertex) => boolean,
  isOver: (vertex: MachineVertex) => boolean,
  within = Infinity,
): Found {
  const cameBy = new Map<MachineVertex, readonly MachineStep[]>([[start, []]]);
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
  (start: MachineVertex): Found => {
    const found = reaches(
      start,
      (vertex) => marks(vertex)['holds'] === false,
      (vertex) => marks(vertex)['until'] === true,
    );
    return found && { ...found, description: `${found.description}, and what it is to last until has not come` };
  };

/** The properties that are broken on this very way; nothing is known of any other. */
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

/** What a search would know that has gone this way alone. */
async function graphAlong(subject: Subject, steps: readonly MachineStep[]): Promise<MachineGraph> {
  const rig = new Rig(subject, { performs: false });
  const known = new Map<string, MachineVertex>();
  const { temporal = {} } = subject.tests;
  const nothing = Object.fromEntries(Object.keys(temporal).map((rule) => [rule, {}]));
  const unknown = { edges: null, marks: nothing } as unknown as MachineVertex;
  const arrive = (way: readonly MachineStep[]): MachineVertex => {
    const key = rig.key();
    const edges = new Map<string, MachineEdge>();
    for (const step of rig.choices())
      edges.set(JSON.stringify(step), { step, to: unknown, keeps: [] as readonly string[] } as MachineEdge);
    const { value } = rig.snapshot;
    const vertex = {
      way,
      value,
      edges,
      marks: rig.ask('temporal', () => marksOf(temporal, rig.snapshot)),
    } as unknown as MachineVertex;
    if (!known.has(key)) known.set(key, vertex);
    return known.get(key)!;
  };
  let here = arrive([]);
  for (const [i, step] of steps.entries()) {
    await rig.take(step);
    const to = arrive(steps.slice(0, i + 1));
    (here.edges as Map<string, MachineEdge>).set(JSON.stringify(step), { step, to, keeps: rig.keeps } as MachineEdge);
    here = to;
  }
  const vertices = [...known.values()];
  return { vertices, isComplete: false } as unknown as MachineGraph;
}
