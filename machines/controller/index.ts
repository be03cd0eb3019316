/**
 * The resource controller: a budget of M permits for a whole tree of nodes, most of which are given without a message.
 *
 * Fault model: links are FIFO, lose and duplicate nothing; nodes do not fail. Nodes join as leaves, with the controller's permission, and a
 * leaf may leave in order. Then at most M permits are given, every request is answered, and if one is rejected, at least M - W are given in
 * the end.
 *
 * Limitations: permits in the bins of a crashed leaf are lost. Any crash stops the next change, and with it the joins.
 */
import { defineProtocol } from '../define.js';
import { ControllerAccount } from './account.js';
import { controllerCore } from './core.js';
import { controllerCorruption } from './corruption.js';
import { controllerProperties } from './properties.js';
import { controllerSamples } from './samples.js';
import { controllerSystems } from './systems.js';
import { controllerVariants, variantCommands } from './variants.js';
import { controllerOverlay } from './view.js';

export { budgetOver } from './budget/index.js';
export { controllerCore };

/**
 * The resource controller: a budget of M permits for a tree of nodes, most of which are given without a message.
 *
 * @example
 * ```ts
 * import { parseScenario, Simulation } from 'xstate-quiver/network';
 * import { controller } from 'xstate-quiver/machines';
 *
 * const events = ['n1', 'n2', 'n3'].map((node) => ({ at: 0, node, do: 'take' }));
 * const topology = { kind: 'path', n: 4 };
 * const scenario = parseScenario({ protocol: 'controller', topology, options: { M: 2 }, events }, { controller });
 * console.log(new Simulation(scenario).run().verdict);
 * ```
 * @public
 */
export const controller = /* @__PURE__ */ defineProtocol(
  { ...controllerCore, options: controllerVariants, commands: variantCommands },
  { properties: controllerProperties, corruption: controllerCorruption, samples: controllerSamples, systems: controllerSystems },
  {
    paper: 'Afek, Awerbuch, Plotkin, Saks: Local Management of a Global Resource in a Communication Network (J. ACM 43, 1996)',
    observe: (instance) => new ControllerAccount(instance),
    overlay: controllerOverlay,
  },
);
