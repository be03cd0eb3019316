/** The input of a search: the protocol, its instance, and the events that the environment may cause. */
import type { Message, NodeId } from '../../machines/effects.js';
import type { Protocol, Reaction, Instance } from '../../machines/protocol.js';
import type { Fused } from '../../network/world/script.js';
import type { Newcomers } from './restart.js';

export interface SearchedSystem {
  readonly protocol: Protocol;
  readonly instance: Instance;
  readonly nodes: readonly NodeId[];
  /** The nodes that join during a run, and so are missing from the original topology. */
  readonly newcomers: Newcomers;
  readonly order: 'fifo' | 'unordered';
  /** Messages may arrive repeatedly, so that the messages in flight are a set that only grows. */
  readonly lasting: boolean;
  readonly reactions: readonly Reaction[];
  readonly fused: Fused;
  /** Commands that the application of every node, or of one node, may issue at any time, whenever the chart accepts them. */
  readonly unlimited: readonly { readonly name: string; readonly event: Message; readonly node?: NodeId | undefined }[];
}
