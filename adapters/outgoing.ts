/**
 * Messages to the peers of a linked transport, until their links have accepted them.
 *
 * If an application sends faster than a peer reads, `send` throws: the message is rejected without side effects, and the link stays up. A
 * node cannot wait in the middle of a step. So its messages (everything in an envelope) have additional space, and the peer counts as gone
 * only when that is full too.
 *
 * A message of several parts must not delay other conversations. Its parts wait here and are passed on one by one as the link accepts them,
 * so that whole messages are sent between them. Order is kept within a conversation, and among messages of several parts.
 */
import type { NodeId } from '../machines/effects.js';
import { sizeOf, type LinkContext } from '../machines/link/frames.js';
import { roleTo } from '../machines/link/view.js';
import type { RoleView } from '../machines/protocol.js';
import type { PeerLimits } from './limits.js';
import type { LiveNode } from './node/node.js';
import { partsOf } from './parts.js';
import type { Drops } from './transports/drops.js';
import { refusal, type Envelope } from './transports/envelope.js';
import { BackpressureError } from './transports/errors.js';
import type { Json } from './transports/transport.js';

/** Capacity of a link's chart: the messages that may wait, plus the same number of messages of nodes. */
export const roomsIn = ({ window, room, roomSize, nodesRoomSize }: PeerLimits) => ({
  window,
  room: window + 2 * room,
  roomSize: roomSize + nodesRoomSize,
});

/** Number of parts that are ready for the next frame of a link. Each is a quarter of a frame. */
const PARTS_READY = 4;

const MIB = 2 ** 20;

/** A message in parts that waits for its turn. */
interface Turn {
  readonly conversation: string;
  readonly bodies: string[];
}

export class Outgoing {
  private readonly turns = new Map<NodeId, Turn[]>();
  /** The peers for which a message of the application may wait. */
  private readonly awaitedByApplication = new Set<NodeId>();
  private readonly rooms: ReturnType<typeof roomsIn>;

  constructor(
    private readonly node: LiveNode,
    /** Length of one part in characters. */
    private readonly partLength: number,
    private readonly drops: Drops,
    private readonly limits: PeerLimits,
  ) {
    this.rooms = roomsIn(limits);
  }

  /**
   * Sends a message or queues it.
   *
   * @throws BackpressureError if too many messages wait for the peer.
   */
  send(peer: NodeId, message: Json, text: string): void {
    const bodies = [...partsOf(text, this.partLength)];
    const end = this.end(peer);
    // Messages to gone or unknown peers are dropped.
    if (end?.value !== 'up' && end?.value !== 'seeking') return;
    const turns = this.turnsOf(peer);
    const conversation = conversationOf(message);
    if (conversation === OWN) this.refuseBeyond(end.context, bodies);
    if (!this.waitsFor(end.context)) this.awaitedByApplication.delete(peer);
    if (conversation === OWN) this.awaitedByApplication.add(peer);
    const waiting = this.waits(end.context);
    if (bodies.length === 1 && !turns.some((turn) => turn.conversation === conversation))
      this.node.attempt('post', { peer, body: bodies[0] });
    else turns.push({ conversation, bodies });
    this.handOn(peer);
    if (end.value === 'up' && this.end(peer)?.value === 'down')
      this.drops.drop(`"${peer}" counts as gone: ${waiting} for it, the limit for nodes`);
  }

  /** Passes waiting parts to the link, at most a frame ahead. */
  handOn(peer: NodeId): void {
    const turns = this.turnsOf(peer);
    for (let end = this.end(peer); turns.length > 0 && end; end = this.end(peer)) {
      const { outbox, sent } = end.context;
      const mayGo = end.value === 'up' && outbox.length - sent < PARTS_READY;
      // Beyond the limit, the link decides whether the peer counts as gone.
      if (!mayGo && !this.isBeyond(end.context)) return;
      const { bodies } = turns[0]!;
      this.node.attempt('post', { peer, body: bodies.shift() });
      if (bodies.length === 0) turns.shift();
    }
  }

  /** Drops the messages that wait for a peer that has gone. */
  forget(peer: NodeId): void {
    this.turns.delete(peer);
    this.awaitedByApplication.delete(peer);
  }

  hasTurns(peer: NodeId): boolean {
    return (this.turns.get(peer)?.length ?? 0) > 0;
  }

  waitsFor({ peer, outbox }: LinkContext): boolean {
    return outbox.length > 0 || this.hasTurns(peer);
  }

  /** Warns of messages of the application that a peer has not received when the transport closes. Nodes end with the transport. */
  noteLost(c: LinkContext): void {
    if (this.waitsFor(c) && this.awaitedByApplication.has(c.peer))
      this.drops.drop(`the transport closed while ${this.waits(c)} for "${c.peer}"`);
  }

  private end(peer: NodeId): RoleView<LinkContext> | undefined {
    return this.node.role(roleTo(peer));
  }

  private refuseBeyond(c: LinkContext, bodies: readonly string[]): void {
    const size = sizeOfAll(bodies);
    const turns = this.turnsOf(c.peer);
    const count = c.outbox.length + countOfTurns(turns);
    const { window, room, roomSize } = this.limits;
    if (count + bodies.length <= window + room && c.outboxSize + sizeOfTurns(turns) + size <= roomSize) return;
    throw new BackpressureError(
      `transport "${this.node.id}" accepts no more messages for "${c.peer}" now: ${this.waits(c)} for it. The limit is ${roomSize / MIB} MiB or ` +
        `${window + room} messages. Send less or later; if a hub or mesh is slow, raise ` +
        'limits.bytesPerSecond there. Nothing was sent',
      c.peer,
    );
  }

  private isBeyond({ peer, outbox, outboxSize }: LinkContext): boolean {
    const turns = this.turnsOf(peer);
    const { window, room, roomSize } = this.rooms;
    return sizeOfTurns(turns) + outboxSize > roomSize || countOfTurns(turns) + outbox.length > window + room;
  }

  private turnsOf(peer: NodeId): Turn[] {
    let turns = this.turns.get(peer);
    if (!turns) this.turns.set(peer, (turns = []));
    return turns;
  }

  private waits({ peer, outbox, outboxSize }: LinkContext): string {
    const turns = this.turnsOf(peer);
    const [size, count] = [outboxSize + sizeOfTurns(turns), outbox.length + countOfTurns(turns)];
    return `${(size / MIB).toFixed(1)} MiB in ${count} messages or parts of them wait`;
  }
}

const sizeOfAll = (bodies: readonly string[]): number => bodies.reduce((sum, body) => sum + sizeOf(body), 0);
const sizeOfTurns = (turns: readonly Turn[]): number => turns.reduce((sum, { bodies }) => sum + sizeOfAll(bodies), 0);
const countOfTurns = (turns: readonly Turn[]): number => turns.reduce((sum, { bodies }) => sum + bodies.length, 0);

/** Messages without an envelope are one conversation, that of the application. Names of nodes are never empty. */
const OWN = '';
const conversationOf = (message: Json): string => (refusal(message) === null ? (message as unknown as Envelope).name : OWN);
