/**
 * The neighbors of a node, as its charts know them: by name or, for anonymous nodes, by port. In protocols with link events, a neighbor is
 * known only while it participates. A routed protocol has no link events: every node can be reached at any time.
 */
import type { RunningCore } from '../../machines/core.js';
import type { Address, LinkEvent, Message, NodeId } from '../../machines/effects.js';
import { PortTable } from './ports.js';
import { Presence } from './presence.js';
import { needsPresence } from './safety.js';

export class Neighbors {
  /** The peer at each port, for anonymous nodes. */
  readonly ports = new PortTable();
  private readonly presence: Presence | null;
  private readonly isAnonymous: boolean;

  constructor(
    private readonly self: NodeId,
    protocol: RunningCore,
    private readonly transmit: (to: NodeId, message: Message) => number,
    private readonly notify: (event: LinkEvent) => void,
  ) {
    this.isAnonymous = protocol.network.addressing === 'ports';
    this.presence = needsPresence(protocol) ? new Presence(transmit, (type, peer) => this.report(type, peer)) : null;
  }

  /** Handles an event of the transport. The greeting determines whether the peer participates. */
  handle(type: 'up' | 'down', peer: NodeId): void {
    if (type === 'up') this.presence?.greet(peer);
    else this.presence?.part(peer);
  }

  /** The sender's address for the charts; `null` for greetings and late messages, which the charts do not receive. */
  receive(from: NodeId, message: Message): Address | null {
    if (from === this.self || !this.presence) return this.addressOf(from);
    if (this.presence.receive(from, message)) return null;
    return this.presence.has(from) ? this.addressOf(from) : null;
  }

  /** Sends a message; see `Presence.send`. */
  send(to: Address, message: Message): number | null {
    const peer = typeof to === 'number' ? this.ports.peerAt(to) : to;
    // The peer of the port has just gone.
    if (peer === undefined) return 0;
    return this.presence ? this.presence.send(peer, message) : this.transmit(peer, message);
  }

  leave(): void {
    this.presence?.leave();
  }

  private addressOf(peer: NodeId): Address {
    if (!this.isAnonymous) return peer;
    return peer === this.self ? 0 : this.ports.of(peer)!;
  }

  private report(type: 'up' | 'down', peer: NodeId): void {
    const address = this.isAnonymous && type === 'up' ? this.ports.plugIn(peer) : this.addressOf(peer);
    this.notify({ type: `link.${type}`, peer: address });
    if (this.isAnonymous && type === 'down') this.ports.unplug(peer);
  }
}
