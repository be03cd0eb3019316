/** Gives many peers short unique numbers. A tree of reliable peers assigns them, or a majority of peers that may crash. */
import { isObject } from '../machines/checks.js';
import type { PeersOptions } from './controller/controller-node.js';
import { Names } from './controller/names.js';
import { LastingNames, type LastingNamesOptions } from './locks/lasting-names.js';
import { objectLogic, whenReady, type Failed, type FromActor, type ObjectLogic } from './object-logic.js';

export type { Names } from './controller/names.js';
export type { LastingNames, LastingNamesOptions } from './locks/lasting-names.js';

/**
 * Short unique numbers for many peers: each number is issued once.
 *
 * If `transport` and `peers` are given, a tree of the peers assigns most numbers without a message, as long as its root (the first peer, by
 * default) stays. If `locks` is given, a majority of their peers stores the count, and it survives crashes.
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

/**
 * Event of `namesLogic`: `next` requests a number.
 *
 * @public
 */
export interface NamesEvent {
  readonly type: 'next';
}

/**
 * Notices of `namesLogic`: `ready` at the start, `named` for each `next`, `failed` for one without an answer.
 *
 * @public
 */
export type NamesNotice =
  | (FromActor & { readonly type: 'ready' })
  | (FromActor & { readonly type: 'named'; readonly name: number })
  | Failed<NamesEvent>;

/**
 * Unique numbers as actor logic: send it `next`, and receive `named`. Stopping the actor leaves the names open. A number that is issued
 * after that is not used.
 *
 * @example
 * ```ts
 * import { createActor } from 'xstate';
 * import { createNames, namesLogic } from 'xstate-quiver/names';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const names = createNames({ transport: new InProcessBus().transport('a'), peers: ['a'] });
 * const numbers = createActor(namesLogic, { input: { names } });
 * numbers.on('named', async ({ name }) => {
 *   console.log(name);
 *   numbers.stop();
 *   await names.close();
 * });
 * numbers.start().send({ type: 'next' });
 * ```
 * @public
 */
export const namesLogic: ObjectLogic<'names', Names | LastingNames, object, NamesEvent, NamesNotice> = objectLogic({
  key: 'names',
  method: 'next',
  initial: {},
  attach(names, report) {
    whenReady('ready' in names ? names : {}, () => report({}, { type: 'ready' }));
    return { next: async () => report({}, { type: 'named', name: await names.next() }) };
  },
  closed: (names) => ('node' in names ? names.node.closed : names.closed),
});
