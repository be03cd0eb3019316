/**
 * The states that the transitions of a step left and entered, and whose exit and entry actions ran.
 *
 * A trace contains the transitions, and the states before and after the whole step. The states between two transitions follow from the
 * chart, except for the memory of history states. These are unknown, as are transitions that do not lead to the states after the step.
 */
import type { StateValue } from 'xstate';
import type { Chart, ChartState, ChartTransition } from './chart.js';
import { activePaths } from './values.js';

export interface Passed {
  /** In the order in which they are left, inner ones first. */
  readonly left: readonly ChartState[];
  /** In the order in which they are entered, outer ones first. */
  readonly entered: readonly ChartState[];
  /** The states that the machine's end left without a transition: all active states, inner ones first. */
  readonly ended: readonly ChartState[];
}

/** The passed states of each transition, in order; `null` where they are unknown. */
export function passedBy(
  chart: Chart,
  before: StateValue,
  taken: readonly ChartTransition[],
  after: StateValue,
): readonly Passed[] | null {
  const states = [...chart.states.values()];
  const inOrder = (paths: ReadonlySet<string>) => states.filter(({ path }) => paths.has(path));
  const end = activePaths(after).add('');
  let now: ReadonlySet<string> = activePaths(before).add('');
  const all: Passed[] = [];
  for (const [i, transition] of taken.entries()) {
    if (!now.has(transition.source)) return null;
    const around = domainOf(chart, transition);
    const isInside = (path: string) => around !== null && isWithin(chart, path, around);
    const leaves = (path: string) => isInside(path) || (path === around && transition.reenter && transition.source === around);
    const left = new Set([...now].filter(leaves));
    const entered = i === taken.length - 1 ? new Set([...end].filter(leaves)) : enteredBy(chart, transition, around);
    if (entered === null) return null;
    now = new Set([...[...now].filter((path) => !left.has(path)), ...entered]);
    const ended = isDone(chart.root, now) ? inOrder(now).reverse() : [];
    all.push({ left: inOrder(left).reverse(), entered: inOrder(entered), ended });
  }
  const isReached = inOrder(now).length === inOrder(end).length && inOrder(end).every(({ path }) => now.has(path));
  return isReached ? all : null;
}

/** True if a machine, or a part of it, is in a final state. */
function isDone({ kind, children }: ChartState, active: ReadonlySet<string>): boolean {
  const inside = children.filter(({ path }) => active.has(path));
  if (kind === 'parallel') return inside.every((child) => isDone(child, active));
  return inside.some((child) => child.kind === 'final');
}

const parentOf = (chart: Chart, path: string): string | null => chart.states.get(path)?.parent ?? null;

/** True if a state is inside of another one. */
function isWithin(chart: Chart, path: string, around: string): boolean {
  for (let outer = parentOf(chart, path); outer !== null; outer = parentOf(chart, outer)) if (outer === around) return true;
  return false;
}

/** The innermost state within which a transition leaves and enters states; `null` for one without a target. */
function domainOf(chart: Chart, { source, targets, reenter }: ChartTransition): string | null {
  if (targets.length === 0) return null;
  const isIn = (path: string, around: string) => isWithin(chart, path, around);
  if (!reenter && targets.every((target) => target === source || isIn(target, source))) return source;
  const ends = [...targets, source];
  for (let outer = parentOf(chart, ends[0]!); outer !== null; outer = parentOf(chart, outer))
    if (ends.every((path) => isIn(path, outer))) return outer;
  return '';
}

/** The states that a transition enters by its definition, or `null` if they depend on history. */
function enteredBy(chart: Chart, { targets, source, reenter }: ChartTransition, around: string | null): Set<string> | null {
  const entered = new Set<string>();
  if (around === null) return entered;
  if (reenter && source === around) entered.add(around);
  for (const target of targets)
    for (let path = target; path !== around; path = parentOf(chart, path)!) {
      if (chart.states.get(path)?.kind === 'history') return null;
      entered.add(path);
    }
  return [...entered, ...targets.filter((path) => path === around)].every((path) => fill(chart, path, entered)) ? entered : null;
}

/** Adds what is entered with a state: each part of a parallel one, the first of a compound one of which none is entered yet. */
function fill(chart: Chart, path: string, entered: Set<string>): boolean {
  const state = chart.states.get(path);
  if (!state) return false;
  const { kind, children, initial } = state;
  if (kind === 'parallel')
    return children
      .filter((child) => child.kind !== 'history')
      .every((child) => (entered.has(child.path) ? true : (entered.add(child.path), fill(chart, child.path, entered))));
  if (kind !== 'compound' || children.some((child) => entered.has(child.path))) return true;
  if (initial === null || chart.states.get(initial)?.kind === 'history') return false;
  entered.add(initial);
  return fill(chart, initial, entered);
}
