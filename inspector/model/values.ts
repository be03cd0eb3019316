/** Converts XState's state values to text: the active states of `{ form: 'editing' }` are shown as `form.editing`. */
import type { StateValue } from 'xstate';
import { isStateValue } from './line-checks.js';

/** The active states without active children, as dotted paths: one for a plain chart, one for each region of a parallel state. */
export function leavesOf(value: StateValue): string[] {
  if (typeof value === 'string') return [value];
  return Object.entries(value).flatMap(([key, inner]) => {
    const below = inner === undefined ? [] : leavesOf(inner);
    return below.length === 0 ? [key] : below.map((path) => `${key}.${path}`);
  });
}

export const valueText = (value: StateValue): string => leavesOf(value).join(', ');

/** All active states as dotted paths, including compound ones. */
export function activePaths(value: StateValue): Set<string> {
  const active = new Set<string>();
  const enter = (inner: StateValue | undefined, around: string) => {
    if (inner === undefined) return;
    for (const [key, below] of typeof inner === 'string' ? [[inner, undefined] as const] : Object.entries(inner)) {
      active.add(around + key);
      enter(below, `${around}${key}.`);
    }
  };
  enter(value, '');
  return active;
}

/** The state in a snapshot. Actors other than machines have a status and no states, and the value of custom logic may have any type. */
export function stateIn(value: unknown, status: unknown): StateValue {
  if (isStateValue(value)) return value;
  return typeof status === 'string' && status !== '' ? status : 'active';
}
