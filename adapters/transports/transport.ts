/**
 * What Quiver asks of a network: to carry JSON values between named peers, and to say honestly how well it does so.
 *
 * A transport promises nothing that its `guarantees` do not say. `transportConformance` (see conformance.ts) holds every transport to
 * its own descriptor, and whoever runs a protocol on a transport compares the descriptor with what the protocol assumes.
 */
import type { Observable } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';

/**
 * What a transport carries: a JSON value.
 *
 * @public
 */
export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };

/**
 * What a transport promises, as data: a protocol that assumes more does not start on it.
 *
 * @public
 */
export interface Guarantees {
  /** `fifo`: what one peer sends to another arrives in the order in which it was sent; with `linked`, within a conversation (see there). */
  readonly order: 'fifo' | 'unordered';
  /** `none`: lost is only what is under way when a peer goes down; a message for a peer that has not come yet waits for it. */
  readonly loss: 'none' | 'possible';
  /** `none`: a message is never delivered twice. */
  readonly duplication: 'none' | 'possible';
  /** `reported`: the events `up` and `down` tell who is there. `none`: they are never sent. */
  readonly presence: 'reported' | 'none';
  /** `checked`: the medium itself says who sent a message, and refuses a second peer of the same id. `claimed`: it believes the sender. */
  readonly identity: 'checked' | 'claimed';
  /** The largest message that `send` takes, in bytes of its JSON. */
  readonly messageBytesMax: number;
}

/**
 * What the protocols of the papers assume of their links.
 *
 * @public
 */
export interface Reliable extends Guarantees {
  readonly loss: 'none';
  readonly duplication: 'none';
}

/**
 * What protocols assume whose links speak, and what `linked` makes of every transport.
 *
 * @public
 */
export interface Linked extends Reliable {
  readonly order: 'fifo';
  readonly presence: 'reported';
}

/**
 * What a transport reports: a message, a peer that came or went, or its own end.
 *
 * @public
 */
export type TransportEvent =
  | { readonly type: 'message'; readonly from: NodeId; readonly message: Json }
  | { readonly type: 'up' | 'down'; readonly peer: NodeId }
  /**
   * The process of this peer has ended, as far as the transport knows: its connection was closed and its address refuses a new one, for
   * instance. A hint that may be wrong. It follows `down` where presence is reported.
   */
  | { readonly type: 'gone'; readonly peer: NodeId }
  /** The last event; `error` says why the connection broke, `null` that it was closed on purpose. */
  | { readonly type: 'closed'; readonly error: Error | null };

/**
 * A peer's place on a network that carries JSON between named peers.
 *
 * @public
 */
export interface Transport<G extends Guarantees = Guarantees> {
  /** The name of this peer, by which others send to it. */
  readonly id: NodeId;
  /** What it promises. */
  readonly guarantees: G;
  /** Hot: nothing is kept for late subscribers, so subscribe before `connect`. It completes after `closed`. */
  readonly events: Observable<TransportEvent>;
  /** Who is up now; always empty where presence is not reported. */
  readonly peers: ReadonlySet<NodeId>;
  /** True if it was closed, or its connection broke for good; it stays so. */
  readonly isClosed: boolean;
  /** Harmless when connected already. Rejects with `ConnectionError`, with `ClosedError`, or with the signal's reason. */
  connect(options?: { readonly signal?: AbortSignal }): Promise<void>;
  /**
   * Never blocks and never delivers before it returns. Throws `ClosedError` unless connected, and `UsageError` for a message that is
   * larger than the guarantees say, deeper than 64, or no JSON; `linked` throws `BackpressureError` where too much waits for the peer. A peer that is unknown or gone costs the message, not the sender.
   */
  send(to: NodeId, message: Json): void;
  /** Resolves when nothing is left open. Once it is called nothing more is delivered. */
  close(): Promise<void>;
}
