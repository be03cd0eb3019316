/**
 * Local mutual exclusion: a node locks itself and all its neighbors, without identities, while links come and go.
 *
 * Fault model: nodes do not fail and know their neighbors only by port numbers. Messages arrive in any order, and none is lost on a link
 * that stays. Links may be cut and joined at any time; both ends are notified of a cut. Then every request succeeds with probability 1, and
 * locked neighborhoods never overlap.
 *
 * Limitations: a node whose link to its holder is cut is free at once, even though the holder may still be in its critical section.
 */
import { defineProtocol } from '../define.js';
import { ExclusionAccount } from './account.js';
import { exclusionCore } from './core.js';
import { exclusionCorruption } from './corruption.js';
import { exclusionProperties, printedProperties } from './properties.js';
import { samplesOf, exclusionSystems } from './samples.js';
import { printedMachine } from './printed.js';
import { EXCLUSION, exclusionOverlay } from './view.js';

export { exclusionMachine } from './machine.js';
export { exclusionCore };

/** The chart of the rules as the paper prints them. Applications do not load it. */
const PRINTED = 'printed';

/**
 * Local mutual exclusion: a node locks itself and all its neighbors, without identities, while links come and go. Commands:
 * `lock`, `unlock`.
 *
 * @example
 * ```ts
 * import { parseScenario, Simulation } from 'xstate-quiver/network';
 * import { exclusion } from 'xstate-quiver/machines';
 *
 * const events = ['n0', 'n2'].map((node) => ({ at: 0, node, do: 'lock' }));
 * const scenario = parseScenario({ protocol: 'exclusion', topology: { kind: 'ring', n: 4 }, events }, { exclusion });
 * console.log(new Simulation(scenario).run().verdict);
 * ```
 * @public
 */
export const exclusion = /* @__PURE__ */ defineProtocol(
  {
    ...exclusionCore,
    charts: { ...exclusionCore.charts, [PRINTED]: printedMachine },
    roles: (id, instance) => {
      const starts = exclusionCore.roles(id, instance);
      return instance.options.rules === 'printed' ? starts.map((start) => ({ ...start, chart: PRINTED })) : starts;
    },
  },
  {
    properties: ({ options: { rules } }) => (rules === 'printed' ? printedProperties : exclusionProperties),
    corruption: exclusionCorruption,
    samples: { [EXCLUSION]: samplesOf(['corrected', 'deferred']), [PRINTED]: samplesOf(['printed']) },
    systems: exclusionSystems,
  },
  {
    paper:
      'Daymude, Richa, Scheideler: Local Mutual Exclusion for Dynamic, Anonymous, Bounded Memory Message Passing Systems (SAND 2022)',
    observe: (instance) => new ExclusionAccount(instance),
    overlay: exclusionOverlay,
  },
);
