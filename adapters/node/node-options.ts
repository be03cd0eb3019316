/** What a node in an application is made of, and what is notified of its steps. */
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
 * Options for `createNode`: a protocol, the transport, and who takes part.
 *
 * @public
 */
export interface NodeOptions<O = any> extends InEnvironment {
  /** Connected by the node; closed by whoever made it. */
  readonly transport: Transport<Reliable>;
  /** A protocol, or its core alone: nothing else of it is needed here. */
  readonly protocol: Core<O>;
  /** All nodes that take part, this one included, and the links that the protocol knows of at the start. */
  readonly topology: Topology;
  /** The protocol's options, as in a scenario. */
  readonly options?: Readonly<Record<string, unknown>>;
  /** With whom this node may be linked, where links speak; with everybody unless given. Who names another is named by it. */
  readonly neighbors?: readonly NodeId[];
  /** Only nodes of the same name talk to each other; the protocol's name unless given. */
  readonly name?: string;
  /** XState's own option: an observer of the node's live actors. */
  readonly inspect?: Inspect | undefined;
  /** Where it keeps what its charts store; the protocol says with what it starts again. Unless given, they are answered at once. */
  readonly storage?: PeerStorage | undefined;
  /** A state to go on from, instead of the protocol's start. */
  readonly resume?: NodeView;
  /** What the application has done already and the charts have not heard of: asked before every step, and taken first. */
  readonly nextCommand?: () => Message | null;
}

/** What a running node is made of: the options of its protocol have been read. */
export type LiveNodeOptions<O = any> = Omit<NodeOptions<O>, 'protocol'> & { readonly protocol: RunningCore<O> };

const isPeers = (value: unknown): boolean => Array.isArray(value) && value.every((peer) => typeof peer === 'string');

/** What is in `topology` and `options` is checked with the protocol. */
export const NODE_CHECKS = {
  transport,
  protocol: must(
    'a protocol, as defineProtocol gives it, or its core',
    (value) => isObject(value) && isObject(value['charts']) && hasMethods(value, 'accepts', 'roles'),
  ),
  topology: must(
    "who takes part and their links, as in { nodes: ['a', 'b'], links: [['a', 'b', 1]] }",
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
 * One atomic step, as it is published: the event, the draws it was answered with, and what came of it.
 *
 * @public
 */
export interface LiveStep {
  /** The role that took the event first; none at the start, which opens them. */
  readonly role?: string;
  readonly event: Message;
  readonly drawn: readonly number[];
  readonly outcome: Outcome;
  /** For a message that came: its number on its connection, which its sender has counted alike. */
  readonly number?: number;
  /** The numbers of what was sent, one for each receiver in order; 0 for what was lost at once, `null` for what waits for its receiver. */
  readonly numbers: readonly (number | null)[];
  /** What the charts selected, while somebody watches. */
  readonly selected?: Selected;
}

/** A peer comes up or goes down, as the transport says; or a message has come that no chart took. */
export type PeerObservation =
  | { readonly type: 'up' | 'down'; readonly peer: NodeId }
  | { readonly type: 'dropped'; readonly peer: NodeId; readonly number: number };

/**
 * What stands between a node's transport and its charts, put there by an inspector that reaches in.
 *
 * @experimental
 */
export interface Gate {
  /**
   * A message has come; `take` gives it to the charts, at once, later, or, where it is to be lost, never. `number`: which of its sender it
   * is on this connection, 0 where that is not counted.
   */
  comes(arrival: { readonly from: NodeId; readonly message: Message; readonly number: number }, take: () => void): void;
  /** A peer has gone, and what was on its way from it is lost. */
  parted(peer: NodeId): void;
  /** True if commands that wait for their turn go on waiting. */
  readonly isShut: boolean;
}

/** A peer as a node knows it. Counts are `null` on channels that keep no order. */
export interface NodePeer {
  readonly peer: NodeId;
  readonly isUp: boolean;
  readonly sent: number | null;
  readonly heard: number | null;
}
