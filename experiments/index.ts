/** The experiments that `quiver paper` knows, by name: one folder and one line each. */
import { arvyPaper } from './arvy/index.js';
import { controllerExperiment } from './controller/index.js';
import { electionPaper } from './election/index.js';
import { exclusionExperiment } from './exclusion/index.js';
import { queuePaper } from './queue/index.js';
import type { Experiment } from './experiment.js';

export const experiments: Readonly<Record<string, Experiment>> = {
  arvyPaper,
  controller: controllerExperiment,
  electionPaper,
  exclusion: exclusionExperiment,
  queuePaper,
};
