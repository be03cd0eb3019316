/**
 * Locks of the tabs of one origin: the tabs that are there are the cluster. What is not promised is in docs/tab-locks.md.
 *
 * There is no list and no majority: the first tab is served as soon as nobody has answered its hello, and who is there is enough. So
 * where the channel itself divides, or a tab was frozen, a lock can be held twice; its fences tell who is late.
 */
import { checkOptions, environment, optional, must, someText } from '../options.js';
import type { InEnvironment } from '../environment.js';
import { tabsTransport } from '../transports/tabs.js';
import type { Inspect } from '../../network/world/kernel.js';
import { Locks } from './locks.js';
import { Visits, type PageEvents } from './visits.js';

/**
 * Options for `createTabLocks`.
 *
 * @public
 */
export interface TabLocksOptions extends InEnvironment {
  /** The tabs of one origin that give the same share their locks. @defaultValue `locks` */
  readonly channel?: string;
  /** XState's own option: an observer of the node's live actors. */
  readonly inspect?: Inspect | undefined;
}

const CHECKS = {
  channel: optional(someText),
  inspect: optional(
    must(
      'a function, or an observer with next',
      (value) => typeof value === 'function' || (typeof value === 'object' && value !== null),
    ),
  ),
  ...environment,
};

/**
 * Locks by name that the tabs, frames and workers of one origin share over a BroadcastChannel: whoever is there is the cluster, and nobody is
 * listed. The first is served once nobody has answered for a second, later ones as soon as those who are there have. Where Web Locks will do, take those; here each grant has a fence.
 *
 * @throws UsageError for an option that is wrong or not known.
 * @example
 * ```ts
 * import { createTabLocks } from 'xstate-quiver/locks';
 *
 * const locks = createTabLocks({ channel: 'orders' });
 * await locks.request('cart', async (lock) => console.log('this tab alone, with fence', lock.fence));
 * await locks.close();
 * ```
 * @public
 */
export function createTabLocks(options: TabLocksOptions = {}): Locks {
  checkOptions('createTabLocks', options, CHECKS);
  const { channel = 'locks', inspect, ...environment } = options;
  const page = 'document' in globalThis ? (globalThis as unknown as PageEvents) : undefined;
  const visits = new Visits(() => tabsTransport(channel, environment), page);
  return new Locks({ transport: visits.line, name: 'locks', inspect, ...environment }, visits);
}
