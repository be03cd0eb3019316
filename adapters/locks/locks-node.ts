/**
 * The node under the locks of a peer: election and token directory composed, see machines/locks.
 *
 * A peer that starts again knows nothing of what it promised before. It takes the seconds of its clock for the first epoch, which are
 * more than the epochs of its earlier life: those grew by one whenever links changed.
 *
 * Besides the protocol's own messages there is one of this layer, on a conversation of its own. A node that puts a request behind its
 * own tells the requester so, `queued`: a requester that wanted the lock only if it was free knows then that it is not. Every request
 * ends at the token or behind somebody, so one of the two answers comes; on a channel that keeps its order, before the token itself.
 */
import type { SchedulerLike } from 'rxjs';
import type { DirectoryContext } from '../../machines/directory/index.js';
import { isObject } from '../../machines/checks.js';
import type { Message, NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { lockRole, locks, type LocksOptions, type StewardContext } from '../../machines/locks/index.js';
import { Channels } from '../node/channels.js';
import { createNode, type LiveNode } from '../node/node.js';
import type { Linked, Transport } from '../transports/transport.js';

export interface PeerOptions {
  /** Connected by the node, closed by whoever made it. It keeps its order and tells who is there: `linked` makes one. */
  readonly transport: Transport<Linked>;
  /** All who take part, this one included; everybody must give the same list, in any order. More than half of them must be there. */
  readonly peers: readonly NodeId[];
  /** Only peers of the same name share. */
  readonly name: string;
  readonly clock: SchedulerLike;
}

/** So that fences stay exact until the year 2093. */
const EPOCHS_BEGAN = Date.UTC(2025, 0, 1);

export function createLocksNode({ transport, peers, name, clock }: PeerOptions): LiveNode<LocksOptions> {
  const nodes = [...new Set(peers)].sort();
  if (!nodes.includes(transport.id))
    throw new UsageError(`peer "${transport.id}" is not among the peers ${nodes.join(', ')}; list it`);
  const epoch = Math.max(0, Math.floor((clock.now() - EPOCHS_BEGAN) / 1000));
  return createNode({ transport, protocol: locks, topology: { nodes, links: [] }, options: { hold: null, epoch }, name, clock });
}

export const stewardOf = (node: LiveNode): StewardContext => node.role('steward')!.context;

interface Queued extends Message {
  readonly type: 'queued';
  readonly lock: string;
  readonly epoch: number;
}

const isQueued = (message: Message): message is Queued =>
  isObject(message) && message['type'] === 'queued' && typeof message['lock'] === 'string';

/** Calls `hear` with each lock for which a request of this node has been put behind another one. */
export function onQueued(node: LiveNode, transport: Transport, hear: (lock: string) => void): void {
  const channels = Channels.of(transport);
  const conversation = `${node.name}/queued`;
  channels.open(conversation, {
    message: (_, message) => {
      if (isQueued(message) && message.epoch === stewardOf(node).epoch) hear(message.lock);
    },
  });
  node.steps$.subscribe({
    next: ({ event }) => {
      if (event.type !== 'find') return;
      const { producer, lock, epoch } = event as Message & { producer: NodeId; lock: string; epoch: number };
      const directory: DirectoryContext | undefined = node.role(lockRole(epoch, lock))?.context;
      if (directory?.next === producer) channels.send(conversation, producer, { type: 'queued', lock, epoch } as Queued);
    },
    complete: () => channels.close(conversation),
  });
}
