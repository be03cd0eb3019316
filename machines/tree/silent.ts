/** Whether the tree has stopped moving: everybody has heard what everybody says, and only that is on its way. */
import type { NodeId } from '../effects.js';
import type { Configuration } from '../protocol.js';
import { ownEntry, type TreeEntry, type Heartbeat, type Hearing } from './bfs.js';

export function isSilent(c: Configuration, role: string): boolean {
  const hearing = (node: NodeId): Hearing => c.nodes.get(node)![role]!.context;
  const says = new Map<NodeId, TreeEntry>([...c.nodes.keys()].map((node) => [node, ownEntry(hearing(node))]));
  const isHeard = (peer: NodeId, entry: TreeEntry | null) => entry !== null && isSame(entry, says.get(peer)!);
  return (
    [...c.nodes.keys()].every((node) => {
      const { heard } = hearing(node);
      const peers = c.links.neighbours(node).filter((peer) => c.links.up(peer, node));
      return peers.every((peer) => isHeard(peer, heard[peer] ?? null)) && peers.length === Object.keys(heard).length;
    }) && c.flights.every(({ from, message }) => message.type !== 'heartbeat' || isSame(message as Heartbeat, says.get(from)!))
  );
}

const isSame = (a: TreeEntry, b: TreeEntry): boolean =>
  a.id === b.id && a.root === b.root && a.dist === b.dist && a.par === b.par;
