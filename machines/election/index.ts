/**
 * Leader election in a network whose links come and go, and optionally a hierarchy of leaders near every node.
 *
 * Fault model: nodes do not fail. A channel that is up loses, duplicates and reorders nothing. Each end of a link is notified separately,
 * at any time, that its channel has come up or gone down, which empties the channel. Then every component has exactly one leader some time
 * after changes stop. In between it may have none or several: a leader is not a lock.
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
