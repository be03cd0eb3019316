/** True if the tree is stable: all nodes have received their neighbors' current heartbeats, and only those are in flight. */
import type { NodeId } from '../effects.js';
import type { Configuration } from '../protocol.js';
import { ownEntry, type TreeEntry, type Heartbeat, type Hearing } from './bfs.js';

/** Cached by context, because contexts are immutable. */
const description = new WeakMap<Hearing, ReturnType<typeof ownEntry>>();

/** Heartbeat of a node that has received this. */
export function entrySaidBy(hearing: Hearing): ReturnType<typeof ownEntry> {
  let entry = description.get(hearing);
  if (!entry) description.set(hearing, (entry = ownEntry(hearing)));
  return entry;
}

export function isSilent(c: Configuration, role: string): boolean {
  const hearing = (node: NodeId): Hearing => c.nodes.get(node)![role]!.context;
  const isHeard = (peer: NodeId, entry: TreeEntry | null) => entry !== null && isSameEntry(entry, entrySaidBy(hearing(peer)));
  return (
    [...c.nodes.keys()].every((node) => {
      const { heard } = hearing(node);
      const peers = c.links.neighbors(node).filter((peer) => c.links.up(peer, node));
      return peers.every((peer) => isHeard(peer, heard[peer] ?? null)) && peers.length === Object.keys(heard).length;
    }) &&
    c.flights.every(
      ({ from, message }) => message.type !== 'heartbeat' || isSameEntry(message as Heartbeat, entrySaidBy(hearing(from))),
    )
  );
}

export const isSameEntry = (a: TreeEntry, b: TreeEntry): boolean =>
  a.id === b.id && a.root === b.root && a.dist === b.dist && a.par === b.par;
