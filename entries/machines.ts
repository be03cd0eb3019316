/**
 * `xstate-quiver/machines`: all protocols of Quiver, to simulate, check and run.
 *
 * @module xstate-quiver/machines
 */
export { protocols } from '../machines/index.js';
export { compose } from '../machines/compose/index.js';
export { budgetOver, controller } from '../machines/controller/index.js';
export { directory, directoryWith, type NewParent } from '../machines/directory/index.js';
export { election, nearest } from '../machines/election/index.js';
export { exclusion } from '../machines/exclusion/index.js';
export { link } from '../machines/link/index.js';
export { locks } from '../machines/locks/index.js';
export { queue } from '../machines/queue/index.js';
export { noNodeIsStuck } from '../machines/stuck.js';
