/**
 * The node behind a lock: the token directory under the Ivy policy, its grants numbered, one instance a lock.
 *
 * Every peer computes the same start from the name of the lock and the list of peers: the token lies at the peer that the name's hash
 * picks, so that many locks are spread over all, and everybody else points to it. Ivy then keeps the pointers short: of n peers a
 * request passes log2 n on average.
 *
 * Besides the protocol's own messages there is one of this layer. A node that puts a request behind its own tells the requester so,
 * `queued`: a requester that wanted the lock only if it was free knows then that it is not. Every find ends at the token or behind
 * somebody, so one of the two answers comes.
 */
import { isObject } from '../machines/checks.js';
import { directory, type DirectoryContext } from '../machines/directory/index.js';
import type { NodeId } from '../machines/effects.js';
import { UsageError } from '../machines/errors.js';
import type { NodeView, Protocol } from '../machines/protocol.js';
import { Channels } from './channels.js';
import { createNode, type LiveNode } from './node.js';
import type { Reliable, Transport } from './transport.js';

export const LOCKS = 'locks';

export interface LockInput {
  readonly transport: Transport<Reliable>;
  /** All who may ask for the lock, this one included; everybody must give the same list, in any order. */
  readonly peers: readonly NodeId[];
  readonly name: string;
  readonly resume?: NodeView;
}

const QUEUED = { type: 'queued' } as const;

const numberedDirectory: Protocol = {
  ...directory,
  roles: (id, setup) =>
    directory.roles(id, setup).map((start) => ({ ...start, input: { ...(start.input as object), fence: 0 } })),
  // The directory's chart knows no such event and ignores it; the step shows that it came.
  accepts: (message, setup) => (isObject(message) && message['type'] === QUEUED.type) || directory.accepts(message, setup),
};

export function createLockNode({ transport, peers, name, ...resume }: LockInput): LiveNode {
  const conversation = `${LOCKS}/${name}`;
  const nodes = [...new Set(peers)].sort();
  if (!nodes.includes(transport.id)) {
    throw new UsageError(`peer "${transport.id}" is not among the peers of lock "${name}"; list it with ${nodes.join(', ')}`);
  }
  const root = nodes[hash(name) % nodes.length]!;
  const node = createNode({
    transport,
    protocol: numberedDirectory,
    topology: { nodes, links: nodes.filter((peer) => peer !== root).map((peer) => [root, peer, 1] as const) },
    options: { policy: 'ivy', root, hold: null },
    name: conversation,
    ...resume,
  });
  node.steps$.subscribe(({ event }) => {
    if (event.type === QUEUED.type) node.notify(QUEUED);
    if (event.type !== 'find') return;
    const { producer } = event as unknown as { producer: NodeId };
    if (contextOf(node).next === producer) Channels.of(transport).send(conversation, producer, QUEUED);
  });
  return node;
}

/** Where the token is used and by whom it is awaited, as this node sees it. */
export const contextOf = (node: LiveNode): DirectoryContext => node.view()['directory']!.context;

/** FNV-1a, the same on every peer. */
function hash(text: string): number {
  let h = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
  return h >>> 0;
}
