/**
 * A chart's config as plain JSON, with functions replaced by their names: enough to draw it, and the same on every machine.
 *
 * Actions and guards of XState's own creators get names that contain their arguments: `raise found`, `assign(count)`,
 * `and(isFree, not(isLast))`.
 */
import type { AnyStateMachine } from 'xstate';
import { fieldsOf } from '../machines/checks.js';

export function chartDefinition(machine: AnyStateMachine): unknown {
  /** The values on the path from the config to the current value. */
  const around: unknown[] = [];
  /** The original of each value in a copy. */
  const originals = new Map<unknown, unknown>();
  const plain = function (this: unknown, key: string, value: unknown): unknown {
    while (around.length > 0 && around.at(-1) !== this) around.pop();
    const isAround = value !== undefined && around.some((one) => one === value || originals.get(one) === value);
    if (isAround || (HOLDS_ANYTHING.has(key) && isTooMuch(value))) return '…';
    const result = replaced(key, value);
    around.push(result);
    if (result !== value) originals.set(result, value);
    return result;
  };
  return JSON.parse(JSON.stringify(machine.config, plain));
}

/** Keys of a config with arbitrary values. Values above the limit are not part of a picture. */
const HOLDS_ANYTHING = new Set(['context', 'meta', 'input', 'output', 'params']);
const VALUES_MAX = 2_000;

const isTooMuch = (value: unknown): boolean => leftAfter(value, VALUES_MAX, new Set()) < 0;

/** The number of values left of the limit; cycles are counted once. */
function leftAfter(value: unknown, allowed: number, around: Set<object>): number {
  let left = allowed - 1;
  if (typeof value !== 'object' || value === null || around.has(value)) return left;
  if (ArrayBuffer.isView(value)) return left - value.byteLength;
  around.add(value);
  for (const key of Object.keys(value)) {
    left = isAccessor(value, key) ? left - 1 : leftAfter(fieldsOf(value)[key], left, around);
    if (left < 0) break;
  }
  around.delete(value);
  return left;
}

function replaced(key: string, value: unknown): unknown {
  if (typeof value === 'function') return nameOf(value);
  if (typeof value === 'bigint') return `${value}n`;
  // `undefined` marks an event that a state forbids, and JSON would omit it.
  if (key === 'on' && typeof value === 'object' && value !== null && !Array.isArray(value))
    return Object.fromEntries(Object.entries(value).map(([event, choices]) => [event, choices === undefined ? {} : choices]));
  return typeof value === 'object' && value !== null ? withoutGetters(value) : value;
}

/** The value, or a copy with placeholders if it has getters. */
function withoutGetters(value: object): object {
  const keys = Object.keys(value);
  if (!keys.some((key) => isAccessor(value, key))) return value;
  return Object.fromEntries(keys.map((key) => [key, isAccessor(value, key) ? NOT_CALLED : fieldsOf(value)[key]]));
}

/** The fields that XState's creators set on their functions. */
interface Named {
  readonly name: string;
  readonly guards?: readonly unknown[];
  readonly stateValue?: unknown;
  readonly event?: unknown;
  readonly assignment?: unknown;
  readonly src?: unknown;
}

function nameOf({ name, guards, stateValue, event, assignment, src }: Named): string {
  const list = (words: readonly string[]) => `${name}(${words.join(', ')})`;
  if (Array.isArray(guards)) return list(guards.map(wordOf));
  if (stateValue !== undefined) return list([typeof stateValue === 'string' ? stateValue : JSON.stringify(stateValue)]);
  if (typeof event === 'object' && event !== null && 'type' in event) return `${name} ${String(event.type)}`;
  if (typeof assignment === 'object' && assignment !== null) return list(Object.keys(assignment));
  return typeof src === 'string' ? `${name} ${src}` : name;
}

const wordOf = (value: unknown): string => {
  if (typeof value === 'function') return nameOf(value);
  if (typeof value === 'object' && value !== null && 'type' in value) return String(value.type);
  return String(value);
};

/** The name of an invoked actor: its id or its source, with its position if that is ambiguous. */
export function invokeName(all: readonly { readonly id?: string; readonly src: unknown }[], index: number): string {
  const called = ({ id, src }: (typeof all)[number]): string => id ?? (typeof src === 'string' ? src : 'invoked');
  const name = called(all[index]!);
  return all.findIndex((one) => called(one) === name) === index ? name : `${name}#${index + 1}`;
}

/** The text that is shown for a getter. */
export const NOT_CALLED = '‹getter, not called›';

/** True if the holder itself has the key as a getter or a setter, and not as a value. */
export const isAccessor = (holder: object, key: string): boolean => {
  const own = Object.getOwnPropertyDescriptor(holder, key);
  return own !== undefined && !('value' in own);
};
