/** The experiments that `quiver paper` knows, by name: one folder and one line each. */
import { arvy } from './arvy/index.js';
import { controllerExperiment } from './controller/index.js';
import { election } from './election/index.js';
import { exclusionExperiment } from './exclusion/index.js';
import { queue } from './queue/index.js';
import type { Experiment } from './experiment.js';

export const experiments: Readonly<Record<string, Experiment>> = {
  arvy,
  controller: controllerExperiment,
  election,
  exclusion: exclusionExperiment,
  queue,
};
