/** The messages in flight, indexed by number and by channel. The messages of a channel are in the order of sending. */
import type { Message, NodeId } from '../../machines/effects.js';
import type { Flight, Instance } from '../../machines/protocol.js';

/** A message in flight, with the number of its channel. */
export interface Packet extends Flight {
  readonly channel: number;
}

const NONE: ReadonlySet<Packet> = new Set();

export class FlightTable {
  private readonly byNumber = new Map<number, Packet>();
  private readonly byChannel = new Map<number, Set<Packet>>();
  private sent = 0;
  /** Observers of additions and removals. */
  private readonly followers: ((packet: Packet, by: 1 | -1) => void)[] = [];

  constructor(
    /** A number for each channel, by receiver, then by sender. */
    readonly channelOf: (from: NodeId, to: NodeId) => number,
  ) {}

  copy(): FlightTable {
    const copy = new FlightTable(this.channelOf);
    for (const packet of this.byNumber.values()) copy.add(packet);
    copy.sent = this.sent;
    return copy;
  }

  get size(): number {
    return this.byNumber.size;
  }

  get all(): readonly Packet[] {
    return [...this.byNumber.values()];
  }

  get(id: number): Packet | undefined {
    return this.byNumber.get(id);
  }

  /** The messages in flight from one node to another, in the order of sending. */
  between(from: NodeId, to: NodeId): readonly Packet[] {
    return [...(this.byChannel.get(this.channelOf(from, to)) ?? NONE)];
  }

  /** True if no other message of its channel was sent before this one. */
  isFirst(packet: Packet): boolean {
    return this.byChannel.get(packet.channel)?.values().next().value === packet;
  }

  launch(from: NodeId, to: NodeId, message: Message, cost: number): Packet {
    const packet = { id: this.sent++, from, to, message, cost, channel: this.channelOf(from, to) };
    this.add(packet);
    return packet;
  }

  /** Reports all messages in flight, then each addition and removal. */
  follow(follower: (packet: Packet, by: 1 | -1) => void): void {
    for (const packet of this.byNumber.values()) follower(packet, 1);
    this.followers.push(follower);
  }

  private add(packet: Packet): void {
    for (const follower of this.followers) follower(packet, 1);
    this.byNumber.set(packet.id, packet);
    const others = this.byChannel.get(packet.channel);
    if (others) others.add(packet);
    else this.byChannel.set(packet.channel, new Set([packet]));
  }

  /** Removes a message; no effect if it is not in flight. */
  remove(packet: Packet): void {
    if (!this.byNumber.delete(packet.id)) return;
    for (const follower of this.followers) follower(packet, -1);
    const others = this.byChannel.get(packet.channel)!;
    others.delete(packet);
    if (others.size === 0) this.byChannel.delete(packet.channel);
  }
}

/** By receiver, then by sender. Channels of nodes that are added during the run follow, in the order of their first use. */
export function channelNumbers({ rank, topology }: Instance): (from: NodeId, to: NodeId) => number {
  const size = topology.nodes.length;
  const later = new Map<string, number>();
  const numberLater = (key: string): number => {
    if (!later.has(key)) later.set(key, 1 + size * size + later.size);
    return later.get(key)!;
  };
  return (from, to) => {
    const [receiver, sender] = [rank(to), rank(from)];
    return receiver >= 0 && sender >= 0 ? 1 + receiver * size + sender : numberLater(`${from}\n${to}`);
  };
}
