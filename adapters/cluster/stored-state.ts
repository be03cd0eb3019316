/** What a copy holds of an actor: XState's persisted snapshot, and what XState does not persist. */
import type { Snapshot } from 'xstate';
import { isObject } from '../../machines/checks.js';

/** A delayed event that was scheduled. */
export interface StoredTimer {
  /** The ids of the children that lead from the actor to the one that scheduled it, and to the one that receives it. */
  readonly source: readonly string[];
  readonly target: readonly string[];
  readonly id: string;
  readonly event: { readonly type: string };
  /** In milliseconds since 1970. */
  readonly dueAt: number;
}

/** An action whose version is being committed: it has not run, or may have. */
export interface StoredAction {
  /** The same whenever it is repeated. */
  readonly key: string;
  readonly name: string;
  readonly event: { readonly type: string };
  readonly params: unknown;
  /** Absent where it is the context of the snapshot. */
  readonly context?: unknown;
}

export interface StoredState {
  /** Of the machine that wrote it. */
  readonly version: number;
  readonly snapshot: Snapshot<unknown>;
  readonly timers: readonly StoredTimer[];
  readonly actions: readonly StoredAction[];
}

/**
 * Where a value stops being JSON: the path of the part, and what it is; null for a value that is JSON. A key whose value is undefined is
 * left out by JSON, and is accepted.
 */
export function notJson(value: unknown, path = ''): string | null {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean') return null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : `${path || 'it'} is ${value}`;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const found = value[i] === undefined ? `${path}[${i}] is undefined` : notJson(value[i], `${path}[${i}]`);
      if (found !== null) return found;
    }
    return null;
  }
  if (typeof value !== 'object') return `${path || 'it'} is a ${typeof value}`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    return `${path || 'it'} is a ${(value.constructor as { name?: string } | undefined)?.name ?? 'class instance'}`;
  for (const key in value) {
    const found = notJson((value as Record<string, unknown>)[key], path === '' ? key : `${path}.${key}`);
    if (found !== null) return found;
  }
  return null;
}

export const isStoredState = (value: unknown): value is StoredState =>
  isObject(value) && Number.isSafeInteger(value['version']) && isObject(value['snapshot']) && Array.isArray(value['timers']);
