/**
 * Totally ordered multicast without a server: all peers deliver the same messages in the same order, and no peer decides on it.
 *
 * Messages are sent directly from peer to peer; only their places go through the queue. The order repairs itself after faults. See
 * docs/queues.md.
 */
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { multicastCore, type PlacesOptions } from '../../machines/queue/applications/core.js';
import type { Delivered, Sent } from '../../machines/queue/applications/delivery.js';
import { nodeOf, type OperationId } from '../../machines/queue/applications/places.js';
import { ClosedError } from '../transports/errors.js';
import { messageOf } from '../transports/reading.js';
import type { LiveNode } from '../node/node.js';
import type { NodeActor } from '../node/node-logic.js';
import { objectLogic, whenReady, type Failed, type FromActor, type ObjectLogic } from '../object-logic.js';
import { createQueueNode, type QueuePeersOptions } from './queue-node.js';

/**
 * A message in the common order.
 *
 * @public
 */
export interface OrderedMessage<M = unknown> {
  /** Id of the message. No other message of any peer has it, even after a restart. */
  readonly id: OperationId;
  /** Peer that sent it. */
  readonly peer: NodeId;
  readonly message: M;
}

/**
 * Creates a multicast and connects its transport, without waiting. All peers deliver the messages of all peers in the same order.
 *
 * @typeParam M the messages: plain JSON. They are not checked.
 * @throws UsageError for an option that is missing, wrong or unknown, for a transport with too few guarantees, and if `peers` does not
 * contain the transport's id.
 * @example
 * ```ts
 * import { createMulticast } from 'xstate-quiver/queue';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const bus = new InProcessBus();
 * const [a, b] = ['a', 'b'].map((id) => createMulticast<string>({ transport: bus.transport(id), peers: ['a', 'b'] }));
 * b.addEventListener('message', (event) => console.log((event as CustomEvent).detail));
 * await Promise.all([a.send('hello'), b.send('hi')]);
 * await Promise.all([a.close(), b.close()]);
 * ```
 * @public
 */
export const createMulticast = <M = unknown>(options: QueuePeersOptions): Multicast<M> => new Multicast<M>(options);

/**
 * A totally ordered multicast as one peer sees it. Create it with `createMulticast`. It dispatches `message` for each message of any peer,
 * its own included, in the common order.
 *
 * @public
 */
export class Multicast<M = unknown> extends EventTarget implements AsyncDisposable {
  /** Node of the multicast, with its notifications and state. */
  readonly node: LiveNode<PlacesOptions>;
  /** Resolves once this peer participates. Rejects if its transport cannot connect. */
  readonly ready: Promise<void>;
  /** Callers whose messages have no place, in the order of their calls. */
  private readonly placing: Caller<M>[] = [];
  /** Callers whose messages have a place and are not delivered here. */
  private readonly placed = new Map<OperationId, Caller<M>>();
  private ended: Error | null = null;

  constructor(options: QueuePeersOptions) {
    super();
    this.node = createQueueNode('createMulticast', options, multicastCore);
    this.ready = this.node.ready;
    this.node.notifications$.subscribe((notification) => {
      if (notification.type === 'sent') this.place(notification as Sent);
      if (notification.type === 'delivered') this.deliver(notification as Delivered);
    });
    void this.node.closed.then((error) => this.end(error ?? new ClosedError(`multicast "${this.node.name}" is closed`)));
  }

  /** The multicast as an XState actor: see `LiveNode`. */
  get actor(): NodeActor {
    return this.node.actor;
  }

  /**
   * Sends a message to all peers. Resolves when it is delivered here, at its place in the common order. Messages of one peer are sent in the
   * order of the calls, one after the other.
   *
   * @param message plain JSON, at most 8 MiB on a linked transport.
   * @throws UsageError for a message that JSON cannot contain; ClosedError if the multicast is closed, or the error that ended it.
   */
  async send(message: M): Promise<OrderedMessage<M>> {
    if (this.ended) throw this.ended;
    const text = textOf(message);
    return new Promise((give, refuse) => {
      this.placing.push({ give, refuse });
      this.node.attempt('multicast', { message: JSON.parse(text) });
    });
  }

  /** Stops participating. The transport stays open. */
  close(): Promise<void> {
    return this.node.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  private place({ id }: Sent): void {
    const caller = this.placing.shift();
    if (caller) this.placed.set(id, caller);
  }

  private deliver({ id, message }: Delivered): void {
    const detail: OrderedMessage<M> = { id, peer: nodeOf(id), message: message as M };
    this.placed.get(id)?.give(detail);
    this.placed.delete(id);
    this.dispatchEvent(new CustomEvent('message', { detail }));
  }

  private end(error: Error): void {
    this.ended = error;
    for (const { refuse } of [...this.placing.splice(0), ...this.placed.values()]) refuse(error);
    this.placed.clear();
  }
}

/** The message as text, before its sender can change it. */
function textOf(message: unknown): string {
  let why = `JSON cannot contain a value of type ${typeof message}`;
  try {
    const text = JSON.stringify(message) as string | undefined;
    if (text !== undefined) return text;
  } catch (error) {
    why = messageOf(error);
  }
  throw new UsageError(`multicast.send: ${why}. Pass an object, list, text, number, boolean or null`);
}

interface Caller<M> {
  readonly give: (delivered: OrderedMessage<M>) => void;
  readonly refuse: (error: Error) => void;
}

/**
 * Event of `multicastLogic`: `send` sends a message to all peers.
 *
 * @public
 */
export interface MulticastEvent {
  readonly type: 'send';
  /** Plain JSON. */
  readonly message: unknown;
}

/**
 * Notices of `multicastLogic`: `ready` at the start, `delivered` for each message of any peer, `failed` for a message that cannot be sent.
 *
 * @public
 */
export type MulticastNotice =
  | (FromActor & { readonly type: 'ready' })
  | (FromActor & OrderedMessage & { readonly type: 'delivered' })
  | Failed<MulticastEvent>;

/**
 * A totally ordered multicast as actor logic: send it `send`, and receive `delivered` for the messages of all peers, in the common order.
 * Stopping the actor leaves the multicast open.
 *
 * @example
 * ```ts
 * import { createActor } from 'xstate';
 * import { createMulticast, multicastLogic } from 'xstate-quiver/queue';
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const multicast = createMulticast({ transport: new InProcessBus().transport('a'), peers: ['a'] });
 * const chat = createActor(multicastLogic, { input: { multicast } });
 * chat.on('delivered', async ({ peer, message }) => {
 *   console.log(peer, message); // a hello
 *   chat.stop();
 *   await multicast.close();
 * });
 * chat.start().send({ type: 'send', message: 'hello' });
 * ```
 * @public
 */
export const multicastLogic: ObjectLogic<'multicast', Multicast, object, MulticastEvent, MulticastNotice> = objectLogic({
  key: 'multicast',
  method: 'send',
  initial: {},
  attach(multicast, report, signal) {
    multicast.addEventListener(
      'message',
      (event) => report({}, { type: 'delivered', ...(event as CustomEvent<OrderedMessage>).detail }),
      { signal },
    );
    whenReady(multicast, () => report({}, { type: 'ready' }));
    return { send: async ({ message }) => void (await multicast.send(message)) };
  },
  closed: ({ node }) => node.closed,
});
