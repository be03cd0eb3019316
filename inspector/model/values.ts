/** State values as people read them. */
import type { StateValue } from 'xstate';

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
  for (const leaf of leavesOf(value)) {
    const keys = leaf.split('.');
    for (let length = 1; length <= keys.length; length++) active.add(keys.slice(0, length).join('.'));
  }
  return active;
}
