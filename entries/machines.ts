/** `xstate-quiver/machines`: the descriptions of all protocols, and the cores that live nodes run. */
export { protocols } from '../machines/index.js';
export { compose, type ComposeOptions, type StackRule } from '../machines/compose/index.js';
export { budgetOver, controller, controllerCore } from '../machines/controller/index.js';
export { directory, directoryCore, directoryWith, type NewParent } from '../machines/directory/index.js';
export { election, electionCore, nearest } from '../machines/election/index.js';
export { exclusion, exclusionCore } from '../machines/exclusion/index.js';
export { link } from '../machines/link/index.js';
export { locks } from '../machines/locks/index.js';
export { queue, queueCore } from '../machines/queue/index.js';
export { nobodyIsStuck } from '../machines/stuck.js';
