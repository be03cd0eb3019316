/**
 * The interface between Quiver and a network: transports carry JSON values between named peers, and describe how reliably they do so.
 *
 * The descriptor `guarantees` contains all that a transport promises. `transportConformance` (conformance.ts) tests a transport against it.
 * Every protocol compares it with its own assumptions before it starts.
 */
import type { Observable } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';

/**
 * A JSON value, the content of a message.
 *
 * @public
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * Guarantees of a transport about messages and peers. `createNode` throws a UsageError if its protocol requires more; `createLocks` and
 * similar functions wrap such a transport with `linked`.
 *
 * @public
 */
export interface Guarantees {
  /** `fifo`: messages from one peer to another arrive in the order in which they were sent; with `linked`, within one conversation. */
  readonly order: 'fifo' | 'unordered';
  /** `none`: only messages in flight to a peer that goes down are lost. A message to a peer that has not connected yet waits for it. */
  readonly loss: 'none' | 'possible';
  /** `none`: a message is never delivered twice. */
  readonly duplication: 'none' | 'possible';
  /** `reported`: the events `up` and `down` report the other peers. `none`: they are never sent. */
  readonly presence: 'reported' | 'none';
  /**
   * `checked`: the medium verifies the sender of each message and refuses a second peer of the same id. `claimed`: it trusts the sender.
   */
  readonly identity: 'checked' | 'claimed';
  /** Size of the largest message that `send` accepts, in bytes of its JSON. */
  readonly messageBytesMax: number;
}

/**
 * Guarantees that the protocols of the papers assume of their links.
 *
 * @public
 */
export interface Reliable extends Guarantees {
  readonly loss: 'none';
  readonly duplication: 'none';
}

/**
 * Guarantees that `linked` adds to every transport, and that protocols with link events assume.
 *
 * @public
 */
export interface Linked extends Reliable {
  readonly order: 'fifo';
  readonly presence: 'reported';
}

/**
 * Event of a transport: a message, a peer that connected or disconnected, or the end of the transport.
 *
 * @public
 */
export type TransportEvent =
  | { readonly type: 'message'; readonly from: NodeId; readonly message: Json }
  | { readonly type: 'up' | 'down'; readonly peer: NodeId }
  /**
   * The process of this peer has probably ended: for example, its connection was closed and its address refuses a new one. This is a hint
   * and may be wrong. It follows `down` where presence is reported.
   */
  | { readonly type: 'gone'; readonly peer: NodeId }
  /** The last event. `error` is the reason for which the connection broke, `null` after `close`. */
  | { readonly type: 'closed'; readonly error: Error | null };

/**
 * One peer's connection to a network that carries JSON between named peers.
 *
 * @public
 */
export interface Transport<G extends Guarantees = Guarantees> {
  /** Id of this peer. Others send to it. */
  readonly id: NodeId;
  /** Descriptor of what the transport guarantees. */
  readonly guarantees: G;
  /** Hot observable: late subscribers miss earlier events, so subscribe before `connect`. It completes after `closed`. */
  readonly events: Observable<TransportEvent>;
  /** Ids of the peers that are up now. Always empty if presence is not reported. */
  readonly peers: ReadonlySet<NodeId>;
  /** True once it was closed or its connection broke for good. */
  readonly isClosed: boolean;
  /** Connects, or does nothing if connected already. Rejects with a `ConnectionError`, a `ClosedError`, or the signal's reason. */
  connect(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /**
   * Sends a message. It never blocks, and never delivers before it returns. A message to an unknown or gone peer is lost without an error.
   *
   * @throws ClosedError unless connected.
   * @throws UsageError for a message that is not JSON, deeper than 64, or larger than `messageBytesMax`.
   * @throws BackpressureError (only with `linked`) if too many messages wait for the peer.
   */
  send(to: NodeId, message: Json): void;
  /** Closes the connection and resolves when nothing is left open. After the call no messages are delivered. */
  close(): Promise<void>;
}
