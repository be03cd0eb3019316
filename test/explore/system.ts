/** What a search is about: the protocol in its place, and what the world around it may do. */
import type { Message, NodeId } from '../../machines/effects.js';
import type { Protocol, Reaction, Instance } from '../../machines/protocol.js';
import type { Fused } from '../../network/world/script.js';
import type { Newcomers } from './newcomers.js';

export interface SearchedSystem {
  readonly protocol: Protocol;
  readonly instance: Instance<any>;
  readonly nodes: readonly NodeId[];
  /** Those of them that join, and so do not are in the topology that was given. */
  readonly newcomers: Newcomers;
  readonly order: 'fifo' | 'unordered';
  /** Messages that were sent may arrive again and again: what is in flight is a set that only grows. */
  readonly lasting: boolean;
  readonly reactions: readonly Reaction[];
  readonly fused: Fused;
  /** Commands that every node's application, or that of one node, may give at any time, as often as the chart accepts them. */
  readonly unlimited: readonly { readonly name: string; readonly event: Message; readonly node?: NodeId | undefined }[];
}
