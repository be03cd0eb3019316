/**
 * A lock on a peer and all its connected peers, without names or a server: local mutual exclusion over a transport.
 *
 * The lock covers the peers that have been connected since the request. Two holders at the same time have no peer in common, and neither is
 * a peer of the other.
 *
 * The transport must report to both ends when one of them is gone. A held peer that disconnects, or closes its neighborhood, leaves `peers`
 * and is free at once: check `has(peer)` again before you commit anything.
 */
import { exclusionCore } from '../machines/exclusion/index.js';
import type { ExclusionNotification } from '../machines/exclusion/machine.js';
import type { ExclusionContext } from '../machines/exclusion/machine.js';
import type { NodeId } from '../machines/effects.js';
import { UsageError } from '../machines/errors.js';
import type { Inspect } from '../network/world/kernel.js';
import { ClosedError } from './transports/errors.js';
import type { InEnvironment } from './environment.js';
import { createNode, type LiveNode } from './node/node.js';
import * as checks from './options.js';
import { abortable } from './transports/promises.js';
import { nodeOnLink } from './links.js';
import type { Transport } from './transports/transport.js';
import type { NodeActor } from './node/node-logic.js';
import { objectLogic, type Failed, type FromActor, type ObjectLogic } from './object-logic.js';

/**
 * Options for `createNeighborhood`.
 *
 * @public
 */
export interface NeighborhoodOptions extends InEnvironment {
  /** Transport that the neighborhood connects. Its creator closes it. */
  readonly transport: Transport;
  /** Ids of all peers that may ever be neighbors, including this one. */
  readonly peers: readonly NodeId[];
  /** Name of the neighborhood. Only peers with the same name lock each other. @defaultValue `neighborhood` */
  readonly name?: string;
  /** Observer of the node's live actors, as in XState. */
  readonly inspect?: Inspect | undefined;
}

const CHECKS = {
  transport: checks.transport,
  peers: checks.peers,
  name: checks.optional(checks.someText),
  inspect: checks.optional(checks.anything),
  ...checks.environment,
};

/**
 * Creates a lock on this peer and all its connected peers, without names or a server. Two holders at the same time have no peer in common,
 * and neither is a peer of the other.
 *
 * @throws UsageError for an option that is missing, wrong or unknown, for a transport with too few guarantees, and if `peers` does not
 * contain the transport's id.
 * @example
 * ```ts
 * import { InProcessBus } from 'xstate-quiver/transports';
 * import { createNeighborhood } from 'xstate-quiver/neighborhood';
 *
 * const bus = new InProcessBus();
 * const [a, b] = ['a', 'b'].map((id) => createNeighborhood({ transport: bus.transport(id), peers: ['a', 'b'] }));
 * await Promise.all([a.ready, b.ready]);
 * {
 *   await using held = await a.lock();
 *   for (const peer of held.peers) console.log(`only this peer has locked ${peer}`);
 * }
 * await Promise.all([a.close(), b.close()]);
 * ```
 * @public
 */
export const createNeighborhood = (options: NeighborhoodOptions): Neighborhood => new Neighborhood(options);

/**
 * A lock on a peer and its neighbors. Create it with `createNeighborhood`.
 *
 * @public
 */
export class Neighborhood implements AsyncDisposable {
  /** Resolves once this peer participates. Rejects if its transport cannot connect. */
  readonly ready: Promise<void>;
  /** Node of the neighborhood, with its notifications and state. */
  readonly node: LiveNode;
  private ended: Error | null = null;
  /** Callers that wait for the lock, in the order of their requests. `give` is `null` after a caller has stopped waiting. */
  private readonly waiting: { give: ((held: HeldNeighborhood) => void) | null; refuse(error: Error): void }[] = [];

  constructor(options: NeighborhoodOptions) {
    checks.checkOptions('createNeighborhood', options, CHECKS);
    const { transport: _, peers, name = 'neighborhood', ...environment } = options;
    const topology = { nodes: [...new Set(peers)].sort(), links: [] };
    const how = { protocol: exclusionCore, topology, options: { hold: null, rules: 'deferred' }, name, ...environment };
    this.node = nodeOnLink('createNeighborhood', options, (transport) => createNode({ transport, ...how })).node;
    this.ready = this.node.ready;
    this.node.notifications$.subscribe((notification) => {
      if ((notification as ExclusionNotification).type === 'locked') this.locked();
    });
    void this.node.closed.then((error) => this.closed(error ?? new ClosedError(`neighborhood "${name}" is closed`)));
  }

  /** The neighborhood as an XState actor: see `LiveNode`. */
  get actor(): NodeActor {
    return this.node.actor;
  }

  /**
   * Waits until it holds this peer and its connected peers. The signal stops the wait.
   *
   * @throws ClosedError if the neighborhood is closed, or the error that ended it; the reason of `signal`.
   */
  async lock({ signal }: { readonly signal?: AbortSignal } = {}): Promise<HeldNeighborhood> {
    signal?.throwIfAborted();
    if (this.ended) throw this.ended;
    this.node.attempt('lock');
    const place: (typeof this.waiting)[number] = { give: null, refuse: () => {} };
    const given = new Promise<HeldNeighborhood>((give, refuse) => Object.assign(place, { give, refuse }));
    this.waiting.push(place);
    // An aborted request stays in the queue of the protocol, and its grant is released at once.
    signal?.addEventListener('abort', () => (place.give = null), { once: true });
    return abortable(given, signal);
  }

  private locked(): void {
    const held = new HeldNeighborhood(this.node);
    const give = this.waiting.shift()?.give;
    if (give) give(held);
    else queueMicrotask(() => held.release());
  }

  private closed(error: Error): void {
    this.ended = error;
    for (const { refuse } of this.waiting.splice(0)) refuse(error);
  }

  /** Leaves the neighborhood. The transport stays open. */
  close(): Promise<void> {
    return this.node.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * A locked neighborhood as its holder sees it, the result of `lock()` of a `Neighborhood`.
 *
 * @public
 */
export class HeldNeighborhood implements AsyncDisposable {
  private isReleased = false;

  constructor(private readonly node: LiveNode) {}

  /** Ids of the peers that are held now, without this one. Peers may leave the list, but none is added. */
  get peers(): readonly NodeId[] {
    if (this.isReleased) return [];
    const context: ExclusionContext | undefined = this.node.view()['exclusion']?.context;
    return (context?.L ?? []).filter((port) => port !== 0).map((port) => this.node.ports.peerAt(port)!);
  }

  /** True if that peer is held now. */
  has(peer: NodeId): boolean {
    return this.peers.includes(peer);
  }

  /** Releases all peers. Further calls have no effect. */
  release(): void {
    if (this.isReleased) return;
    this.isReleased = true;
    this.node.attempt('unlock');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.release();
  }
}

/**
 * Events of `neighborhoodLogic`: `lock` requests the lock, `unlock` releases it or stops waiting.
 *
 * @public
 */
export interface NeighborhoodEvent {
  readonly type: 'lock' | 'unlock';
}

/**
 * Notices of `neighborhoodLogic`: `unlocked` at the start and after each release, `locked` with the held peers, `failed` for an event that
 * cannot be handled.
 *
 * @public
 */
export type NeighborhoodNotice =
  | (FromActor & { readonly type: 'unlocked' })
  | (FromActor & { readonly type: 'locked'; readonly peers: readonly NodeId[] })
  | Failed<NeighborhoodEvent>;

interface NeighborhoodState {
  readonly held: HeldNeighborhood | null;
}

/**
 * A neighborhood as actor logic: send it `lock` and `unlock`, and receive `locked` and `unlocked`. The snapshot contains `held` while the
 * lock is held. Check `held.peers` before you commit anything, because peers can leave. Stopping the actor releases the lock.
 *
 * @example
 * ```ts
 * import { createActor } from 'xstate';
 * import { createNeighborhood, neighborhoodLogic } from 'xstate-quiver/neighborhood';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const neighborhood = createNeighborhood({ transport: new InProcessBus().transport('a'), peers: ['a'] });
 * const lock = createActor(neighborhoodLogic, { input: { neighborhood } });
 * lock.on('locked', async ({ peers }) => {
 *   console.log(peers); // []
 *   lock.stop();
 *   await neighborhood.close();
 * });
 * lock.start().send({ type: 'lock' });
 * ```
 * @public
 */
export const neighborhoodLogic: ObjectLogic<
  'neighborhood',
  Neighborhood,
  NeighborhoodState,
  NeighborhoodEvent,
  NeighborhoodNotice
> = objectLogic({
  key: 'neighborhood',
  method: 'lock',
  initial: { held: null },
  attach(neighborhood, report, signal) {
    let request: AbortController | null = null;
    const announce = () => report({ held: null }, { type: 'unlocked' });
    const release = () => {
      request?.abort();
      request = null;
    };
    announce();
    signal.addEventListener('abort', release);
    return {
      async lock() {
        if (request) throw new UsageError('neighborhoodLogic has already requested the lock. Send unlock first');
        const { signal } = (request = new AbortController());
        try {
          const held = await neighborhood.lock({ signal });
          signal.addEventListener('abort', () => held.release());
          if (signal.aborted) held.release();
          else report({ held }, { type: 'locked', peers: held.peers });
        } catch (error) {
          if (!signal.aborted) throw error;
        }
      },
      unlock() {
        release();
        announce();
      },
    };
  },
  closed: ({ node }) => node.closed,
});
