/**
 * A queue without a server: each operation of any peer learns the operation before it. The order is total, and no peer decides on it.
 *
 * The queue repairs itself after faults: peers that restart, connections that fail, states that are wrong. See docs/queues.md.
 */
import type { NodeId } from '../../machines/effects.js';
import { placesCore, type PlacesOptions } from '../../machines/queue/applications/core.js';
import type { Followed, OperationId, Placed } from '../../machines/queue/applications/places.js';
import type { LiveNode } from '../node/node.js';
import type { NodeActor } from '../node/node-logic.js';
import { Questions } from '../node/questions.js';
import { objectLogic, whenReady, type Failed, type FromActor, type ObjectLogic } from '../object-logic.js';
import { createQueueNode, type QueuePeersOptions } from './queue-node.js';

/**
 * An operation and its place in the order: directly behind the operation `after`.
 *
 * @public
 */
export interface Place {
  /** Id of the operation. No other operation of any peer has it, even after a restart. */
  readonly id: OperationId;
  /** Id of the operation before it. `null` for the first one, and after a fault that destroyed the request: the order begins again here. */
  readonly after: OperationId | null;
}

/**
 * An operation of another peer, directly behind the latest one of this peer.
 *
 * @public
 */
export interface Successor {
  /** Id of this peer's operation; `null` for the beginning of the order. */
  readonly id: OperationId | null;
  /** Peer of the next operation. */
  readonly by: NodeId;
}

/**
 * Creates a queue and connects its transport, without waiting. Each operation of any peer learns the operation before it.
 *
 * @throws UsageError for an option that is missing, wrong or unknown, for a transport with too few guarantees, and if `peers` does not
 * contain the transport's id.
 * @example
 * ```ts
 * import { createQueue } from 'xstate-quiver/queue';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const bus = new InProcessBus();
 * const [a, b] = ['a', 'b'].map((id) => createQueue({ transport: bus.transport(id), peers: ['a', 'b'] }));
 * const first = await a.enqueue();
 * const second = await b.enqueue();
 * console.log(first.after, second.after === first.id); // null true
 * await Promise.all([a.close(), b.close()]);
 * ```
 * @public
 */
export const createQueue = (options: QueuePeersOptions): Queue => new Queue(options);

/**
 * A distributed queue as one peer sees it. Create it with `createQueue`. It dispatches `followed` with a `Successor` in `detail` when an
 * operation of another peer is placed directly behind the latest one of this peer.
 *
 * @public
 */
export class Queue extends EventTarget implements AsyncDisposable {
  /** Node of the queue, with its notifications and state. */
  readonly node: LiveNode<PlacesOptions>;
  /** Resolves once this peer participates. Rejects if its transport cannot connect. */
  readonly ready: Promise<void>;
  private readonly questions: Questions;

  constructor(options: QueuePeersOptions) {
    super();
    this.node = createQueueNode('createQueue', options, placesCore);
    this.ready = this.node.ready;
    this.questions = new Questions('queue', this.node, ['placed']);
    this.node.notifications$.subscribe((notification) => {
      if (notification.type !== 'followed') return;
      const { id, by } = notification as Followed;
      this.dispatchEvent(new CustomEvent<Successor>('followed', { detail: { id, by } }));
    });
  }

  /** The queue as an XState actor: see `LiveNode`. */
  get actor(): NodeActor {
    return this.node.actor;
  }

  /**
   * Adds an operation to the queue, and resolves with its place. Operations of one peer are placed one after the other.
   *
   * @throws ClosedError if the queue is closed, or the error that ended it.
   */
  async enqueue(): Promise<Place> {
    const { id, after } = await this.questions.ask<Placed>('place');
    return { id, after };
  }

  /** Stops participating. The transport stays open. */
  close(): Promise<void> {
    return this.node.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/**
 * Event of `queueLogic`: `enqueue` adds an operation.
 *
 * @public
 */
export interface QueueEvent {
  readonly type: 'enqueue';
}

/**
 * Notices of `queueLogic`: `ready` at the start, `placed` for each `enqueue`, `followed` for an operation of another peer behind the latest
 * one of this peer, `failed` for an event without a result.
 *
 * @public
 */
export type QueueNotice =
  | (FromActor & { readonly type: 'ready' })
  | (FromActor & Place & { readonly type: 'placed' })
  | (FromActor & Successor & { readonly type: 'followed' })
  | Failed<QueueEvent>;

/**
 * A queue as actor logic: send it `enqueue`, and receive `placed` and `followed`. Stopping the actor leaves the queue open.
 *
 * @example
 * ```ts
 * import { createActor } from 'xstate';
 * import { createQueue, queueLogic } from 'xstate-quiver/queue';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const queue = createQueue({ transport: new InProcessBus().transport('a'), peers: ['a'] });
 * const places = createActor(queueLogic, { input: { queue } });
 * places.on('placed', async ({ after }) => {
 *   console.log(after); // null
 *   places.stop();
 *   await queue.close();
 * });
 * places.start().send({ type: 'enqueue' });
 * ```
 * @public
 */
export const queueLogic: ObjectLogic<'queue', Queue, object, QueueEvent, QueueNotice> = objectLogic({
  key: 'queue',
  method: 'enqueue',
  initial: {},
  attach(queue, report, signal) {
    queue.addEventListener('followed', (event) => report({}, { type: 'followed', ...(event as CustomEvent<Successor>).detail }), {
      signal,
    });
    whenReady(queue, () => report({}, { type: 'ready' }));
    return { enqueue: async () => report({}, { type: 'placed', ...(await queue.enqueue()) }) };
  },
  closed: ({ node }) => node.closed,
});
