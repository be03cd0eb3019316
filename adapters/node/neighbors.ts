/**
 * The others as the charts of a node know them: by name or, where nodes are anonymous, by port; and, where the protocol's links speak,
 * only while they take part. A node of a protocol that routes has no links to hear of: everybody is reached at any time.
 */
import type { Address, LinkEvent, Message, NodeId } from '../../machines/effects.js';
import type { RunningCore } from '../../machines/core.js';
import { PortTable } from './ports.js';
import { Presence } from './presence.js';
import { needsPresence } from './safety.js';

export class Neighbors {
  /** Who is behind which port, where the protocol's nodes are anonymous. */
  readonly ports = new PortTable();
  private readonly presence: Presence | null;
  private readonly isAnonymous: boolean;

  constructor(
    private readonly self: NodeId,
    protocol: RunningCore,
    private readonly say: (to: NodeId, message: Message) => number,
    private readonly hear: (event: LinkEvent) => void,
  ) {
    this.isAnonymous = protocol.network.addressing === 'ports';
    this.presence = needsPresence(protocol) ? new Presence(say, (type, peer) => this.notification(type, peer)) : null;
  }

  /** The transport tells of a peer; whether it takes part here is for the greeting to find out. */
  told(type: 'up' | 'down', peer: NodeId): void {
    if (type === 'up') this.presence?.greet(peer);
    else this.presence?.part(peer);
  }

  /** The address of the sender of a message for the charts; `null` for every other message, such as one that is late. */
  receive(from: NodeId, message: Message): Address | null {
    if (from === this.self || !this.presence) return this.addressOf(from);
    if (this.presence.hear(from, message)) return null;
    return this.presence.has(from) ? this.addressOf(from) : null;
  }

  /** As `Presence.send`. */
  send(to: Address, message: Message): number | null {
    const peer = typeof to === 'number' ? this.ports.peerAt(to) : to;
    // A port whose peer has just gone leads nowhere.
    if (peer === undefined) return 0;
    return this.presence ? this.presence.send(peer, message) : this.say(peer, message);
  }

  leave(): void {
    this.presence?.leave();
  }

  private addressOf(peer: NodeId): Address {
    if (!this.isAnonymous) return peer;
    return peer === this.self ? 0 : this.ports.of(peer)!;
  }

  private notification(type: 'up' | 'down', peer: NodeId): void {
    const address = this.isAnonymous && type === 'up' ? this.ports.plugIn(peer) : this.addressOf(peer);
    this.hear({ type: `link.${type}`, peer: address });
    if (this.isAnonymous && type === 'down') this.ports.unplug(peer);
  }
}
