/** The costs of a run over time, compared with the bounds of its paper. A trace does not contain them, so the run is repeated. */
import type { Scenario } from '../network/scenario/types.js';
import { Simulation } from '../network/simulation.js';

/** Measured / bound at a time, by the name of the meter; meters without a bound are left out. */
export interface MeterSample {
  readonly at: number;
  readonly ratios: Readonly<Record<string, number>>;
}

/** The distance between two samples grows by this factor: a plot needs no more, and some meters visit the whole run. */
const GROWTH = 1.08;
const STEPS_MAX = 200_000;

export function sampleMeters(scenario: Scenario): MeterSample[] {
  const simulation = new Simulation(scenario, { host: 'snapshots', watch: false });
  const samples: MeterSample[] = [];
  const sample = () => {
    const bounded = simulation.meters.flatMap(({ name, ratio }) => (ratio === null ? [] : [[name, ratio] as const]));
    samples.push({ at: simulation.network.now, ratios: Object.fromEntries(bounded) });
  };
  let steps = 0;
  let next = 1;
  simulation.network.steps$.subscribe(() => steps++);
  simulation.start();
  while (steps < STEPS_MAX && simulation.advance()) {
    if (steps < next) continue;
    sample();
    next = Math.ceil(steps * GROWTH) + 1;
  }
  sample();
  simulation.network.stop();
  return samples;
}
