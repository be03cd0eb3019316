/**
 * What must hold of the way a machine goes, and not of one state: decided on all states and steps that the search has found.
 *
 * `eventually` asks what the machine does when nobody touches it: its timers go off and its services come to something, and on every such
 * way, in any order, the state must be reached. A machine that can only wait for an event has come to rest.
 */
import type { AnyMachineSnapshot } from 'xstate';
import { UsageError } from '../../machines/errors.js';
import type { Failure, MachineEdge, MachineGraph, MachineVertex } from './graph.js';
import type { Step } from './options.js';
import { Rig } from './rig.js';
import { isFromOutside } from './steps.js';
import type { Subject } from './subject.js';

type Predicate = (snapshot: AnyMachineSnapshot) => boolean;

/**
 * A property of the ways that a machine can go.
 *
 * - `always`, `never`: of every state.
 * - `sometimes`: of one state at least.
 * - `when`, `eventually`: from such a state, without events from outside, such a state is reached; `within` so many steps, and `withinMs`
 *   milliseconds of virtual time. A service may take any time: only a timer of the machine bounds how long one is waited for.
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
async function late(subject: Subject, before: readonly Step[], property: Timed): Promise<Found> {
  const seen = new Set<string>();
  const ways: (readonly Step[])[] = [[]];
  for (const way of ways) {
    const rig = await withDeadline(subject, before, way, property.withinMs!);
    const key = rig.key();
    const isNew = !property.eventually(rig.snapshot) && !seen.has(key) && seen.size < TIMED_MAX;
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
async function withDeadline(subject: Subject, before: readonly Step[], way: readonly Step[], ms: number): Promise<Rig> {
  const last = before.length - 1;
  const rig = new Rig(subject, { performs: false, deadlineMs: last < 0 ? ms : undefined });
  for (const [i, step] of before.entries()) await rig.take(step, i === last ? ms : undefined);
  for (const step of way) await rig.take(step);
  return rig;
}

/** The properties that are broken on this very way; nothing is known of any other. */
export async function temporalFailuresAlong(subject: Subject, steps: readonly Step[]): Promise<readonly Failure[]> {
  const graph = await graphAlong(subject, steps);
  const failures: Failure[] = [];
  for (const [rule, property] of Object.entries(subject.tests.temporal ?? {})) {
    if ('sometimes' in property) continue;
    const found = failureOf(graph, property, (vertex) => vertex.marks[rule]!) ?? (await lateAlong(subject, steps, property));
    if (found) failures.push({ rule, ...found });
  }
  return failures;
}

async function lateAlong(subject: Subject, steps: readonly Step[], property: Temporal): Promise<Found> {
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
async function graphAlong(subject: Subject, steps: readonly Step[]): Promise<MachineGraph> {
  const rig = new Rig(subject, { performs: false });
  const known = new Map<string, MachineVertex>();
  const { temporal = {} } = subject.tests;
  const nothing = Object.fromEntries(Object.keys(temporal).map((rule) => [rule, {}]));
  const unknown = { edges: null, marks: nothing } as unknown as MachineVertex;
  const arrive = (way: readonly Step[]): MachineVertex => {
    const key = rig.key();
    const edges = new Map<string, MachineEdge>();
    for (const step of rig.choices()) edges.set(JSON.stringify(step), { step, to: unknown } as MachineEdge);
    const { value } = rig.snapshot;
    const vertex = { way, value, edges, marks: marksOf(temporal, rig.snapshot) } as unknown as MachineVertex;
    if (!known.has(key)) known.set(key, vertex);
    return known.get(key)!;
  };
  let here = arrive([]);
  for (const [i, step] of steps.entries()) {
    await rig.take(step);
    const to = arrive(steps.slice(0, i + 1));
    (here.edges as Map<string, MachineEdge>).set(JSON.stringify(step), { step, to } as MachineEdge);
    here = to;
  }
  const vertices = [...known.values()];
  return { vertices, isComplete: false } as unknown as MachineGraph;
}
