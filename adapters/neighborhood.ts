/**
 * A lock on oneself and all peers that are there, without names or a server: local mutual exclusion over a transport.
 *
 * Whom it locks are the peers that have been there ever since the lock was asked for. Two that hold at the same time
 * have no peer in common, and neither is one of the other's.
 *
 * Assumes a transport that tells both ends when one of them is gone. A held peer that goes, or closes its neighborhood, leaves `peers`
 * and is free at once: look at `has(peer)` again before you commit anything with it.
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
import { linkFor } from './links.js';
import type { Transport } from './transports/transport.js';
import type { NodeActor } from './node/node-logic.js';
import { objectLogic, type Failed, type FromActor, type ObjectLogic } from './object-logic.js';

/**
 * What a `Neighborhood` is made of.
 *
 * @public
 */
export interface NeighborhoodOptions extends InEnvironment {
  /** Connected by the neighborhood, closed by whoever made it. */
  readonly transport: Transport;
  /** All who may ever be neighbors, this one included. */
  readonly peers: readonly NodeId[];
  /** Only peers of the same name lock each other. @defaultValue `neighborhood` */
  readonly name?: string;
  /** XState's own option: an observer of the node's live actors. */
  readonly inspect?: Inspect | undefined;
}

/** What each option of a neighborhood has to be. */
const CHECKS = {
  transport: checks.transport,
  peers: checks.peers,
  name: checks.optional(checks.someText),
  inspect: checks.optional(checks.anything),
  ...checks.environment,
};

/**
 * A lock on oneself and all peers that are there, without names or a server. Two that hold at the same time have no peer in common,
 * and neither is one of the other's.
 *
 * @throws UsageError for an option that is missing, wrong or not known, when the transport promises too little, or its id is not
 * among `peers`.
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
 *   for (const peer of held.peers) console.log(`nobody else has locked ${peer}`);
 * }
 * await Promise.all([a.close(), b.close()]);
 * ```
 * @public
 */
export const createNeighborhood = (options: NeighborhoodOptions): Neighborhood => new Neighborhood(options);

/**
 * A lock on a peer and its neighbors; `createNeighborhood` makes it.
 *
 * @public
 */
export class Neighborhood implements AsyncDisposable {
  /** Resolves once this peer takes part; rejects if its transport cannot connect. */
  readonly ready: Promise<void>;
  /** The node under the neighborhood: its notices and state, for those who want to see more. */
  readonly node: LiveNode;
  /** Who waits for the lock, in the order of asking; `null` for who has given up. */
  private readonly waiting: { give: ((held: HeldNeighborhood) => void) | null; refuse(error: Error): void }[] = [];

  constructor(options: NeighborhoodOptions) {
    checks.checkOptions('createNeighborhood', options, CHECKS);
    const { transport: _, peers, name = 'neighborhood', ...environment } = options;
    const { transport, release } = linkFor('createNeighborhood', options);
    const topology = { nodes: [...new Set(peers)].sort(), links: [] };
    this.node = createNode({
      transport,
      protocol: exclusionCore,
      topology,
      options: { hold: null, rules: 'deferred' },
      name,
      ...environment,
    });
    this.ready = this.node.ready;
    this.node.notifications$.subscribe((notification) => {
      if ((notification as ExclusionNotification).type === 'locked') this.locked();
    });
    void this.node.closed.then(release);
    void this.node.closed.then((error) => this.closed(error ?? new ClosedError(`neighborhood "${name}" is closed`)));
  }

  /** The object as an XState actor: see `LiveNode`. */
  get actor(): NodeActor {
    return this.node.actor;
  }

  /**
   * Waits until it holds this peer and all that stay; with a signal it can be given up.
   *
   * @throws ClosedError when the neighborhood is closed, or the error that ended it; the reason of `signal`.
   */
  async lock({ signal }: { readonly signal?: AbortSignal } = {}): Promise<HeldNeighborhood> {
    signal?.throwIfAborted();
    this.node.command('lock');
    const place: (typeof this.waiting)[number] = { give: null, refuse: () => {} };
    const given = new Promise<HeldNeighborhood>((give, refuse) => Object.assign(place, { give, refuse }));
    this.waiting.push(place);
    // Who asked stays in the queue of the protocol; what comes after giving up is given back.
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
    for (const { refuse } of this.waiting.splice(0)) refuse(error);
  }

  /** Takes part no longer; the transport stays open. */
  close(): Promise<void> {
    return this.node.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * A locked neighborhood as its holder sees it; `lock()` of a `Neighborhood` hands it out.
 *
 * @public
 */
export class HeldNeighborhood implements AsyncDisposable {
  private isReleased = false;

  constructor(private readonly node: LiveNode) {}

  /** The peers that are held now, without oneself: some may go, none can come. */
  get peers(): readonly NodeId[] {
    if (this.isReleased) return [];
    const context: ExclusionContext | undefined = this.node.view()['exclusion']?.context;
    return (context?.L ?? []).filter((port) => port !== 0).map((port) => this.node.ports.peerAt(port)!);
  }

  /** True if that peer is held now. */
  has(peer: NodeId): boolean {
    return this.peers.includes(peer);
  }

  /** Frees everybody. Once is enough, more often is harmless. */
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
 * The events of `neighborhoodLogic`: `lock` asks for the lock, `unlock` releases it or stops waiting.
 *
 * @public
 */
export interface NeighborhoodEvent {
  readonly type: 'lock' | 'unlock';
}

/**
 * The notices of `neighborhoodLogic`: `unlocked` at the start and after each release, `locked` with the peers that are held, `failed` for an
 * event that cannot be carried out.
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
 * A neighborhood as actor logic: send it `lock` and `unlock`, and receive `locked` and `unlocked`. The snapshot has `held` while the lock is held: look at
 * `held.peers` before you commit anything, because peers can leave. Stopping the actor releases the lock.
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
