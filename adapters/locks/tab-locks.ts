/**
 * Locks of the tabs of one origin: the open tabs are the cluster. docs/tab-locks.md lists the limitations.
 *
 * Tabs have neither a list nor a majority. The first tab is served when no reply to its `hello` has come in time, and the open tabs are
 * enough. If the channel itself divides, or a tab was frozen, two tabs can therefore hold a lock at once; the larger fence is the later grant.
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
  /** The name of the channel. Tabs of one origin with the same name share their locks. @defaultValue `locks` */
  readonly channel?: string;
  /** XState's `inspect` option: an observer of the node's live actors. */
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
 * Creates locks by name that the tabs, frames and workers of one origin share over a BroadcastChannel. The open tabs are the cluster,
 * without a list. The first tab is served at once, later ones as soon as the open ones have replied. Without Web Locks, the first tab waits
 * for a second. If Web Locks are sufficient, use those; here each grant also has a fence.
 *
 * @param options the name of the channel (default `locks`), and an observer of the actors.
 * @returns the locks of this tab.
 * @throws UsageError for an option that is wrong or unknown.
 * @example
 * ```ts
 * import { createTabLocks } from 'xstate-quiver/locks';
 *
 * const locks = createTabLocks({ channel: 'orders' });
 * await locks.request('cart', async (lock) => console.log('only this tab, with fence', lock.fence));
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
