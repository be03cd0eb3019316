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
import { isFromOutside } from './steps.js';
import type { Subject } from './subject.js';

type Predicate = (snapshot: AnyMachineSnapshot) => boolean;

/**
 * A property of the ways that a machine can go.
 *
 * - `always`, `never`: of every state.
 * - `sometimes`: of one state at least.
 * - `when`, `eventually`: from such a state, without events from outside, such a state is reached, unless something else goes round for ever
 *   in which no timer runs through; or `within` so many steps, or `withinMs` milliseconds of virtual time, whatever happens in it. A service
 *   may take any time: only a timer of the machine bounds how long one is waited for.
 * - `when`, `holds`, `until`: from such a state on it holds, whatever happens, until such a state is reached.
 *
 * @public
 */
export type Temporal =
  | { readonly always: Predicate }
  | { readonly never: Predicate }
  | { readonly sometimes: Predicate }
  | { readonly when: Predicate; readonly eventually: Predicate; readonly within?: number; readonly withinMs?: number }
  | { readonly when: Predicate; readonly holds: Predicate; readonly until: Predicate };

/** What the predicates of a property say of one state. */
export type Marks = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

export function marksOf(temporal: Readonly<Record<string, Temporal>> | undefined, snapshot: AnyMachineSnapshot): Marks {
  const answer = (name: string, says: unknown): boolean => {
    if (!(says instanceof Promise)) return Boolean(says);
    says.catch(() => {});
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
      ('withinMs' in property
        ? await firstLate(
            subject,
            graph.vertices.filter((vertex) => marks(vertex)['when']),
            property,
          )
        : null);
    if (found) failures.push({ rule, ...found });
  }
  return failures;
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
  if ('eventually' in property && property.within === undefined)
    // With a time to keep, what goes round without taking any is none the less over in time.
    return property.withinMs === undefined ? neverComes(starts, marks) : null;
  const check = 'eventually' in property ? takesLonger(marks, property.within!) : breaks(marks);
  for (const start of starts) {
    const found = check(start);
    if (found) return found;
  }
  return null;
}

/** A way from one of these that does not reach the state: it comes to rest before, or goes round for ever. */
function neverComes(starts: readonly MachineVertex[], marks: MarksAt): Found {
  const isBefore = (vertex: MachineVertex) => vertex.edges !== null && !marks(vertex)['eventually'];
  const ways = new Map(starts.filter(isBefore).map((start) => [start, start.way] as const));
  for (const [vertex, way] of ways) {
    const moves = movesOf(vertex);
    if (moves.length === 0) return { steps: way, says: `comes to rest in ${JSON.stringify(vertex.value)}` };
    for (const { edge } of moves) if (isBefore(edge.to) && !ways.has(edge.to)) ways.set(edge.to, [...way, edge.step]);
  }
  const round = endless(new Set(ways.keys()));
  if (!round) return null;
  return {
    steps: [...ways.get(round.at)!, ...round.steps],
    says: `can go round through ${JSON.stringify(round.at.value)} for ever`,
  };
}

/** A way from here on which the state is not reached in so many steps. */
function takesLonger(marks: MarksAt, within: number): (start: MachineVertex) => Found {
  const visit = (vertex: MachineVertex, way: readonly MachineStep[], taken: number): Found => {
    if (marks(vertex)['eventually'] || vertex.edges === null) return null;
    const here = JSON.stringify(vertex.value);
    if (taken >= within) return { steps: way, says: `is not reached within ${within} steps, but is in ${here}` };
    const moves = movesOf(vertex);
    if (moves.length === 0) return { steps: way, says: `comes to rest in ${here}` };
    for (const { edge } of moves) {
      const found = visit(edge.to, [...way, edge.step], taken + 1);
      if (found) return found;
    }
    return null;
  };
  return (start) => visit(start, start.way, 0);
}

/** A way from here to a state in which it does not hold although the end has not come. */
function breaks(marks: MarksAt): (start: MachineVertex) => Found {
  return (start) => {
    const cameBy = new Map<MachineVertex, readonly MachineStep[]>([[start, start.way]]);
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

type Timed = Extract<Temporal, { readonly withinMs?: number }>;

/** How many states are looked at for one deadline. */
const TIMED_MAX = 2000;

async function firstLate(subject: Subject, starts: readonly MachineVertex[], property: Timed): Promise<Found> {
  for (const start of starts) {
    const found = await late(subject, start.way, property);
    if (found) return found;
  }
  return null;
}

/** A way from here that takes longer: the deadline runs as one more timer, and the question is whether it can go off before. */
async function late(subject: Subject, before: readonly MachineStep[], property: Timed): Promise<Found> {
  const seen = new Set<string>();
  const ways: (readonly MachineStep[])[] = [[]];
  for (const way of ways) {
    if (seen.size >= TIMED_MAX)
      return {
        steps: before,
        says: `is not decided: more than ${TIMED_MAX} states can come within ${property.withinMs} ms; give a shorter time, fewer samples, or "distinguish"`,
      };
    const rig = await withDeadline(subject, before, way, property.withinMs!);
    const key = rig.key();
    const isNew = !property.eventually(rig.snapshot) && !seen.has(key);
    const found = isNew && rig.timers.isDeadlineOver();
    if (isNew) for (const step of rig.choices()) if (!isFromOutside(step)) ways.push([...way, step]);
    seen.add(key);
    rig.stop();
    if (found) return { steps: [...before, ...way], says: tooLate(property, rig) };
  }
  return null;
}

const tooLate = ({ withinMs }: Timed, { snapshot }: Rig): string =>
  `more than ${withinMs} ms can pass, and it is in ${JSON.stringify(snapshot.value)}`;

/** A machine that has gone the first steps, when a deadline begins, and then the others. */
async function withDeadline(
  subject: Subject,
  before: readonly MachineStep[],
  way: readonly MachineStep[],
  ms: number,
): Promise<Rig> {
  const last = before.length - 1;
  const rig = new Rig(subject, { performs: false, deadlineMs: last < 0 ? ms : undefined });
  for (const [i, step] of before.entries()) await rig.take(step, i === last ? ms : undefined);
  for (const step of way) await rig.take(step);
  return rig;
}

/** The properties that are broken on this very way; nothing is known of any other. */
export async function temporalFailuresAlong(subject: Subject, steps: readonly MachineStep[]): Promise<readonly Failure[]> {
  const graph = await graphAlong(subject, steps);
  const failures: Failure[] = [];
  for (const [rule, property] of Object.entries(subject.tests.temporal ?? {})) {
    if ('sometimes' in property) continue;
    const found = failureOf(graph, property, (vertex) => vertex.marks[rule]!) ?? (await lateAlong(subject, steps, property));
    if (found) failures.push({ rule, ...found });
  }
  return failures;
}

async function lateAlong(subject: Subject, steps: readonly MachineStep[], property: Temporal): Promise<Found> {
  if (!('withinMs' in property)) return null;
  const walked = new Rig(subject, { performs: false });
  for (let i = 0; i <= steps.length; i++) {
    if (i > 0) await walked.take(steps[i - 1]!);
    if (!property.when(walked.snapshot)) continue;
    const rest = steps.slice(i);
    const rig = await withDeadline(subject, steps.slice(0, i), rest, property.withinMs!);
    if (!rest.some(isFromOutside) && !property.eventually(rig.snapshot) && rig.timers.isDeadlineOver())
      return { steps, says: tooLate(property, rig) };
  }
  return null;
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
    const vertex = { way, value, edges, marks: marksOf(temporal, rig.snapshot) } as unknown as MachineVertex;
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
