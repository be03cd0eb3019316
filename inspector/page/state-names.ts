/** Names and colors of charts' states in plots and lanes. The chart's name is added only if the trace has several charts. */
import { computed } from '@preact/signals';
import { colorStyle } from './colors.js';
import { growing } from './state.js';

const count = computed(() => growing().tally.states.size);

export const stateNames = computed((): readonly string[] => {
  const names = growing().tally.states.names.slice(0, count.value);
  const charts = new Set(names.map((name) => name.slice(0, name.indexOf(':'))));
  return charts.size > 1 ? names : names.map((name) => name.slice(name.indexOf(':') + 2));
});

/** The color that a state of a chart has in lanes, plots, tables and its chart. */
export function stateStyle(chart: string, state: string | null): string {
  const number = state === null ? -1 : growing().tally.states.find(`${chart}: ${state}`);
  return number < 0 ? 'var(--line)' : colorStyle('state', number);
}
