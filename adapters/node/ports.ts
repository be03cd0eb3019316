/** Ports of an anonymous node in an application. A new peer gets the lowest free port. */
import type { NodeId } from '../../machines/effects.js';
import { lowestFreePort } from '../../network/world/links.js';

export class PortTable {
  private readonly ports = new Map<NodeId, number>();

  of(peer: NodeId): number | undefined {
    return this.ports.get(peer);
  }

  peerAt(port: number): NodeId | undefined {
    for (const [peer, taken] of this.ports) if (taken === port) return peer;
    return undefined;
  }

  plugIn(peer: NodeId): number {
    const port = lowestFreePort((taken) => this.peerAt(taken) !== undefined);
    this.ports.set(peer, port);
    return port;
  }

  unplug(peer: NodeId): void {
    this.ports.delete(peer);
  }
}
