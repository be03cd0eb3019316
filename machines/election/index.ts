/**
 * Leader election in a network whose links come and go, and on demand a hierarchy of leaders within reach of everybody.
 *
 * Fault model: nodes do not fail; a channel that is up loses, doubles and reorders nothing; each end of a link hears by itself, and at
 * any time, that its channel has come up or gone down, which empties the channel. Under it every component has exactly one leader
 * some time after changes stop. In between there may be none or several: a leader is not a lock.
 */
import { defineProtocol } from '../define.js';
import { levelSamples } from '../hierarchy/samples.js';
import { ElectionAccount } from './account.js';
import { electionCore } from './core.js';
import { electionCorruption } from './corruption.js';
import { ELECTION, LEVEL } from './messages.js';
import { overlay } from './overlay.js';
import { electionProperties } from './properties.js';
import { samples, systems } from './samples.js';
import { times } from './times.js';

export { nearest } from '../hierarchy/view.js';
export { electionMachine } from './machine.js';
export { electionCore };

/**
 * Leader election in a network whose links come and go: every component has exactly one leader some time after changes stop.
 *
 * @example
 * ```ts
 * import { parseScenario, Simulation } from 'xstate-quiver/network';
 * import { election } from 'xstate-quiver/machines';
 *
 * const events = [{ at: 100, do: 'cut', link: ['n0', 'n1'] }];
 * const scenario = parseScenario({ protocol: 'election', topology: { kind: 'ring', n: 5 }, events }, { election });
 * console.log(new Simulation(scenario).run().verdict);
 * ```
 * @public
 */
export const election = /* @__PURE__ */ defineProtocol(
  electionCore,
  {
    properties: electionProperties,
    corruption: electionCorruption,
    times,
    samples: { [ELECTION]: samples, [LEVEL]: levelSamples },
    systems,
  },
  {
    paper: 'Tbarka: Hierarchical Leader Election Algorithm With Remoteness Constraint (2019)',
    observe: (instance) => new ElectionAccount(instance),
    overlay,
  },
);
