/**
 * The state that the properties of a link depend on: its two ends, and the frames with messages in flight from one to the other. A link is
 * judged again after one of its ends has changed, or a frame was sent or received between them.
 */
import type { NodeId } from '../effects.js';
import { Places } from '../places.js';
import type { Fold, Totals } from '../folded.js';
import type { Flight } from '../protocol.js';
import { sizeOf, type Frame } from './frames.js';
import type { LinkOptions } from './options.js';
import { areConnected, carriedBy, endsByPeer, type End } from './view.js';

interface NodeFact {
  readonly id: NodeId;
  readonly ends: ReadonlyMap<NodeId, End>;
}

/** A frame with messages and its two ends, sent directly or through a relay; `null` for any other message. */
type FlightFact = { readonly from: NodeId; readonly to: NodeId; readonly frame: Frame } | null;

export const linkFold: Fold<LinkOptions, LinkTotals> = {
  node: (view, id) => ({ id, ends: endsByPeer(view) }),
  flight: (flight: Flight) => {
    const { from, to, message } = carriedBy(flight);
    return message.type === 'frame' && message.bodies.length > 0 ? { from, to, frame: message } : null;
  },
  totals: () => new LinkTotals(),
};

/** One direction of a link, from one end to the other. */
class Way {
  end: End | undefined;
  readonly frames: Frame[] = [];
  readonly back: Way;

  constructor(back?: Way) {
    this.back = back ?? new Way(this);
  }
}

/** A condition that has to hold in both directions of a link. A link with a single end fulfills it. */
const fromEndToEnd = (holds: (from: End, to: End) => boolean) =>
  new Places(({ end, back }: Way) => end === undefined || back.end === undefined || holds(end, back.end));

export class LinkTotals implements Totals<NodeFact, FlightFact> {
  readonly accounts = fromEndToEnd(isAccountedFor);
  readonly sessions = fromEndToEnd((from, to) => from.context.latest <= to.context.session);
  /** Holds while no link is connected, so that its violation shows a connection. */
  readonly strangers = fromEndToEnd((from, to) => !areConnected(from, to));
  readonly outboxes = new Places(({ end }: Way) => isBounded(end!));
  readonly frames = new Places(({ end, frames }: Way) => frames.every((frame) => isTrue(frame, end!)));
  private readonly ways = new Map<NodeId, Map<NodeId, Way>>();

  node({ id, ends }: NodeFact, by: 1 | -1): void {
    if (by === 1) for (const [peer, end] of ends) this.put(this.way(id, peer), end);
  }

  private put(way: Way, end: End): void {
    const before = way.end;
    if (before?.context === end.context && before.value === end.value) return;
    way.end = end;
    this.outboxes.touch(way);
    this.frames.touch(way);
    for (const places of [this.accounts, this.sessions, this.strangers]) {
      places.touch(way);
      places.touch(way.back);
    }
  }

  flight(fact: FlightFact, by: 1 | -1): void {
    if (fact === null) return;
    const way = this.way(fact.from, fact.to);
    const { frames } = way;
    if (by === 1) frames.push(fact.frame);
    else frames.splice(frames.indexOf(fact.frame), 1);
    this.frames.touch(way);
  }

  private way(from: NodeId, to: NodeId): Way {
    const known = this.waysFrom(from).get(to);
    if (known) return known;
    const way = new Way();
    this.waysFrom(from).set(to, way);
    this.waysFrom(to).set(from, way.back);
    return way;
  }

  private waysFrom(node: NodeId): Map<NodeId, Way> {
    let ways = this.ways.get(node);
    if (!ways) this.ways.set(node, (ways = new Map()));
    return ways;
  }
}

/** True if all messages that the sender knows as delivered were delivered, and all delivered messages were sent. */
function isAccountedFor(from: End, to: End): boolean {
  const { base, sent } = from.context;
  return !areConnected(from, to) || (base <= to.context.expected && to.context.expected <= base + sent);
}

/** True if the kept messages are within the room, and those in flight within the window. */
function isBounded({ context: { outbox, window, room, sent, windowSize, roomSize } }: End): boolean {
  const size = (count: number) => outbox.slice(0, count).reduce<number>((sum, body) => sum + sizeOf(body), 0);
  const hasRoom = outbox.length <= window + room && size(outbox.length) <= roomSize;
  return hasRoom && sent <= Math.min(window, outbox.length) && (sent <= 1 || size(sent) <= windowSize);
}

/** True if a frame of the sender's present connection contains the messages that the outbox has under the same numbers. */
function isTrue(frame: Frame, { value, context: { session, theirs, base, outbox } }: End): boolean {
  // An end that has left keeps no messages to compare with.
  if (frame.session !== session || frame.to !== theirs || value === 'left') return true;
  return frame.bodies.every((body, i) => frame.seq + i < base || body === outbox[frame.seq + i - base]);
}
