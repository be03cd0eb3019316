/** Charts with a deliberate mistake, so that each kind of check fails. */
import { createMachine, type AnyStateMachine } from 'xstate';

/** A copy of the chart with an edited config. */
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
