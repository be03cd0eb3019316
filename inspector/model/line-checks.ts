/** Checks of every part of a line before its use, for traces and for the reports of programs. */
import type { StateValue } from 'xstate';

/** Real values are far less nested. Much deeper values can neither be written nor be drawn. */
export const LINE_DEPTH_MAX = 1000;

export type JsonRecord = Readonly<Record<string, unknown>>;

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const isMessage = (value: unknown): boolean => isRecord(value) && typeof value['type'] === 'string';

export const isListOf = (value: unknown, is: (one: unknown) => boolean): value is readonly unknown[] =>
  Array.isArray(value) && value.every(is);

export const isString = (value: unknown): value is string => typeof value === 'string';

/** The error for values that are nested too deeply. */
export const TOO_DEEP = `it is nested more than ${LINE_DEPTH_MAX} levels deep`;

/** True if a value is nested too deeply to be written. Visits no more levels than necessary. */
export function isTooDeep(value: unknown): boolean {
  let level: object[] = [{ value }];
  for (let depth = -1; level.length > 0; depth++) {
    if (depth >= LINE_DEPTH_MAX) return true;
    level = level.flatMap((outer) => Object.values(outer).filter((inner) => typeof inner === 'object' && inner !== null));
  }
  return false;
}

/** Machines do not nest states this deep, but a cyclic value does. */
const STATES_DEEP_MAX = 100;

/** True for the state of a machine: a word, or states with their active inner states. */
export const isStateValue = (value: unknown, levels = STATES_DEEP_MAX): value is StateValue =>
  typeof value === 'string' ||
  (levels > 0 &&
    isRecord(value) &&
    Object.values(value).every((inner) => inner === undefined || isStateValue(inner, levels - 1)));

/** True for the state of a role, or for `null`, which means that the role was closed. */
export const isRole = (role: unknown): boolean =>
  role === null || (isRecord(role) && typeof role['chart'] === 'string' && isStateValue(role['value']));

export const areRoles = (value: unknown): boolean => isRecord(value) && Object.values(value).every(isRole);

/** Transitions that a step took or whose guards refused: role, state, event and number of each. */
export const areTransitions = (value: unknown): boolean =>
  isListOf(
    value,
    (one) => Array.isArray(one) && one.slice(0, 3).every(isString) && one.length === 4 && typeof one[3] === 'number',
  );

/** True for the marks of a node. */
export const isOverlay = (value: unknown): boolean =>
  isRecord(value) && ['pointers', 'gauges', 'edges'].every((key) => value[key] === undefined || isListOf(value[key], isRecord));
