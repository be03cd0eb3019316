/**
 * Locks that survive the failure of their holders: leader election and token directory, composed by epochs.
 *
 * Fault model: nodes stop, or restart without memory. Links go up and down, separately at each end, according to a failure detector that
 * may be wrong; while a link is up, it is reliable and first-in first-out.
 *
 * Guarantees, which properties.ts names: no two grants of a lock have the same fence; an undisturbed holder keeps its lock; without
 * failures a lock has one holder; a settled majority serves all requests in it.
 *
 * Limitations: a holder that was cut off may not have noticed it. The protected resource must reject a fence smaller than one that it has
 * seen.
 */
import { coreOf } from '../core.js';
import { defineProtocol } from '../define.js';
import { LocksAccount } from './account.js';
import { clientLockSamples, clientSamples } from './client-samples.js';
import { locksDescription } from './core.js';
import { lockSamples, storageSamples } from './lock-samples.js';
import { CLIENT, CLIENT_LOCK, EPOCHS, LOCK } from './messages.js';
import { locksOptions } from './options.js';
import { locksMayFire, locksProperties } from './properties.js';
import { epochsSamples } from './samples.js';
import { STORAGE } from '../storage.js';
import { locksSystems } from './systems.js';
import { epochsOf, isAttached, isServing } from './view.js';

/**
 * Locks without their checks and view, for `createNode`. Applications call `createLocks` instead.
 *
 * @public
 */
export const locksCore = /* @__PURE__ */ coreOf({ ...locksDescription, options: locksOptions });

/**
 * Locks that survive the failure of their holders: leader election and token directory, composed by epochs.
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
  // The samples of election and directory are in their own protocols.
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
      const [held, waited] = [true, false].map((isHeld) =>
        claims.filter(({ fence }) => (fence !== null) === isHeld).map(({ lock }) => lock),
      );
      const words = [
        held!.length > 0 && `holds ${locksText(held!, waited!)}`,
        waited!.length > 0 && `waits for ${locksText(waited!, held!)}`,
      ];
      const members = served.members.length;
      return {
        badge: [leader === id && '★', words.filter(Boolean).join(', ')].filter(Boolean).join(' '),
        tone:
          held!.length > 0 ? 'held' : waited!.length > 0 ? 'waiting' : isServing(node) || isAttached(node) ? 'plain' : 'wrong',
        group: `epoch ${served.epoch}, ${members} ${members === 1 ? 'member' : 'members'}`,
      };
    },
  },
);

/** The name of a lock, or the number of several. A badge for both holding and waiting has room for numbers only. */
const locksText = (names: readonly string[], others: readonly string[]): string =>
  others.length > 0 ? String(names.length) : names.length === 1 ? names[0]! : `${names.length} locks`;
