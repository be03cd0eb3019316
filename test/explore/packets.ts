/**
 * Messages in flight as interned ids (packets): one for each sender, receiver and content.
 *
 * A state contains its packets in the order of their `lane`, and only the first packet of a lane can be delivered. In an unordered network
 * every packet is its own lane, so that equal packets are adjacent and any of them can be next. In a FIFO network the lane is the
 * channel, and a new packet goes to its end. There are no other differences between the two.
 *
 * In an unordered network with routing, the sender of a message belongs to the state only if something reads it: a chart from the event,
 * or a property from the flight. The search starts without any senders in its states. When the sender of some type of message is read for
 * the first time, the search restarts with the senders of that type (`restart.ts`). States that differ only in unread senders behave alike.
 */
import type { Address, Message, NodeId } from '../../machines/effects.js';
import type { Flight } from '../../machines/protocol.js';
import { Interner } from './interner.js';
import { Ints } from './ints.js';
import { jsonKey } from './json.js';
import type { Numbering } from './numbering.js';
import { senderIsRead } from './restart.js';
import type { SearchedSystem } from './system.js';

export interface InternedPacket {
  readonly from: number;
  readonly to: number;
  /** The sender as the receiver knows it: a name, or the receiver's port. */
  readonly sender: Address;
  readonly message: Message;
}

export class Packets {
  readonly interned: Interner<InternedPacket>;
  readonly to = new Ints();
  readonly lane = new Ints();
  readonly channel = new Ints();
  private readonly events: Message[] = [];
  private readonly flights: Flight[] = [];
  private readonly allSendersRead: boolean;
  private read: string | undefined;

  constructor(
    private readonly system: SearchedSystem,
    private readonly sendersRead: ReadonlySet<string>,
    private readonly costOf: (from: NodeId, to: NodeId) => number,
    numbering: Numbering,
  ) {
    this.interned = new Interner(numbering);
    const { reach, time } = system.protocol.network;
    this.allSendersRead = system.order === 'fifo' || reach === 'links' || time;
  }

  intern(packet: InternedPacket): number {
    const { from, to, sender, message } = packet;
    const { nodes, order } = this.system;
    const where = `node ${nodes[from]} sends "${message.type}": message`;
    const signature = this.isSigned(message) ? `${from} ${JSON.stringify(sender)}` : '';
    return this.interned.intern(`${signature} ${to} ${jsonKey(message, where)}`, (id) => {
      const channel = from * nodes.length + to;
      this.to.push(to);
      this.channel.push(channel);
      this.lane.push(order === 'fifo' ? channel : id);
      return packet;
    });
  }

  get(id: number): InternedPacket {
    return this.interned.all[id]!;
  }

  /** The packet as its receiver's event. */
  event(id: number): Message {
    return (this.events[id] ??= this.eventOf(this.get(id)));
  }

  /** The packet as properties see it. Each packet has one such object; its `id` is the packet's id. */
  flight(id: number): Flight {
    return (this.flights[id] ??= this.flightOf(id));
  }

  /** Restarts the search if a sender was read since the last call. */
  checkSenders(): void {
    if (this.read !== undefined) throw senderIsRead(this.read);
  }

  private isSigned({ type }: Message): boolean {
    return this.allSendersRead || this.sendersRead.has(type);
  }

  private eventOf({ sender, message }: InternedPacket): Message {
    if (this.isSigned(message)) return { ...message, from: sender } as Message;
    const read = () => this.readSender(message);
    return {
      ...message,
      get from() {
        read();
        return sender;
      },
    };
  }

  private flightOf(id: number): Flight {
    const { nodes } = this.system;
    const { from, to, message } = this.get(id);
    const flight = { id, from: nodes[from]!, to: nodes[to]!, message, cost: this.costOf(nodes[from]!, nodes[to]!) };
    if (this.isSigned(message)) return flight;
    const read = () => this.readSender(message);
    return {
      ...flight,
      get from() {
        read();
        return flight.from;
      },
      get cost() {
        read();
        return flight.cost;
      },
    };
  }

  private readSender({ type }: Message): void {
    this.read = type;
  }
}
