/** State values as people read them. */
import type { StateValue } from 'xstate';
import { isStateValue } from './line-checks.js';

/** Every active leaf as a dotted path: one for a plain chart, one a region for a parallel one. */
export function leavesOf(value: StateValue): string[] {
  if (typeof value === 'string') return [value];
  return Object.entries(value).flatMap(([key, inner]) => {
    const below = inner === undefined ? [] : leavesOf(inner);
    return below.length === 0 ? [key] : below.map((path) => `${key}.${path}`);
  });
}

export const valueText = (value: StateValue): string => leavesOf(value).join(', ');

/** Every active state as a dotted path, the compound ones included. */
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
