/** The model checker. */
export { explore, type ExploreOptions } from './explore.js';
export type { Bounds, Progress } from './bounds.js';
export type { Counterexample, Start } from './counterexample.js';
export type { Exploration, Reduction } from './examine.js';
export { everyTopology, type Scope } from './topologies.js';
export { checkScenario, type CheckOptions } from './scenario.js';
export type { Scripted } from '../../network/world/script.js';
export type { Budget } from '../../network/world/environment.js';
