/**
 * Locks that survive the failure of those who hold them: election and token directory composed, with epochs between them.
 *
 * Fault model: nodes stop, or start again knowing nothing; links come and go, at each end by itself, on the word of a detector that may
 * be wrong; while a link is up it is reliable and first-in first-out. Promises, which properties.ts names: no two grants of a lock with the
 * same fence; an undisturbed user keeps its lock; where nothing fails, one user; a majority that has settled serves everybody in it. What
 * it cannot promise: that a holder who was cut off has noticed. Whatever the lock protects must refuse a fence smaller than one that it
 * has seen.
 */
import { coreOf } from '../core.js';
import { defineProtocol } from '../define.js';
import { LocksAccount } from './account.js';
import { clientLockSamples, clientSamples } from './client-samples.js';
import { locksDescription } from './core.js';
import { CLIENT, CLIENT_LOCK, EPOCHS, LOCK } from './messages.js';
import { locksOptions, type LocksProtocolOptions } from './options.js';
import { locksMayFire, locksProperties } from './properties.js';
import { epochsSamples, lockSamples, storageSamples } from './samples.js';
import { STORAGE } from '../storage.js';
import { locksSystems } from './systems.js';
import { epochsOf, isAttached, isServing } from './view.js';

/**
 * Locks by name without their checks and view, as `createNode` takes it; an application calls `createLocks`.
 *
 * @public
 */
export const locksCore = /* @__PURE__ */ coreOf<LocksProtocolOptions>({ ...locksDescription, options: locksOptions });

/**
 * Locks that survive the failure of those who hold them: election and token directory, with epochs between them.
 *
 * @example
 * ```ts
 * import { parseScenario, Simulation } from 'xstate-quiver/network';
 * import { locks } from 'xstate-quiver/machines';
 *
 * const events = ['n0', 'n1'].map((node) => ({ at: 100, node, do: 'request' }));
 * const scenario = parseScenario({ protocol: 'locks', topology: { kind: 'complete', n: 3 }, events }, { locks });
 * console.log(new Simulation(scenario).run().verdict);
 * ```
 * @public
 */
export const locks = /* @__PURE__ */ defineProtocol(
  locksCore,
  // Election and directory are walked where they are at home.
  {
    properties: locksProperties,
    mayFire: locksMayFire,
    samples: {
      [EPOCHS]: epochsSamples,
      [LOCK]: lockSamples,
      [STORAGE]: storageSamples,
      [CLIENT]: clientSamples,
      [CLIENT_LOCK]: clientLockSamples,
    },
    systems: locksSystems,
  },
  {
    paper: 'Arvy (Khanchandani, Wattenhofer) and leader election (Tbarka), composed by epochs as in Paxos',
    observe: () => new LocksAccount(),
    overlay: (node) => {
      const { leader, id, served, claims } = epochsOf(node).context;
      const isUsing = claims.some(({ fence }) => fence !== null);
      return {
        badge: leader === id ? `♛ ${served.epoch}` : String(served.epoch),
        tone: isUsing ? 'held' : claims.length > 0 ? 'waiting' : isServing(node) || isAttached(node) ? 'plain' : 'wrong',
      };
    },
  },
);
