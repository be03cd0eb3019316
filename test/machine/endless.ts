/**
 * Finds states where a machine can loop forever without an external event.
 *
 * A cycle of steps is an infinite path only if no timer runs through all of it: each timer fires eventually, however often a callback sends
 * in the meantime. A set of connected states therefore counts if for each timer one of its steps ends or renews it.
 */
import type { MachineEdge, MachineVertex } from './graph.js';
import type { MachineStep } from './options.js';
import { isFromOutside } from './steps.js';

interface Move {
  readonly from: MachineVertex;
  readonly edge: MachineEdge;
}

/** The steps that are possible without an external event. */
export const movesOf = (from: MachineVertex): readonly Move[] =>
  [...(from.edges?.values() ?? [])].filter(({ step }) => !isFromOutside(step)).map((edge) => ({ from, edge }));

/** An infinite loop among these states: its first state, and its steps; `null` if there is none. */
export function endless(
  states: ReadonlySet<MachineVertex>,
): { readonly at: MachineVertex; readonly steps: readonly MachineStep[] } | null {
  for (const component of components(states)) {
    const inner = [...component].flatMap(movesOf).filter(({ edge }) => component.has(edge.to));
    const timers = new Set(inner.flatMap(({ edge }) => edge.keeps));
    const needed = [...timers].map((timer) => inner.find(({ edge }) => !edge.keeps.includes(timer)));
    if (inner.length === 0 || needed.includes(undefined)) continue;
    const at = inner[0]!.from;
    return { at, steps: round(at, timers.size === 0 ? [inner[0]!] : (needed as Move[]), component) };
  }
  return null;
}

/** From a state by way of these moves and back. */
function round(at: MachineVertex, needed: readonly Move[], component: ReadonlySet<MachineVertex>): readonly MachineStep[] {
  const steps: MachineStep[] = [];
  let here = at;
  for (const { from, edge } of needed) {
    steps.push(...wayWithin(here, from, component), edge.step);
    here = edge.to;
  }
  return [...steps, ...wayWithin(here, at, component)];
}

function wayWithin(from: MachineVertex, to: MachineVertex, component: ReadonlySet<MachineVertex>): readonly MachineStep[] {
  const ways = new Map<MachineVertex, readonly MachineStep[]>([[from, []]]);
  for (const [state, way] of ways)
    for (const { edge } of movesOf(state))
      if (component.has(edge.to) && !ways.has(edge.to)) ways.set(edge.to, [...way, edge.step]);
  return ways.get(to)!;
}

/** Strongly connected states, each with its successors and predecessors among them. A state without a cycle forms its own component. */
function* components(states: ReadonlySet<MachineVertex>): Generator<ReadonlySet<MachineVertex>> {
  const after = new Map<MachineVertex, readonly MachineVertex[]>();
  const before = new Map<MachineVertex, MachineVertex[]>([...states].map((state) => [state, []]));
  for (const state of states) {
    const next = movesOf(state).flatMap(({ edge }) => (states.has(edge.to) ? [edge.to] : []));
    after.set(state, next);
    for (const one of next) before.get(one)!.push(state);
  }
  const left = new Set(states);
  const reach = (from: MachineVertex, by: ReadonlyMap<MachineVertex, readonly MachineVertex[]>) => {
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
