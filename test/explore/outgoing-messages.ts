/**
 * Messages that a node sends, as ids, before their receiver is known. A message to a name is a packet immediately. A message to a port
 * becomes a packet when the current links determine the node at the other end.
 */
import type { Address, Message, NodeId } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';
import type { Links } from '../../network/world/links.js';
import { receiverOf, requireAccepted, senderAs } from '../../network/world/traffic.js';
import { Interner } from './interner.js';
import { jsonKey } from './json.js';
import type { Numbering } from './numbering.js';
import type { Packets } from './packets.js';
import type { SearchedSystem } from './system.js';

interface OutgoingMessage {
  readonly from: number;
  readonly port: number;
  readonly message: Message;
}

export class OutgoingMessages {
  /** True if a message always arrives because no channel can be down. */
  readonly isRouted: boolean;
  private readonly isAnonymous: boolean;
  private readonly toPorts: Interner<OutgoingMessage>;

  constructor(
    private readonly system: SearchedSystem,
    private readonly packets: Packets,
    numbering: Numbering,
  ) {
    this.toPorts = new Interner(numbering);
    this.isRouted = system.protocol.network.reach === 'routed';
    this.isAnonymous = system.protocol.network.addressing === 'ports';
  }

  intern(from: number, to: Address, message: Message): number {
    const { nodes, instance } = this.system;
    requireAccepted(this.system.protocol, instance, nodes[from]!, message);
    const where = () => `node ${nodes[from]} sends "${message.type}" to ${JSON.stringify(to)}`;
    if (this.isAnonymous) {
      if (typeof to !== 'number') throw new ProtocolError(`${where()}, but nodes are anonymous. Send to a port.`);
      return this.toPorts.intern(`${from} ${to} ${jsonKey(message, `${where()}: the message`)}`, () => ({
        from,
        port: to,
        message,
      }));
    }
    const receiver = instance.rank(to as NodeId);
    if (receiver < 0) throw new ProtocolError(`${where()}, but the topology has no such node.`);
    return this.packets.intern({ from, to: receiver, sender: nodes[from]!, message });
  }

  /** The packet that an outgoing message becomes, or -1 if its channel is down. */
  route(outgoing: number, links: Links): number {
    const { nodes, instance } = this.system;
    if (!this.isAnonymous) {
      const { from, to } = this.packets.get(outgoing);
      return from === to || links.up(nodes[from]!, nodes[to]!) ? outgoing : -1;
    }
    const { from, port, message } = this.toPorts.all[outgoing]!;
    const receiver = receiverOf(links, nodes[from]!, port);
    if (receiver === undefined) return -1;
    const sender = senderAs('ports', links, { from: nodes[from]!, to: receiver });
    return this.packets.intern({ from, to: instance.rank(receiver), sender, message });
  }
}
