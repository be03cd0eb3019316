/** Options of a node in an application, and the types of its observations. */
import type { Message, NodeId } from '../../machines/effects.js';
import { isObject } from '../../machines/checks.js';
import type { RunningCore } from '../../machines/core.js';
import type { Core, NodeView, Topology } from '../../machines/protocol.js';
import type { Inspect } from '../../network/world/kernel.js';
import type { Selected } from '../../network/world/selections.js';
import type { Outcome } from '../../network/world/node.js';
import type { InEnvironment } from '../environment.js';
import { anything, environment, hasMethods, must, optional, someText, storage, transport } from '../options.js';
import type { PeerStorage } from '../storage/storage.js';
import type { Reliable, Transport } from '../transports/transport.js';

/**
 * Options for `createNode`: the protocol, the transport, and the participants.
 *
 * @public
 */
export interface NodeOptions<O = unknown, N extends string = string> extends InEnvironment {
  /** The transport. The node connects it, and its creator closes it. */
  readonly transport: Transport<Reliable>;
  /** A protocol or its core. */
  readonly protocol: Core<O, N>;
  /** All participating nodes, including this one, and the initial links. */
  readonly topology: Topology;
  /** The protocol's options, as in a scenario. @defaultValue `{}` */
  readonly options?: Readonly<Record<string, unknown>>;
  /**
   * Peers with which this node may have a link. If a node lists another one, that one must list it too.
   *
   * @defaultValue all nodes
   */
  readonly neighbors?: readonly NodeId[];
  /**
   * Name of the conversation; only nodes with the same name communicate.
   *
   * @defaultValue the protocol's name
   */
  readonly name?: string;
  /** An observer of the node's live actors, as in XState. */
  readonly inspect?: Inspect | undefined;
  /**
   * Storage of the values that the charts store. The protocol defines how it restarts from them. Without storage, each write succeeds
   * immediately.
   *
   * @defaultValue none
   */
  readonly storage?: PeerStorage | undefined;
  /** A state to continue from. @defaultValue the protocol's initial state */
  readonly resume?: NodeView;
  /**
   * Returns a command that the application has already carried out, or `null`. It is called before every step, and its command is
   * taken first.
   */
  readonly nextCommand?: () => Message | null;
}

/** Options of a running node, after the protocol's options were parsed. */
export type LiveNodeOptions<O = unknown> = Omit<NodeOptions<O>, 'protocol'> & { readonly protocol: RunningCore<O> };

const isPeers = (value: unknown): boolean => Array.isArray(value) && value.every((peer) => typeof peer === 'string');

/** Checks of the options; the protocol checks `topology` and `options`. */
export const NODE_CHECKS = {
  transport,
  protocol: must(
    'a protocol from defineProtocol, or its core',
    (value) => isObject(value) && isObject(value['charts']) && hasMethods(value, 'accepts', 'roles'),
  ),
  topology: must(
    "all nodes and their links, as in { nodes: ['a', 'b'], links: [['a', 'b', 1]] }",
    (value) => isObject(value) && isPeers(value['nodes']) && Array.isArray(value['links']),
  ),
  options: optional(must('an object of options, as in a scenario', isObject)),
  neighbors: optional(must('a list of ids', isPeers)),
  name: optional(someText),
  inspect: optional(anything),
  storage: optional(storage),
  resume: optional(anything),
  nextCommand: optional(must('a function', (value) => typeof value === 'function')),
  ...environment,
};

/**
 * An atomic step of a node: the event, the answers to its draws, and its outcome.
 *
 * @public
 */
export interface LiveStep {
  /** The role that took the event first; undefined at the start, which opens the roles. */
  readonly role?: string;
  readonly event: Message;
  readonly drawn: readonly number[];
  readonly outcome: Outcome;
  /** The sequence number of a received message on its connection, which its sender has counted alike. */
  readonly number?: number;
  /**
   * The sequence numbers of the messages sent, one for each receiver in order; 0 if a message is lost, `null` if it waits for its
   * receiver.
   */
  readonly numbers: readonly (number | null)[];
  /** The transitions that the charts selected, while an observer watches. */
  readonly selected?: Selected;
}

/** A peer that comes up or goes down, or a received message that no chart took. */
export type PeerObservation =
  | { readonly type: 'up' | 'down'; readonly peer: NodeId }
  | { readonly type: 'dropped'; readonly peer: NodeId; readonly number: number };

/**
 * A gate between the transport of a node and its charts, installed by an inspector that controls the node.
 *
 * @experimental
 */
export interface Gate {
  /**
   * Handles a received message. `take` passes it to the charts: immediately, later, or never to lose it. `number` is its sequence number on
   * the connection, 0 if messages are not counted.
   */
  comes(arrival: { readonly from: NodeId; readonly message: Message; readonly number: number }, take: () => void): void;
  /** A peer has gone, and its messages in flight are lost. */
  parted(peer: NodeId): void;
  /** True if waiting commands keep waiting. */
  readonly isShut: boolean;
}

/** A peer, as a node knows it. Counts are `null` on channels without order. */
export interface NodePeer {
  readonly peer: NodeId;
  readonly isUp: boolean;
  readonly sent: number | null;
  readonly received: number | null;
}
