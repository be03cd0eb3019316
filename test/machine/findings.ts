/**
 * Suspicious patterns of a machine that violate no property, found in the states and steps of the search, and in the chart.
 *
 * A finding is a warning, because each of these can be intentional; `reasons` silences it by its name. One is a failure: an event for a
 * child that has no transition for it in any state.
 */
import { configOf, rulesOf } from '../charts/config.js';
import { guardItem } from '../coverage/items.js';
import { describeGuard } from '../mutants/render.js';
import { countsOf } from './coverage.js';
import type { MachineEdge, MachineGraph, MachineVertex } from './graph.js';
import { reads } from './hints.js';
import type { MachineStep } from './options.js';
import type { Remark } from './remarks.js';
import { describeStep } from './steps.js';
import type { Subject } from './subject.js';
import { cyclesWithoutExit, deadEnds, waitsWithoutTimeout } from './traps.js';
import { readsOfGuard } from './reads.js';
import { implementationsOf } from './references.js';

export const findingKinds = [
  'dead end',
  'cycle without exit',
  'wait without timeout',
  'dropped event',
  'late result',
  'late event',
  'context not reset',
  'constant guard',
] as const;
export type FindingKind = (typeof findingKinds)[number];

/**
 * A suspicious pattern of a machine that violates no property.
 *
 * @public
 */
export interface Finding {
  readonly kind: FindingKind;
  /** The machine, or the child machine, that has it. */
  readonly chart: string;
  /** Key that silences it in `reasons`: `dead end lost`. */
  readonly name: string;
  readonly description: string;
  /** A path to it; empty if the chart itself shows it. */
  readonly steps: readonly MachineStep[];
  /** True if it makes the machine invalid; otherwise it is a warning. */
  readonly isFailure: boolean;
  /** The reason from `reasons`, if it is intentional. */
  readonly reason?: string;
}

/** The part of a finding that differs between findings of the same kind. */
export type Found = Pick<Finding, 'description' | 'steps'> & { readonly of: string; readonly chart?: string };

export function findingsIn(subject: Subject, graph: MachineGraph): readonly Finding[] {
  const { reasons = {} } = subject.tests;
  const all = [
    ...kindOf('dead end', deadEnds(subject, graph)),
    ...kindOf('cycle without exit', cyclesWithoutExit(subject, graph)),
    ...kindOf('wait without timeout', waitsWithoutTimeout(subject, graph)),
    ...remarked(graph),
    ...kindOf('context not reset', resetsMissing(subject, graph)),
    ...kindOf('constant guard', constantGuards(subject, graph)),
  ];
  return all.map(({ of, kind, chart = subject.name, isFailure = false, ...rest }) => {
    const name = `${kind} ${of}`;
    const reason = reasons[name] ?? reasons[`${chart}: ${name}`];
    const isSilenced = reason !== undefined;
    return { kind, chart, name, ...rest, isFailure: isFailure && !isSilenced, ...(isSilenced && { reason }) };
  });
}

type Unnamed = Found & { readonly kind: FindingKind; readonly isFailure?: boolean };

const kindOf = (kind: FindingKind, found: Iterable<Found>): readonly Unnamed[] => [...found].map((one) => ({ kind, ...one }));

/** Explained findings that a complete search did not make, so their explanations can be removed. */
export function staleReasons(subject: Subject, graph: MachineGraph, findings: readonly Finding[]): readonly string[] {
  if (graph.cut) return [];
  const names = new Set(findings.flatMap(({ chart, name }) => [name, `${chart}: ${name}`]));
  const isOfFinding = (reason: string) =>
    findingKinds.some((kind) => reason.startsWith(`${kind} `) || reason.includes(`: ${kind} `));
  return Object.keys(subject.tests.reasons ?? {}).filter((reason) => isOfFinding(reason) && !names.has(reason));
}

/**
 * A finding as text: the problem, the path to it, and how to silence it.
 *
 * @public
 */
export function describeFinding({ name, description, steps }: Finding): string {
  const way = steps.length === 0 ? '' : `after ${steps.map(describeStep).join(', ')}: `;
  return `${name}: ${way}${description}. If it is intended, add reasons: { ${JSON.stringify(name)}: 'why' }`;
}

/** The remarks about single steps, each kind once, with the shortest path to it. */
function remarked({ vertices }: MachineGraph): readonly Unnamed[] {
  const first = new Map<string, { readonly remark: Remark; readonly steps: readonly MachineStep[] }>();
  for (const { way, edges } of vertices)
    for (const { step, remarks } of edges?.values() ?? [])
      for (const remark of remarks) {
        const key = `${remark.kind} ${remark.chart} ${remark.of}`;
        const steps = [...way, step];
        if (steps.length < (first.get(key)?.steps.length ?? Infinity)) first.set(key, { remark, steps });
      }
  return [...first.values()].map(({ remark: { kind, chart, of, description, isFailure }, steps }) => ({
    kind,
    chart,
    of,
    description,
    steps,
    isFailure,
  }));
}

/** Guards that no sample can change, and that were decided the same way in every state. */
function* constantGuards(subject: Subject, graph: MachineGraph): Generator<Found> {
  if (graph.cut) return;
  const counts = countsOf(subject, graph);
  for (const [chart, machine] of subject.originals)
    for (const { id, choice } of rulesOf(configOf(machine))) {
      if (choice.guard === undefined || reads(machine, choice.guard) === 'more') continue;
      const times = (outcome: boolean): number => counts[chart]?.[guardItem(id, outcome)] ?? 0;
      const [yes, no] = [times(true), times(false)];
      if (yes + no < DECISIONS_MIN || (yes > 0 && no > 0)) continue;
      const description = `${describeGuard(choice.guard)} is ${yes > 0 ? 'true' : 'false'} in every state where it is asked (${counted(yes + no)})`;
      yield { chart, of: id, description, steps: [] };
    }
}

const counted = (steps: number): string => `${steps} ${steps === 1 ? 'step' : 'steps'}`;

const DECISIONS_MIN = 1;

/**
 * Detects context that is not reset when a state is entered again. A number that only ever grows (or only ever falls) decides a guard which
 * leads on. The machine can return to the state with that guard, which is then decided forever.
 */
interface Taken {
  readonly from: MachineVertex;
  readonly edge: MachineEdge;
}

function* resetsMissing(subject: Subject, graph: MachineGraph): Generator<Found> {
  const { original, name } = subject;
  const taken = graph.vertices.flatMap((from) => [...(from.edges?.values() ?? [])].map((edge): Taken => ({ from, edge })));
  // A search that was cut off suffices if it has taken every transition.
  if (graph.cut && !isEveryTaken(subject, taken)) return;
  const { guards } = implementationsOf(original);
  const named = new Set<string>();
  for (const { id, choice } of rulesOf(configOf(original))) {
    if (choice.guard === undefined) continue;
    for (const key of readsOfGuard(choice.guard, guards)) {
      for (const path of graph.first.measures.keys()) {
        if (named.has(key) || (path !== key && !path.startsWith(`${key}.`))) continue;
        const turn = turnOf(taken, path, 1) ?? turnOf(taken, path, -1);
        if (!turn) continue;
        const isNumber = !/\.(?:length|size)$/.test(path);
        const found = comesBack(taken, turn, name, id) ?? (isNumber ? staysDecided(taken, turn, name, id) : null);
        if (!found) continue;
        named.add(key);
        const value = found.to.measures.get(path)!;
        const description = `${path} is ${value} when ${JSON.stringify(found.to.value)} is entered again, and nothing ever resets it: ${describeGuard(choice.guard)} of ${id} stays as it was decided`;
        yield { of: key, steps: found.steps, description };
      }
    }
  }
}

function isEveryTaken({ charts, name }: Subject, taken: readonly Taken[]): boolean {
  const seen = new Set(taken.flatMap(({ edge }) => [...edge.items]));
  return charts.get(name)!.every((item) => !item.startsWith('transition ') || seen.has(`${name}: ${item}`));
}

/** A measure along a step, as it grows; `null` for one that goes both ways, or stays. */
type Along = (taken: Taken) => readonly [before: number, after: number];

function turnOf(taken: readonly Taken[], path: string, sign: 1 | -1): Along | null {
  const along: Along = ({ from, edge }) => [
    sign * (from.measures.get(path) ?? Number.NaN),
    sign * (edge.to.measures.get(path) ?? Number.NaN),
  ];
  const pairs = taken.map(along);
  const isMonotone = pairs.every(([before, after]) => after >= before) && pairs.some(([before, after]) => after > before);
  return isMonotone ? along : null;
}

/** Steps on which the guard is decided as it is only once the measure has gone far enough. */
function lateOutcomes(taken: readonly Taken[], along: Along, chart: string, id: string): readonly (readonly Taken[])[] {
  const decided = (outcome: boolean) => taken.filter(({ edge }) => edge.items.has(`${chart}: ${guardItem(id, outcome)}`));
  return [true, false].flatMap((outcome) => {
    const [late, early] = [decided(outcome), decided(!outcome)];
    const isLater = ([0, 1] as const).some(
      (when) => Math.max(...early.map((one) => along(one)[when])) < Math.min(...late.map((one) => along(one)[when])),
    );
    return early.length > 0 && isLater ? [late] : [];
  });
}

type Back = { readonly to: MachineVertex; readonly steps: Found['steps'] } | null;

/** Such a step, from which the machine comes back. */
function comesBack(...args: Parameters<typeof lateOutcomes>): Back {
  for (const late of lateOutcomes(...args))
    for (const { from, edge } of late) {
      const place = JSON.stringify(from.value);
      if (JSON.stringify(edge.to.value) === place) continue;
      const way = wayTo(edge.to, (one) => JSON.stringify(one.value) === place);
      if (way) return { to: way.to, steps: [...from.way, edge.step, ...way.steps] };
    }
  return null;
}

/** Such a step that goes nowhere, from a state that the machine leaves and comes back to. */
function staysDecided(...args: Parameters<typeof lateOutcomes>): Back {
  for (const late of lateOutcomes(...args))
    for (const { from } of late) {
      const place = JSON.stringify(from.value);
      const leaving = [...(from.edges?.values() ?? [])].find(({ to }) => JSON.stringify(to.value) !== place);
      const back = leaving && wayTo(leaving.to, (one) => JSON.stringify(one.value) === place);
      if (back) return { to: back.to, steps: [...from.way, leaving.step, ...back.steps] };
    }
  return null;
}

function wayTo(start: MachineVertex, isThere: (vertex: MachineVertex) => boolean) {
  const ways = new Map<MachineVertex, Found['steps']>([[start, []]]);
  for (const [to, steps] of ways) {
    if (isThere(to)) return { to, steps };
    for (const { edge } of [...(to.edges?.values() ?? [])].map((edge) => ({ edge })))
      if (!ways.has(edge.to)) ways.set(edge.to, [...steps, edge.step]);
  }
  return null;
}
