/** The experiments that `quiver paper` can run. To add one, write its folder and add a line here. */
import { arvyPaper } from './arvy/index.js';
import { controllerExperiment } from './controller/index.js';
import { electionPaper } from './election/index.js';
import { exclusionExperiment } from './exclusion/index.js';
import { queuePaper } from './queue/index.js';
import type { Experiment } from './experiment.js';

export const experiments: readonly Experiment[] = [
  arvyPaper,
  queuePaper,
  electionPaper,
  exclusionExperiment,
  controllerExperiment,
];
