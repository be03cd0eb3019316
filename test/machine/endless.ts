/**
 * Finds states where a machine can loop forever without an external event.
 *
 * A cycle of steps is an infinite path only if no timer runs through all of it: each timer fires eventually, however often a callback sends
 * in the meantime. A set of connected states therefore counts if for each timer one of its steps ends or renews it.
 */
import type { StateValue } from 'xstate';
import type { MachineStep } from './options.js';
import { isFromOutside } from './steps.js';

/** The results of temporal properties' predicates in one state. */
export type Marks = Readonly<Record<string, Readonly<Record<string, boolean>>>>;

/** The part of a state that properties of paths read. */
export interface PathState {
  readonly way: readonly MachineStep[];
  readonly value: StateValue;
  readonly marks: Marks;
  readonly edges: ReadonlyMap<string, PathEdge> | null;
}

export interface PathEdge {
  readonly step: MachineStep;
  readonly to: PathState;
  readonly keeps: readonly string[];
}

interface Move {
  readonly from: PathState;
  readonly edge: PathEdge;
}

/** The steps that are possible without an external event. */
export const movesOf = (from: PathState): readonly Move[] =>
  [...(from.edges?.values() ?? [])].filter(({ step }) => !isFromOutside(step)).map((edge) => ({ from, edge }));

/** An infinite loop among these states: its first state, and its steps; `null` if there is none. */
export function endless(
  states: ReadonlySet<PathState>,
): { readonly at: PathState; readonly steps: readonly MachineStep[] } | null {
  for (const component of components(states)) {
    const inner = [...component].flatMap(movesOf).filter(({ edge }) => component.has(edge.to));
    const timers = new Set(inner.flatMap(({ edge }) => edge.keeps));
    const needed = [...timers].flatMap((timer) => inner.find(({ edge }) => !edge.keeps.includes(timer)) ?? []);
    const [first] = inner;
    if (!first || needed.length < timers.size) continue;
    return { at: first.from, steps: round(first.from, timers.size === 0 ? [first] : needed, component) };
  }
  return null;
}

/** From a state by way of these moves and back. */
function round(at: PathState, needed: readonly Move[], component: ReadonlySet<PathState>): readonly MachineStep[] {
  const steps: MachineStep[] = [];
  let here = at;
  for (const { from, edge } of needed) {
    steps.push(...wayWithin(here, from, component), edge.step);
    here = edge.to;
  }
  return [...steps, ...wayWithin(here, at, component)];
}

function wayWithin(from: PathState, to: PathState, component: ReadonlySet<PathState>): readonly MachineStep[] {
  const ways = new Map<PathState, readonly MachineStep[]>([[from, []]]);
  for (const [state, way] of ways)
    for (const { edge } of movesOf(state))
      if (component.has(edge.to) && !ways.has(edge.to)) ways.set(edge.to, [...way, edge.step]);
  return ways.get(to)!;
}

/** Strongly connected states, each with its successors and predecessors among them. A state without a cycle forms its own component. */
function* components(states: ReadonlySet<PathState>): Generator<ReadonlySet<PathState>> {
  const after = new Map<PathState, readonly PathState[]>();
  const before = new Map<PathState, PathState[]>([...states].map((state) => [state, []]));
  for (const state of states) {
    const next = movesOf(state).flatMap(({ edge }) => (states.has(edge.to) ? [edge.to] : []));
    after.set(state, next);
    for (const one of next) before.get(one)!.push(state);
  }
  const left = new Set(states);
  const reach = (from: PathState, by: ReadonlyMap<PathState, readonly PathState[]>) => {
    const reached = new Set([from]);
    for (const state of reached) for (const one of by.get(state)!) if (left.has(one)) reached.add(one);
    return reached;
  };
  for (const state of states) {
    if (!left.has(state)) continue;
    const from = reach(state, before);
    const component = new Set([...reach(state, after)].filter((one) => from.has(one)));
    for (const one of component) left.delete(one);
    yield component;
  }
}
