/** Determines whether the tree is stable: each node knows its neighbors' current heartbeats, and no older ones are in flight. */
import type { NodeId } from '../effects.js';
import type { Configuration } from '../protocol.js';
import { ownEntry, type TreeEntry, type Heartbeat, type TreeKnowledge } from './bfs.js';

/** Cached by context, because contexts are immutable. */
const description = new WeakMap<TreeKnowledge, ReturnType<typeof ownEntry>>();

/** The heartbeat that a node with this knowledge sends. */
export function entryOf(knowledge: TreeKnowledge): ReturnType<typeof ownEntry> {
  let entry = description.get(knowledge);
  if (!entry) description.set(knowledge, (entry = ownEntry(knowledge)));
  return entry;
}

export function isSilent(c: Configuration, role: string): boolean {
  const knowledge = (node: NodeId): TreeKnowledge => c.nodes.get(node)![role]!.context;
  const isReceived = (peer: NodeId, entry: TreeEntry | null) => entry !== null && isSameEntry(entry, entryOf(knowledge(peer)));
  return (
    [...c.nodes.keys()].every((node) => {
      const { received } = knowledge(node);
      const peers = c.links.neighbors(node).filter((peer) => c.links.up(peer, node));
      return peers.every((peer) => isReceived(peer, received[peer] ?? null)) && peers.length === Object.keys(received).length;
    }) &&
    c.flights.every(
      ({ from, message }) => message.type !== 'heartbeat' || isSameEntry(message as Heartbeat, entryOf(knowledge(from))),
    )
  );
}

export const isSameEntry = (a: TreeEntry, b: TreeEntry): boolean =>
  a.id === b.id && a.root === b.root && a.dist === b.dist && a.par === b.par;
