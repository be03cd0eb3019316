/** Where a machine can come to and never get out again: a dead end that is not a final state, and a cycle that nothing leads out of. */
import type { AnyStateNode, StateValue } from 'xstate';
import type { Found } from './findings.js';
import type { MachineGraph, MachineVertex } from './graph.js';
import { isFromOutside } from './steps.js';
import type { Subject } from './subject.js';

/** Machines with more configurations are not searched for cycles. */
const CONFIGURATIONS_MAX = 500;

export function* deadEnds({ original, tests }: Subject, { vertices }: MachineGraph): Generator<Found> {
  const named = new Set<string>();
  const places = placesOf(vertices);
  for (const { value, view, edges, way, isTarget, pending } of vertices) {
    if (edges === null || isTarget || view.status !== 'active') continue;
    const leaves = leavesOf(original.root, value);
    // A machine without states has nowhere to go.
    if (leaves[0] === original.root) continue;
    const isStatic = leaves.every(isClosed) && !places.get(JSON.stringify(value))!.isLeft;
    // What samples, or a filter, leave out may lead out of it.
    const isEmpty = edges.size === 0 && pending === 0 && view.actors.length === 0 && !tests.filter && !leavesOut(tests.events);
    const of = nameOf(leaves);
    if (!(isStatic || isEmpty) || named.has(of)) continue;
    named.add(of);
    const inner = leaves.find(({ type }) => type === 'final');
    const why = inner ? `; ${nameOf([inner.parent!])} has no onDone` : '';
    yield { of, steps: way, description: `nothing leads out of ${of}, and the machine has not ended there${why}` };
  }
}

const leavesOut = (events: object | undefined): boolean =>
  Object.values(events ?? {}).some(
    (samples) => typeof samples === 'function' || (Array.isArray(samples) && samples.length === 0),
  );

/** Whether a state, and those around it up to the root, have neither transitions nor actors. */
function isClosed(leaf: AnyStateNode): boolean {
  for (let node: AnyStateNode | undefined = leaf; node?.parent; node = node.parent)
    if (node.transitions.size > 0 || (node.always?.length ?? 0) > 0 || node.invoke.length > 0) return false;
  return true;
}

function leavesOf(root: AnyStateNode, value: StateValue): readonly AnyStateNode[] {
  if (typeof value === 'string') return [root.states[value]!];
  const inner = Object.entries(value).filter(([, one]) => one !== undefined);
  if (inner.length === 0) return [root];
  return inner.flatMap(([key, one]) => leavesOf(root.states[key]!, one!));
}

const nameOf = (nodes: readonly AnyStateNode[]): string => nodes.map(({ path }) => path.join('.') || '(root)').join(' + ');

/** One configuration of the machine, and those that a step leads to. */
interface Place {
  readonly value: StateValue;
  readonly way: MachineVertex['way'];
  readonly next: Set<string>;
  /** Configurations that an event from outside leads to. */
  readonly byEvent: Set<string>;
  isLeft: boolean;
  /** Whether all of its states were gone on from, and none of them is an end. */
  isOpen: boolean;
}

function placesOf(vertices: readonly MachineVertex[]): ReadonlyMap<string, Place> {
  const places = new Map<string, Place>();
  for (const { value, way, edges, view, isTarget } of vertices) {
    const key = JSON.stringify(value);
    const place = places.get(key) ?? { value, way, next: new Set(), byEvent: new Set(), isLeft: false, isOpen: true };
    places.set(key, place);
    if (edges === null || isTarget || view.status !== 'active') place.isOpen = false;
    for (const { to, step } of edges?.values() ?? []) {
      const target = JSON.stringify(to.value);
      if (target === key) {
        // An end keeps the configuration.
        if (to.view.status !== 'active') place.isLeft = true;
        continue;
      }
      place.isLeft = true;
      place.next.add(target);
      if (isFromOutside(step)) place.byEvent.add(target);
    }
  }
  return places;
}

/**
 * Sets of configurations that lead to each other and nowhere else. Where a machine begins is none, and neither is what every machine comes to
 * by itself from its start: an application that has loaded. Regions of a parallel machine come to rest one by one, and are not looked at.
 */
export function* cyclesWithoutExit({ original, tests }: Subject, { vertices, first }: MachineGraph): Generator<Found> {
  const places = placesOf(vertices);
  if (tests.filter || original.root.type === 'parallel' || places.size > CONFIGURATIONS_MAX) return;
  const reached = new Map([...places.keys()].map((key) => [key, reach(places, key)]));
  const done = new Set<string>();
  for (const [key, around] of reached) {
    const isBottom = [...around].every((one) => reached.get(one)!.has(key));
    if (done.has(key) || around.size < 2 || !isBottom) continue;
    for (const one of around) done.add(one);
    const inside = [...around].map((one) => places.get(one)!);
    if (around.has(JSON.stringify(first.value)) || inside.some(({ isOpen }) => !isOpen)) continue;
    const entering = [...places].filter(([from, { next }]) => !around.has(from) && [...next].some((one) => around.has(one)));
    const isByEvent = entering.some(([, { byEvent }]) => [...byEvent].some((one) => around.has(one)));
    const isOnlyEnd = [...reached.values()].every((ends) => ends.has(key));
    if (isOnlyEnd && !isByEvent) continue;
    const of = inside
      .map(({ value }) => nameOf(leavesOf(original.root, value)))
      .toSorted()
      .join(', ');
    const steps = inside.map(({ way }) => way).toSorted((a, b) => a.length - b.length)[0]!;
    const isFree = inside.some(({ byEvent }) => byEvent.size > 0);
    yield {
      of,
      steps,
      description: `${inside.length} states lead to each other and nowhere else${isFree ? '' : ', and no event from outside changes that'}`,
    };
  }
}

function reach(places: ReadonlyMap<string, Place>, from: string): ReadonlySet<string> {
  const reached = new Set([from]);
  for (const key of reached) for (const next of places.get(key)!.next) reached.add(next);
  return reached;
}
