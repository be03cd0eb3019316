/** A chart's config as plain JSON, with functions replaced by their names: enough to draw it, and the same on every machine. */
import type { AnyStateMachine } from 'xstate';

export function chartDefinition(machine: AnyStateMachine): unknown {
  return JSON.parse(JSON.stringify(machine.config, (_key, value: unknown) => (typeof value === 'function' ? value.name : value)));
}
