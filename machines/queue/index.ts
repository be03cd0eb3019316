/**
 * The self-stabilizing arrow queue: any node may request a place, and each request learns its predecessor along pointers of a tree. After
 * any fault, every edge repairs itself within a constant number of round trips.
 *
 * Fault model: links keep the order of messages and deliver within half a round trip R. Any finite number of faults may change any
 * variable, timer and message. Every edge is fully legal 3R + tau after the last of them, and from then on each request is queued exactly
 * once behind its own predecessor.
 *
 * Limitations: until then finds may be lost, invented or queued twice, and nothing is promised. The queue has no token, and so no mutual
 * exclusion, at any time.
 */
import { defineProtocol } from '../define.js';
import { QueueAccount } from './account.js';
import { queueCore } from './core.js';
import { queueCorruption } from './corruption.js';
import { withoutExcess } from './counts.js';
import { isAtRest, queueMayFire, queueProperties } from './properties.js';
import { queueSamples, queueSystems } from './samples.js';
import { queueOverlay } from './view.js';

export type { Queued } from './messages.js';

/**
 * The self-stabilizing arrow queue: each request learns its predecessor, and every edge repairs itself after faults. It has no token.
 *
 * @example
 * ```ts
 * import { parseScenario, Simulation } from 'xstate-quiver/network';
 * import { queue } from 'xstate-quiver/machines';
 *
 * const workload = { concurrent: 2, requests: 6 };
 * const scenario = parseScenario({ protocol: 'queue', topology: { kind: 'ring', n: 4 }, workload }, { queue });
 * console.log(new Simulation(scenario).run().verdict);
 * ```
 * @public
 */
export const queue = /* @__PURE__ */ defineProtocol(
  queueCore,
  {
    properties: queueProperties,
    corruption: queueCorruption,
    atRest: isAtRest,
    mayFire: queueMayFire,
    canonical: withoutExcess,
    samples: queueSamples,
    systems: queueSystems,
  },
  {
    paper: 'Tirthapura, Herlihy: Self-Stabilizing Distributed Queuing (IEEE TPDS 2006)',
    observe: (instance) => new QueueAccount(instance),
    overlay: queueOverlay,
  },
);
