/**
 * `xstate-quiver/check`: the model checker, and generated tests of protocols. It also checks recorded traces.
 *
 * @module xstate-quiver/check
 */
export { linesThatAnswer } from '../inspector/answering.js';
export { checkActors, defineActors } from '../test/actors/actors.js';
export { Coverage } from '../test/coverage/coverage.js';
export { coverageReport } from '../test/coverage/report.js';
export { describeProtocol } from '../test/describe-protocol.js';
export { describeScenarios } from '../test/describe-scenarios.js';
export { startChart, startSystem } from '../test/emit.js';
export type { Exploration } from '../test/explore/examine.js';
export { explore, type ExploreOptions } from '../test/explore/explore.js';
export { checkScenario } from '../test/explore/scenario.js';
export { everyTopology } from '../test/explore/topologies.js';
export { judgeMutants } from '../test/mutants/mutants.js';
export { graphsOf } from '../test/paths/graph.js';
export { pathsOf } from '../test/paths/paths.js';
export { coverageOf } from '../test/paths/suite.js';
export { verifyTrace } from '../test/verify/verify.js';
