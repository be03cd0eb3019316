/** Properties of a link, each stated about the whole configuration: the reference for their totals. */
import type { Configuration, Property } from '../protocol.js';
import { sizeOf, type Bye, type Frame } from './frames.js';
import type { LinkOptions } from './options.js';
import { areConnected, carriedBy, endAt, linksOf, type End } from './view.js';

/** A property of the two ends of a link that follows from their states. */
const ofBothDirections = (holds: (from: End, to: End) => boolean) => ({
  holds: (c: Configuration): boolean => linksOf(c).every(([a, b]) => holds(a, b) && holds(b, a)),
});

/** A frame of the sender's present connection contains the messages that the outbox has under the same numbers. */
function isTrue(frame: Frame | Bye, { value, context: { session, theirs, base, outbox } }: End): boolean {
  // An end that has left keeps no messages to compare with.
  if (frame.type !== 'frame' || frame.session !== session || frame.to !== theirs || value === 'left') return true;
  return frame.bodies.every((body, i) => frame.seq + i < base || body === outbox[frame.seq + i - base]);
}

export const plainProperties: readonly Property<LinkOptions>[] = [
  {
    name: 'acknowledged, delivered, sent',
    description: 'On a connection, messages that the sender knows as delivered were delivered, and delivered messages were sent.',
    kind: 'always',
    ...ofBothDirections((from, to) => {
      const { base, sent } = from.context;
      return !areConnected(from, to) || (base <= to.context.expected && to.context.expected <= base + sent);
    }),
  },
  {
    name: 'one number, one message',
    description: 'Every frame of a connection carries, under each number, the message that was posted under it.',
    kind: 'always',
    holds: (c) =>
      c.flights.every((flight) => {
        const { from, to, message } = carriedBy(flight);
        return isTrue(message, endAt(c.nodes.get(from)!, to)!);
      }),
  },
  {
    name: 'bounded outbox',
    description: 'No end keeps more than window and room, or has more than the window in flight, in messages and in sizes.',
    kind: 'always',
    ...ofBothDirections(({ context: { outbox, window, room, sent, windowSize, roomSize } }) => {
      const size = (count: number) => outbox.slice(0, count).reduce<number>((sum, body) => sum + sizeOf(body), 0);
      const isBounded = outbox.length <= window + room && size(outbox.length) <= roomSize;
      return isBounded && sent <= Math.min(window, outbox.length) && (sent <= 1 || size(sent) <= windowSize);
    }),
  },
  {
    name: 'nothing invented',
    description: 'Each session that an end attributes to its peer was begun by that peer, even if other nodes forge its frames.',
    kind: 'always',
    ...ofBothDirections((end, peer) => end.context.latest <= peer.context.session),
  },
  {
    name: 'a connection',
    description: 'Both ends of a link come up on the same pair of sessions.',
    kind: 'sometimes',
    holds: (c) => linksOf(c).some(([a, b]) => areConnected(a, b)),
  },
];
