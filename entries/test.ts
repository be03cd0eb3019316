/**
 * `xstate-quiver/test`: generated tests for any XState machine. Those for protocols are in `xstate-quiver/check`.
 *
 * @module xstate-quiver/test
 */
export { describeMachine } from '../test/machine/describe-machine.js';
export { startMachine } from '../test/machine/emit.js';
export type { MachineTests } from '../test/machine/options.js';
export { describeFailure, MachineTesting, replaySteps } from '../test/machine/testing.js';
