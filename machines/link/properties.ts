/** Properties of a link that a single state can show. The account follows the messages themselves. */
import type { NodeId } from '../effects.js';
import { always, sometimes } from '../folded.js';
import type { Configuration, Property } from '../protocol.js';
import { isDeceived } from './frames.js';
import type { LinkOptions } from './options.js';
import { linkFold } from './totals.js';
import { areConnected, endAt, endsOf, isUp, reachEachOther, type End } from './view.js';

/** True if the sender has sent what the receiver has delivered and the sender counts as acknowledged. */
const agree = (from: End, to: End): boolean =>
  from.context.base <= to.context.expected &&
  !isDeceived(from.context, { ack: to.context.expected, checksum: to.context.delivered });

const isQuiet = (end: End): boolean => !isUp(end) || end.context.outbox.length === 0;
const endsAt = (c: Configuration, node: NodeId): End[] => endsOf(c.nodes.get(node)!);

/** True if this end should come up: neither end has left, and they reach each other. */
function isDue(c: Configuration, node: NodeId, { value, context: { peer } }: End): boolean {
  const areThere = ![node, peer].some((end) => c.crashed?.includes(end));
  const isLeft = [value, endAt(c.nodes.get(peer)!, node)!.value].includes('left');
  return value !== 'up' && areThere && !isLeft && reachEachOther(c, node, peer);
}

function isAgreed(c: Configuration, node: NodeId, end: End): boolean {
  const peer = endAt(c.nodes.get(end.context.peer)!, node)!;
  return !areConnected(end, peer) || (agree(end, peer) && agree(peer, end));
}

const description = always(linkFold, { isLocal: true });

/** True if a running node has messages that are not acknowledged. */
const isDelivering = (c: Configuration, node: NodeId): boolean => !c.crashed?.includes(node) && !endsAt(c, node).every(isQuiet);

export const linkProperties = (): readonly Property<LinkOptions>[] => [
  description(
    'acknowledged, delivered, sent',
    'On a connection, messages that the sender knows as delivered were delivered, and delivered messages were sent.',
    (t) => t.accounts.hold,
  ),
  {
    name: 'one account',
    description:
      'If one end accepted a frame that an attacker forged in the name of the other end, the link does not stay up at both ends.',
    kind: 'eventually',
    when: (c, node) => !endsAt(c, node).every((end) => isAgreed(c, node, end)),
    holds: (c, node) => endsAt(c, node).every((end) => isAgreed(c, node, end)),
  },
  description(
    'one number, one message',
    'Every frame of a connection carries, under each number, the message that was posted under it.',
    (t) => t.frames.hold,
  ),
  description(
    'bounded outbox',
    'No end keeps more than window and room, or has more than the window in flight, in messages and in sizes.',
    (t) => t.outboxes.hold,
  ),
  description(
    'nothing invented',
    'Each session that an end attributes to its peer was begun by that peer, even if other nodes forge its frames.',
    (t) => t.sessions.hold,
  ),
  {
    name: 'delivery',
    description: 'A message that is posted while the link is up is eventually acknowledged, or the link goes down.',
    kind: 'eventually',
    when: (c, node) => isDelivering(c, node),
    holds: (c, node) => !isDelivering(c, node),
  },
  {
    name: 'return',
    description: 'Two nodes that reach each other directly or through a third node come up.',
    kind: 'eventually',
    when: (c, node) => endsAt(c, node).some((end) => isDue(c, node, end)),
    holds: (c, node) => !endsAt(c, node).some((end) => isDue(c, node, end)),
  },
  sometimes(linkFold)('a connection', 'Both ends of a link come up on the same pair of sessions.', (t) => !t.strangers.hold),
];
