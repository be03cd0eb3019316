/** The ports of an anonymous node in an application: each peer that is there has one, and a peer that comes gets the lowest free one. */
import type { NodeId } from '../../machines/effects.js';

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
    let port = 1;
    while (this.peerAt(port) !== undefined) port++;
    this.ports.set(peer, port);
    return port;
  }

  unplug(peer: NodeId): void {
    this.ports.delete(peer);
  }
}
