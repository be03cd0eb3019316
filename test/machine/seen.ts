/** Describes the current state of a machine as text, so that two states can be compared. */
import type { AnyActor, AnyMachineSnapshot, StateValue } from 'xstate';
import { encode } from './encode.js';
import type { NameOf } from './names.js';

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

/** The identity of an actor's state: everything that can make a difference later. */
export function keyOf(actor: AnyActor, nameOf: NameOf, visibleContext: (context: unknown) => unknown): string {
  const { status, value, context, historyValue, output, error } = (actor.getSnapshot() ?? {}) as Partial<AnyMachineSnapshot>;
  const history = Object.entries(historyValue ?? {}).map(([id, nodes]) => [id, nodes.map((node) => node.id)]);
  return encode([status, value, visibleContext(context), history, output, error], nameOf);
}

/** A context without what the search has found to make no difference. */
export function visibleContext(context: unknown, unread: ReadonlySet<string> | null): unknown {
  if (!unread || unread.size === 0) return context;
  return Object.fromEntries(Object.entries(context as object).filter(([key]) => !unread.has(key)));
}
