/**
 * What a node sends, as numbers, before it is known where it goes. A message to a name is a packet at once; one to a port becomes one
 * when the links of the moment say who is at its other end.
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
  /** True if a letter always arrives: no channel can be down. */
  readonly isRouted: boolean;
  private readonly isAnonymous: boolean;
  private readonly toPorts: Interner<OutgoingMessage>;
  /** What each letter to a port has become. */
  private readonly routed: Set<number>[] = [];

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
      if (typeof to !== 'number') throw new ProtocolError(`${where()}, but nodes are anonymous; send to a port`);
      return this.toPorts.intern(`${from} ${to} ${jsonKey(message, `${where()}: the message`)}`, () => ({
        from,
        port: to,
        message,
      }));
    }
    const receiver = instance.rank(to as NodeId);
    if (receiver < 0) throw new ProtocolError(`${where()}, which is no node of the topology`);
    return this.packets.intern({ from, to: receiver, sender: nodes[from]!, message });
  }

  /** The packet that a letter becomes, -1 where no channel takes it. */
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
    const packet = this.packets.intern({ from, to: instance.rank(receiver), sender, message });
    (this.routed[outgoing] ??= new Set()).add(packet);
    return packet;
  }

  /** All packets that a letter has become. */
  packetsOf(outgoing: number): Iterable<number> {
    return this.isAnonymous ? (this.routed[outgoing] ?? []) : [outgoing];
  }
}
