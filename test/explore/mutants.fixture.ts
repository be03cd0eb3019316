/** Charts with a fault put in, to see each kind of check fail. */
import { createMachine, type AnyStateMachine } from 'xstate';

/** The same chart after an edit of its config. */
export function mutant(chart: AnyStateMachine, edit: (states: any) => void): AnyStateMachine {
  const config: any = copy(chart.config);
  edit(config.states);
  return createMachine(config, chart.implementations as any) as AnyStateMachine;
}

function copy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(copy);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)]));
}
