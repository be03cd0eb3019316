import type { RehearsalScenario } from './scenario.js';

/** Two peers to whom nothing happens. */
export const quietScenario: RehearsalScenario = {
  seed: 1,
  seconds: 10,
  peers: ['p0', 'p1'],
  services: [],
  clients: [],
  startsMs: [0, 0],
  skewsMs: [0, 0],
  latencyMs: [1, 2],
  faults: [],
  knobs: {},
  limits: 'shipped',
};
