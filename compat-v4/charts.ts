/** Every chart of every protocol with its samples, and what version 4 has no form for. */
import { protocols } from '../machines/index.js';
import type { ChartSamples } from '../machines/protocol.js';
import { to4, Unrenderable, type Chart5 } from './to4.js';

export interface Rendered {
  readonly name: string;
  readonly chart: Chart5;
  readonly sample: ChartSamples;
}

const seen = new Set<Chart5>();

/** Protocols share charts; each is taken once, with every sample. */
const all: readonly Rendered[] = Object.values(protocols).flatMap(({ name, charts, samples }) =>
  Object.entries(charts).flatMap(([key, chart]) => {
    if (seen.has(chart)) return [];
    seen.add(chart);
    return (samples[key] ?? []).map((sample, i) => ({ name: `${name} ${key}, start ${i}`, chart, sample }));
  }),
);

function whyNot({ chart, sample }: Rendered): string | null {
  try {
    to4(chart, sample.input);
    return null;
  } catch (error) {
    if (error instanceof Unrenderable) return error.message;
    throw error;
  }
}

export const rendered = all.filter((one) => whyNot(one) === null);

/** By chart: why it cannot be rendered. */
export const refused: Readonly<Record<string, string>> = Object.fromEntries(
  all.flatMap((one) => {
    const reason = whyNot(one);
    return reason === null ? [] : [[one.chart.id, reason]];
  }),
);
