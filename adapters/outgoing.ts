/**
 * What is sent to the peers of a linked transport, until their links have it.
 *
 * Who sends faster than a peer reads hears so at `send`: where too much waits, the message is refused, nothing has changed, and the link
 * stays up. A node cannot wait in the middle of a step, so what nodes say has room of its own beyond that; only when that is full as
 * well does the peer count as gone.
 */
import type { NodeId } from '../machines/effects.js';
import { sizeOf, type LinkContext } from '../machines/link/frames.js';
import { roleTo } from '../machines/link/view.js';
import type { RoleView } from '../machines/protocol.js';
import type { LiveNode } from './node/node.js';
import { partsOf } from './parts.js';
import type { Drops } from './transports/drops.js';
import { isOfNode } from './transports/envelope.js';
import { BackpressureError } from './transports/errors.js';
import type { Json } from './transports/transport.js';

/** How many messages may be under way to a peer, and how many more may wait. */
const WINDOW = 256;
const ROOM = 10_000;
/** And how many characters of them. */
const ROOM_SIZE = 2 ** 25;

/** What the chart of a link keeps: what may wait, and once more so many messages of nodes. */
export const ROOMS = { window: WINDOW, room: WINDOW + 2 * ROOM, roomSize: ROOM_SIZE + 2 ** 23 };

const MIB = 2 ** 20;

export class Outgoing {
  constructor(
    private readonly node: LiveNode,
    /** Characters of one part. */
    private readonly partLength: number,
    private readonly drops: Drops,
  ) {}

  /** @throws BackpressureError where too much waits for the peer. */
  send(peer: NodeId, message: Json, text: string): void {
    const bodies = [...partsOf(text, this.partLength)];
    const end = this.end(peer);
    // Nobody keeps anything for who is gone, or is none of the peers.
    if (end?.value !== 'up' && end?.value !== 'seeking') return;
    if (!isOfNode(message)) this.refuseBeyond(end.context, bodies);
    for (const body of bodies) this.node.attempt('post', { peer, body });
    if (end.value === 'up' && this.end(peer)?.value === 'down')
      this.drops.drop(`"${peer}" counts as gone, because ${waits(end.context)} for it of what nodes said`);
  }

  /** The transport closes, and a peer has not taken all that was sent to it. */
  noteLost(c: LinkContext): void {
    if (c.outbox.length > 0) this.drops.drop(`the transport closed while ${waits(c)} for "${c.peer}"`);
  }

  private end(peer: NodeId): RoleView<LinkContext> | undefined {
    return this.node.role(roleTo(peer));
  }

  private refuseBeyond(c: LinkContext, bodies: readonly string[]): void {
    const size = bodies.reduce((sum, body) => sum + sizeOf(body), 0);
    if (c.outbox.length + bodies.length <= WINDOW + ROOM && c.outboxSize + size <= ROOM_SIZE) return;
    throw new BackpressureError(
      `transport "${this.node.id}" takes no more for "${c.peer}" now: ${waits(c)} for it, and ${ROOM_SIZE / MIB} MiB or ` +
        `${WINDOW + ROOM} messages may; send less, or again when it has read some; where it, or its hub, is read too ` +
        'slowly, raise limits.bytesPerSecond there; nothing was sent',
      c.peer,
    );
  }
}

const waits = ({ outbox, outboxSize }: LinkContext): string =>
  `${(outboxSize / MIB).toFixed(1)} MiB in ${outbox.length} messages or parts of them wait`;
