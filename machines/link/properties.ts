/** What a link promises, as far as a single state can show it; the account follows the messages themselves. */
import type { NodeId } from '../effects.js';
import type { Configuration, Property, RoleView } from '../protocol.js';
import { isDeceived, sizeOf, type Bye, type Frame, type LinkContext } from './frames.js';
import type { LinkOptions } from './options.js';
import { areConnected, carriedBy, endAt, endsOf, isUp, linksOf, relaysBetween } from './view.js';

type End = RoleView<LinkContext>;

/** A property of the two ends of a link that follows from their states: a step moves those of one node. */
const ofBothDirections = (holds: (from: End, to: End) => boolean) => ({
  holds: (c: Configuration): boolean => linksOf(c).every(([a, b]) => holds(a, b) && holds(b, a)),
  holdsAround: (c: Configuration, node: NodeId): boolean =>
    endsAt(c, node).every((end) => {
      const other = endAt(c.nodes.get(end.context.peer)!, node);
      return other === undefined || (holds(end, other) && holds(other, end));
    }),
});

/** A frame of the sender's connection as it stands bears what the outbox has under the same numbers. */
function isTrue(frame: Frame | Bye, { value, context: { session, theirs, base, outbox } }: End): boolean {
  // Who has left keeps nothing to hold it against.
  if (frame.type !== 'frame' || frame.session !== session || frame.to !== theirs || value === 'left') return true;
  return frame.bodies.every((body, i) => frame.seq + i < base || body === outbox[frame.seq + i - base]);
}

/** What the receiver has delivered and the sender acknowledged is what the sender has sent. */
const agree = (from: End, to: End): boolean =>
  from.context.base <= to.context.expected &&
  !isDeceived(from.context, { ack: to.context.expected, checksum: to.context.delivered });

const isQuiet = (end: End): boolean => !isUp(end) || end.context.outbox.length === 0;
const endsAt = (c: Configuration, node: NodeId): End[] => endsOf(c.nodes.get(node)!);

/** Neither end has left, they reach each other, and this one is not up. */
function isDue(c: Configuration, node: NodeId, { value, context: { peer } }: End): boolean {
  const areThere = ![node, peer].some((end) => c.crashed?.includes(end));
  const isLeft = [value, endAt(c.nodes.get(peer)!, node)!.value].includes('left');
  const reachEachOther = (c.links.up(node, peer) && c.links.up(peer, node)) || relaysBetween(c, node, peer).length > 0;
  return value !== 'up' && areThere && !isLeft && reachEachOther;
}

function isAgreed(c: Configuration, node: NodeId, end: End): boolean {
  const peer = endAt(c.nodes.get(end.context.peer)!, node)!;
  return !areConnected(end, peer) || (agree(end, peer) && agree(peer, end));
}

export const linkProperties = (): readonly Property<LinkOptions>[] => [
  {
    name: 'acknowledged, delivered, sent',
    says: 'On a connection, what the sender knows to be delivered was delivered, and what was delivered was sent.',
    kind: 'always',
    ...ofBothDirections((from, to) => {
      const { base, sent } = from.context;
      return !areConnected(from, to) || (base <= to.context.expected && to.context.expected <= base + sent);
    }),
  },
  {
    name: 'one account',
    says: 'Two ends that are up, of which one has heard a forger in the name of the other, do not stay so.',
    kind: 'eventually',
    when: (c, node) => !endsAt(c, node).every((end) => isAgreed(c, node, end)),
    holds: (c, node) => endsAt(c, node).every((end) => isAgreed(c, node, end)),
  },
  {
    name: 'one number, one message',
    says: 'Every frame of a connection carries, under each number, the message that was posted under it.',
    kind: 'always',
    holds: (c) =>
      c.flights.every((flight) => {
        const { from, to, message } = carriedBy(flight);
        return isTrue(message, endAt(c.nodes.get(from)!, to)!);
      }),
  },
  {
    name: 'bounded outbox',
    says: 'No end keeps more than window and room, nor has more than the window under way, in messages and in sizes.',
    kind: 'always',
    ...ofBothDirections(({ context: { outbox, window, room, sent, windowSize, roomSize } }) => {
      const size = (count: number) => outbox.slice(0, count).reduce<number>((sum, body) => sum + sizeOf(body), 0);
      const isBounded = outbox.length <= window + room && size(outbox.length) <= roomSize;
      return isBounded && sent <= Math.min(window, outbox.length) && (sent <= 1 || size(sent) <= windowSize);
    }),
  },
  {
    name: 'nothing invented',
    says: 'What an end takes for a session of its peer is one that the peer has begun, whoever else speaks in its name.',
    kind: 'always',
    ...ofBothDirections((end, peer) => end.context.latest <= peer.context.session),
  },
  {
    name: 'delivery',
    says: 'What is posted while the link is up is acknowledged in the end, or the link goes down.',
    kind: 'eventually',
    when: (c, node) => !endsAt(c, node).every(isQuiet),
    holds: (c, node) => endsAt(c, node).every(isQuiet),
  },
  {
    name: 'return',
    says: 'Two who reach each other, directly or by way of a third, come up.',
    kind: 'eventually',
    when: (c, node) => endsAt(c, node).some((end) => isDue(c, node, end)),
    holds: (c, node) => !endsAt(c, node).some((end) => isDue(c, node, end)),
  },
  {
    name: 'a connection',
    says: 'Both ends of a link come up on the same pair of sessions.',
    kind: 'sometimes',
    holds: (c) => linksOf(c).some(([a, b]) => areConnected(a, b)),
  },
];
