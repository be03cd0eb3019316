/** The state of an actor in a copy: XState's persisted snapshot, and the parts that XState does not persist. */
import type { Snapshot } from 'xstate';
import { fieldsOf, isObject } from '../../machines/checks.js';

/** A delayed event of the machine that was scheduled when its state was stored. */
export interface StoredTimer {
  /** The ids of the children that lead from the actor to the one that scheduled it, and to the one that receives it. */
  readonly source: readonly string[];
  readonly target: readonly string[];
  readonly id: string;
  readonly event: { readonly type: string };
  /** In milliseconds since 1970. */
  readonly dueAt: number;
}

/** An action that has not finished: its version is being committed, or its promise has not settled. */
export interface StoredAction {
  /** The same whenever the action is repeated. */
  readonly key: string;
  readonly name: string;
  readonly event: { readonly type: string };
  readonly params: unknown;
  /** Absent if it is the context of the snapshot. */
  readonly context?: unknown;
}

export interface StoredState {
  /** The version of the machine that wrote it. */
  readonly version: number;
  readonly snapshot: Snapshot<unknown>;
  readonly timers: readonly StoredTimer[];
  readonly actions: readonly StoredAction[];
}

/** The nesting depth of events and states: a message that contains one has a few levels more, up to its own limit of 64. */
const DEPTH_MAX = 50;
/** The number of keys and values of a version, or of the events in one message: half of what a message may have. */
export const VALUES_MAX = 2 ** 16;

/** The number of keys and values. */
export function valuesIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  const parts = Object.values(value);
  return parts.reduce((sum: number, part) => sum + valuesIn(part), 1 + (Array.isArray(value) ? 0 : parts.length));
}

/**
 * Finds where a value stops being JSON that a message can carry: the path and the kind of the part; `null` for a value that is. A key whose
 * value is undefined is left out by JSON, and is accepted.
 */
export function notJson(value: unknown, path = '', depth = DEPTH_MAX): string | null {
  if (value === null || value === undefined || typeof value === 'string' || typeof value === 'boolean') return null;
  if (typeof value === 'number') return Number.isFinite(value) ? null : `${path || 'it'} is ${value}`;
  if (typeof value === 'object' && depth === 0) return `it has more than ${DEPTH_MAX} lists and objects inside each other`;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const found = value[i] === undefined ? `${path}[${i}] is undefined` : notJson(value[i], `${path}[${i}]`, depth - 1);
      if (found !== null) return found;
    }
    return null;
  }
  if (typeof value !== 'object') return `${path || 'it'} is a ${typeof value}`;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype !== Object.prototype && prototype !== null)
    return `${path || 'it'} is a ${value.constructor?.name ?? 'class instance'}`;
  for (const key in value) {
    const found = notJson(fieldsOf(value)[key], path === '' ? key : `${path}.${key}`, depth - 1);
    if (found !== null) return found;
  }
  return null;
}

export const isStoredState = (value: unknown): value is StoredState =>
  isObject(value) && Number.isSafeInteger(value['version']) && isObject(value['snapshot']) && Array.isArray(value['timers']);
