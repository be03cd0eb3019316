/**
 * Any value of an application as text. Equal values have equal texts, so that states can be distinguished and compared.
 *
 * A protocol's context is plain JSON. An application's context may contain dates, maps, class instances and references to actors. An actor
 * is named as in its test, a function by its name, and a value that contains the current one by its depth, so that cycles end.
 */
import { isPlainName, type NameOf } from './names.js';
import type { AnyActor, AnyMachineSnapshot, StateValue } from 'xstate';

export function encode(value: unknown, nameOf: NameOf, around: readonly unknown[] = []): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value);
    case 'bigint':
      return `${value}n`;
    case 'function':
      return `function ${value.name}`;
    case 'object':
      return value === null ? 'null' : encodeObject(value, nameOf, around);
    default:
      return Object.is(value, -0) ? '-0' : String(value);
  }
}

function encodeObject(value: object, nameOf: NameOf, around: readonly unknown[]): string {
  if (isActor(value)) return `actor ${nameOf(value) ?? 'that is gone'}`;
  const depth = around.indexOf(value);
  if (depth >= 0) return `ring ${depth}`;
  const inside = [...around, value];
  const inner = (one: unknown): string => encode(one, nameOf, inside);
  if (Array.isArray(value)) return `[${value.map(inner).join(',')}]`;
  if (value instanceof Error) return `${value.name} ${JSON.stringify(value.message)}`;
  if (value instanceof RegExp || value instanceof URL) return String(value);
  if (value instanceof Map) return `Map{${[...value].map(([key, one]) => `${inner(key)}:${inner(one)}`).join(',')}}`;
  if (value instanceof Set) return `Set{${[...value].map(inner).join(',')}}`;
  if (isDate(value)) return `Date ${value.getTime()}`;
  const entries = Object.keys(value)
    .sort()
    .map((key) => `${isPlainName(key) ? key : JSON.stringify(key)}:${inner((value as Record<string, unknown>)[key])}`);
  const { constructor } = value;
  const made = constructor === undefined || constructor === Object ? '' : (constructor.name ?? '');
  return `${made}{${entries.join(',')}}`;
}

const isActor = (value: object): boolean => 'sessionId' in value && 'getSnapshot' in value && 'send' in value;

const isDate = (value: object): value is { getTime(): number } =>
  Object.prototype.toString.call(value) === '[object Date]' && 'getTime' in value;

/** Describes the current state of a machine as text, so that two states can be compared. */
export interface Acted {
  readonly type: string;
  readonly params?: unknown;
  /** The context that it saw. */
  readonly context: string;
}

/** The observable state of a machine after a step. */
export interface SeenState {
  readonly value: StateValue;
  readonly status: string;
  readonly context: string;
  readonly actors: readonly string[];
  readonly acted: readonly Acted[];
}

/** A key for an actor's state. Two states with the same key behave in the same way from then on. */
export function keyOf(actor: AnyActor, nameOf: NameOf, visibleContext: (context: unknown) => unknown): string {
  const { status, value, context, historyValue, output, error } = (actor.getSnapshot() ?? {}) as Partial<AnyMachineSnapshot>;
  const history = Object.entries(historyValue ?? {}).map(([id, nodes]) => [id, nodes.map((node) => node.id)]);
  return encode([status, value, visibleContext(context), history, output, error], nameOf);
}

/** The context without the parts that have made no difference in the search. */
export function visibleContext(context: unknown, unread: ReadonlySet<string> | null): unknown {
  if (!unread || unread.size === 0) return context;
  return Object.fromEntries(Object.entries(context as object).filter(([key]) => !unread.has(key)));
}
