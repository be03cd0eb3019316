/** Short unique numbers for many peers, kept by a tree of peers that stay or by a majority of peers that may crash. */
import { isObject } from '../machines/checks.js';
import type { PeersOptions } from './controller/controller-node.js';
import { Names } from './controller/names.js';
import { LastingNames, type LastingNamesOptions } from './locks/lasting-names.js';

export type { Names } from './controller/names.js';
export type { LastingNames, LastingNamesOptions } from './locks/lasting-names.js';

/**
 * Short unique numbers for many peers: no number is given twice.
 *
 * With `transport` and `peers`, a tree of the peers gives most numbers without a message, as long as its root (the first peer, by default) stays.
 * With `locks`, a majority of their peers keeps the count, and it survives crashes.
 *
 * @throws UsageError for an option that is missing, wrong or unknown, and when the transport's id is not among `peers` or `parents` has no root.
 * @example
 * ```ts
 * import { createLocks } from 'xstate-quiver/locks';
 * import { createNames } from 'xstate-quiver/names';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const bus = new InProcessBus();
 * const [a, b] = ['a', 'b'].map((id) => createNames({ transport: bus.transport(id), peers: ['a', 'b'] }));
 * console.log(await a.next(), await b.next()); // two different numbers
 *
 * const locks = createLocks({ transport: bus.transport('c'), peers: ['c'] });
 * const lasting = createNames({ locks });
 * console.log(await lasting.next(), await lasting.next()); // 0 1
 * await Promise.all([a.close(), b.close(), locks.close()]);
 * ```
 * @public
 */
export function createNames(options: LastingNamesOptions): LastingNames;
export function createNames(options: PeersOptions): Names;
export function createNames(options: PeersOptions | LastingNamesOptions): Names | LastingNames {
  return isObject(options) && 'locks' in options
    ? new LastingNames(options as LastingNamesOptions)
    : new Names(options as PeersOptions);
}
