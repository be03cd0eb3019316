/** The charts of the trace, read from its header. */
import { computed } from '@preact/signals';
import { isObject } from '../../../machines/checks.js';
import { readChart, type Chart } from '../../model/chart.js';
import { growing } from '../state.js';

const header = computed(() => growing().header);

/** Charts by their text: another run of the same protocol has the same charts, so their layouts are reused. */
let known = new Map<string, Chart>();

export const charts = computed((): ReadonlyMap<string, Chart> => {
  const all = Object.entries(header.value?.charts ?? {}).flatMap(([name, config]) => {
    if (!isObject(config)) return [];
    const text = JSON.stringify([name, config]);
    return [{ name, text, chart: known.get(text) ?? readChart(name, config) }];
  });
  known = new Map(all.map(({ text, chart }) => [text, chart]));
  return new Map(all.map(({ name, chart }) => [name, chart]));
});
