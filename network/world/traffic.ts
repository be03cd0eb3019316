/**
 * The traffic of a world: how messages find their receivers, what is in flight, and how it is lost, doubled or held up.
 *
 * The driver decides when a message arrives. A message that a protocol would refuse from the network is refused when it is sent.
 */
import type { Address, Message, NodeId } from '../../machines/effects.js';
import { ProtocolError } from '../../machines/errors.js';
import type { Flight, Instance, NetworkGraph, Protocol } from '../../machines/protocol.js';
import { channelNumbers, FlightTable, type Packet } from './flights.js';
import type { WorldDriver, Lost, Witness } from './driver.js';
import type { Environment, WorldFrame } from './environment.js';
import type { Links } from './links.js';

/** The node at an address: a name, or a port of the sender; `undefined` if there is none. */
export const receiverOf = (links: Pick<Links, 'peerAt'>, from: NodeId, address: Address): NodeId | undefined =>
  typeof address === 'number' ? links.peerAt(from, address) : address;

/** The sender of a message as its receiver knows it: by name, or by the receiver's port. */
export const senderAs = (
  addressing: 'names' | 'ports',
  links: Pick<Links, 'port'>,
  { from, to }: { readonly from: NodeId; readonly to: NodeId },
): Address => (addressing === 'ports' ? links.port(to, from) : from);

/** Rejects a message at its sender that every receiver would reject as malformed, because it shows a mistake in the protocol. */
export function requireAccepted(
  { name, accepts }: Pick<Protocol, 'name' | 'accepts'>,
  instance: Instance,
  from: NodeId,
  message: Message,
): void {
  if (accepts(message, instance)) return;
  throw new ProtocolError(
    `Node ${from} sent ${JSON.stringify(message).slice(0, 200)}, which ${name} does not accept from the network. ` +
      'Fix `messages` or `accepts` in its description, or the chart.',
  );
}

/** Causes of delay: paused nodes, clogged channels (`from\nto`), and single messages by number. */
export interface Hindrances {
  readonly paused: ReadonlySet<NodeId>;
  readonly clogged: ReadonlySet<string>;
  readonly held: ReadonlySet<number>;
}

/** True if a message that has come to its receiver waits before it, in a world and before a live node. */
export function isHeldUp({ paused, clogged, held }: Hindrances, { id, from, to }: Omit<Flight, 'message' | 'cost'>): boolean {
  if (held.size + paused.size + clogged.size === 0) return false;
  return paused.has(to) || clogged.has(`${from}\n${to}`) || held.has(id);
}

export class Traffic {
  readonly flights: FlightTable;
  /** Messages kept back by hand, by number. */
  readonly held = new Set<number>();
  private metric: Pick<NetworkGraph, 'distance'>;

  constructor(
    private readonly frame: WorldFrame,
    private readonly environment: Environment,
    private readonly driver: WorldDriver,
    private readonly witness: Witness,
    from?: Traffic,
  ) {
    this.flights = from ? from.flights.copy() : new FlightTable(channelNumbers(frame.instance));
    this.metric = from?.metric ?? frame.instance;
    for (const id of from?.held ?? []) this.held.add(id);
  }

  /** Does something to a message in flight; false when there is none of this number. */
  with(id: number, act: (packet: Packet) => void): boolean {
    const packet = this.flights.get(id);
    if (packet) act(packet);
    return packet !== undefined;
  }

  /** Takes a message off: it has arrived or is lost. */
  land(packet: Packet): void {
    this.flights.remove(packet);
    this.held.delete(packet.id);
    this.driver.landed(packet);
  }

  lose(packet: Packet, why: Lost['why']): void {
    this.land(packet);
    this.witness.lost({ flight: packet, why });
  }

  double({ from, to, message, cost }: Flight): void {
    this.witness.duplicated(this.launch(from, to, message, cost));
  }

  private launch(from: NodeId, to: NodeId, message: Message, cost: number): Packet {
    const packet = this.flights.launch(from, to, message, cost);
    this.driver.launched(packet);
    return packet;
  }

  /** Puts a message in flight that no node sent. */
  place(from: NodeId, to: NodeId, message: Message, cost: number, on?: 'its way'): void {
    const packet = this.flights.launch(from, to, message, cost);
    this.driver.launched(packet, on);
    this.witness.placed(packet);
  }

  /**
   * Puts the message of a node in flight and into `sent`, unless it is lost or refused.
   *
   * @param isThere whether a node exists to receive it.
   */
  send(from: NodeId, address: Address, message: Message, sent: Flight[], isThere: (node: NodeId) => boolean): void {
    const { protocol, instance } = this.frame;
    const to = receiverOf(this.environment.links, from, address);
    if (to === undefined || !isThere(to)) {
      this.witness.refused({ node: from, event: message, why: `it sends to ${JSON.stringify(address)}, where no node is` });
      return;
    }
    requireAccepted(protocol, instance, from, message);
    if (protocol.network.reach === 'links' && to !== from && !this.environment.links.up(from, to)) return;
    const cost = this.costOf(from, to);
    if (cost === Infinity) {
      this.witness.lost({ flight: { id: -1, from, to, message, cost }, why: 'no route' });
      return;
    }
    const packet = this.launch(from, to, message, cost);
    sent.push(packet);
    const fate = this.driver.fate();
    if (fate === 'lost') this.lose(packet, 'loss');
    else if (fate === 'doubled') this.double(packet);
  }

  private costOf(from: NodeId, to: NodeId): number {
    // A node that writes to itself waits like for a link of weight 1: at no cost, its retries could keep time from passing.
    if (this.frame.protocol.network.reach === 'links') return from === to ? 1 : this.environment.links.weight(from, to);
    return this.metric.distance(from, to);
  }

  isHeldUp(flight: Flight): boolean {
    const { paused, clogged } = this.environment;
    return isHeldUp({ paused, clogged, held: this.held }, flight);
  }

  /** True if some channel is clogged, some node paused or some message kept back. */
  get holdsUp(): boolean {
    return this.environment.paused.size + this.environment.clogged.size + this.held.size > 0;
  }

  /** Everything in flight on a channel is lost: it went down. */
  empty(from: NodeId, to: NodeId): void {
    for (const packet of this.flights.between(from, to)) this.lose(packet, 'link down');
    this.driver.emptied(this.flights.channelOf(from, to));
  }

  /** Links have changed: routed messages find their ways again. */
  reroute(): void {
    this.metric = this.frame.measure(this.environment.links.topology(this.frame.instance.topology.nodes));
  }
}
