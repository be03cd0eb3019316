/** Model-based testing of protocols: exploring all that can happen, walking charts along generated paths, coverage, mutants. */
export { Coverage, type Counts } from './coverage/coverage.js';
export { coverageReport, type CoverageReport } from './coverage/report.js';
export { describeProtocol, type Runner } from './describe-protocol.js';
export { describeScenarios } from './describe-scenarios.js';
export { emitTests, startChart, startSystem } from './emit.js';
export * from './explore/index.js';
export { judgeMutants, mutantsOf, type Judge, type Judged, type Mutant } from './mutants/mutants.js';
export { graphsOf, type ChartGraph } from './paths/graph.js';
export { pathsOf, type Path, type PathKind } from './paths/paths.js';
export { coverageOf } from './paths/suite.js';
export { systemsOf, type System } from './system/systems.js';
export { systemWalks, type SystemWalk } from './system/tours.js';
export { recordWalk, walkAgain } from './system/walk.js';
export { verifyTrace, type Finding, type Verification } from './verify/verify.js';
