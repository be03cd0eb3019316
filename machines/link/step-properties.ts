/** Checks each step of a link against its expected result: the new state, the messages sent, and the choice of a relay. */
import type { Message, NodeId } from '../effects.js';
import type { Configuration, LinksView, PropertyResult, Step } from '../protocol.js';
import { courseOf, type Course } from './course.js';
import { fresh, type LinkContext } from './frames.js';
import type { LinkChartEvent, LinkNotification } from './machine.js';
import { NOTHING_SENT, spokenBy, Speech, type Spoken, type Utterance } from './speech.js';
import { isUp, roleTo, type End } from './view.js';
import { wayAfter, type Relay } from './ways.js';

/** A node's end of each of its links, by the peer at the other end. */
export type Ends = ReadonlyMap<NodeId, End>;

/** One step of an end: its state before and after, the event, and the expected result. */
interface EndStep {
  readonly before: End;
  readonly after: End;
  readonly event: LinkChartEvent;
  readonly course: Course;
}

/** Six properties that depend on a step, and not only on the state after it. */
export class LinkStepProperties {
  /** The messages sent on the present connection, by node and peer. */
  private readonly spoken = new Map<string, Spoken>();
  private isLed = true;
  private isDue = true;
  private isByEachWay = true;
  private isReceived = true;
  private isStranger = true;
  private isReported = true;
  /** The ends whose peer was reported as gone, and has sent nothing since. */
  private readonly reported = new Set<string>();

  record(step: Step<LinkNotification>, before: Ends, after: Ends, { links }: Configuration): void {
    const { node, sent } = step;
    const asked = askedOf(step, before);
    const direct = sent.flatMap(({ to, message }) => (isWord(message) ? [{ to, message }] : []));
    const passed = sent.flatMap(({ message }) => (message.type === 'relay' ? [message as Relay] : []));
    const receivers = [...direct.map(({ to }) => to), ...passed.map(({ target }) => target)];
    if (receivers.some((to) => to !== asked?.peer)) this.isDue = false;
    const relayed = sent.flatMap(({ to, message }) => (message.type === 'relayed' ? [[to, message]] : []));
    if (!areSame(relayed, relayedAt(step, before, links))) this.isByEachWay = false;
    if (!asked) return;
    const { peer, event } = asked;
    const one = { before: before.get(peer)!, after: after.get(peer)!, event };
    const taken = { ...one, course: courseOf(one.before, event) };
    const way = wayOf(taken);
    const isPassed = way !== null && passesOn(after.get(way)!) && links.up(node, way);
    const isDirect = links.up(node, peer);
    const words = isDirect ? direct.map(({ message }) => message) : passed.map(({ message }) => message);
    if (
      !areSame(
        passed.map(({ message }) => message),
        isPassed ? words : [],
      )
    )
      this.isByEachWay = false;
    this.judge(taken);
    this.listen(`${node} ${peer}`, taken, isDirect || isPassed ? words : null);
    const isAnnounced = step.emitted.some((notice) => notice.type === 'link.gone' && notice.peer === peer);
    this.report(`${node} ${peer}`, taken, isAnnounced);
  }

  /** Resets the record of a node whose state has changed other than by its own step. */
  forget(node: NodeId, ends: Ends): void {
    for (const [peer, { context }] of ends) {
      this.spoken.set(`${node} ${peer}`, spokenBy(context));
      this.reported.delete(`${node} ${peer}`);
    }
  }

  results(): PropertyResult[] {
    const always = 'always' as const;
    return [
      { name: 'a connection begins with an answer, and ends for a reason', kind: always, holds: this.isLed },
      { name: 'due messages are sent, and no others', kind: always, holds: this.isDue },
      { name: 'messages use every available way', kind: always, holds: this.isByEachWay },
      { name: 'proven messages are delivered immediately, and nothing else changes state', kind: always, holds: this.isReceived },
      { name: 'a restarted end forgets its peer', kind: always, holds: this.isStranger },
      { name: 'a peer that is silent after a report is announced as gone', kind: always, holds: this.isReported },
    ];
  }

  private judge(step: EndStep): void {
    const { before, after, event, course } = step;
    if (after.value !== course.value || !isCounted(step)) this.isLed = false;
    if (!isReceived(step)) this.isReceived = false;
    if (event.type === 'restart' && !isStranger(before.context, after.context)) this.isStranger = false;
  }

  /** The first heartbeat after a report takes the link down, unless the peer has sent something, or must not be suspected. */
  private report(key: string, { before, after, event, course: { received } }: EndStep, isAnnounced: boolean): void {
    const { suspicions, base } = before.context;
    const isGone = event.type === 'timer' && this.reported.has(key) && suspicions !== 0;
    if (isAnnounced !== isGone || (isGone && isUp(after))) this.isReported = false;
    const isAlive = received !== undefined && received.frame.ack >= base;
    if (!isUp(after) || isAlive) this.reported.delete(key);
    else if (event.type === 'gone') this.reported.add(key);
  }

  /** Judges the sent messages. `null` means that the direct way and the relay are down, so that no message can be seen. */
  private listen(key: string, { before, after, event, course }: EndStep, words: readonly Utterance[] | null): void {
    const { received, description } = course;
    if (words === null) return void this.spoken.set(key, spokenBy(after.context));
    const goesOn = isUp(before) && isUp(after) && received?.isFirst !== true;
    const speech = new Speech(words, after.context, event, goesOn ? this.spoken.get(key)! : NOTHING_SENT);
    if (received) speech.receive(received, received.isFirst ? 0 : before.context.expected);
    else for (const why of description) speech.require(why);
    if (!speech.isOver) this.isDue = false;
    this.spoken.set(key, isUp(after) ? speech.spoken : NOTHING_SENT);
  }
}

const areSame = (one: readonly unknown[], other: readonly unknown[]): boolean =>
  one.length === other.length && (one.length === 0 || JSON.stringify(one) === JSON.stringify(other));

const isWord = (message: Message): message is Utterance => message.type === 'frame' || message.type === 'bye';

/** The event of a step, with the type of the link chart: links have no other chart. */
const eventOf = ({ event }: Step): LinkChartEvent => event as unknown as LinkChartEvent;

/** The end that handles the event, and the event as it receives it; `null` for frames that the node only relays. */
function askedOf(step: Step, ends: Ends): (Pick<EndStep, 'event'> & { readonly peer: NodeId }) | null {
  const { kind, role } = step;
  const event = eventOf(step);
  if (kind === 'command') return { peer: step.event['peer'], event };
  if (kind === 'timer') return { peer: [...ends.keys()].find((peer) => roleTo(peer) === role)!, event };
  if (event.type === 'frame' || event.type === 'bye') return { peer: event.from, event };
  if (event.type !== 'relayed') return null;
  const { origin, from, message } = event;
  // Only a relay may forward another node's frames.
  if (!ends.get(origin)!.context.relays.includes(from)) return null;
  return { peer: origin, event: { ...message, from: origin, via: from } };
}

/** True if an end relays: one hop, over a direct way. */
const passesOn = (end: End): boolean => isUp(end) && end.context.via === null;

/** The frames that a node relays in this step. */
function relayedAt(step: Step, ends: Ends, links: LinksView): readonly unknown[] {
  const event = eventOf(step);
  if (event.type !== 'relay') return [];
  const { target, from: origin, message } = event;
  const isPassed = passesOn(ends.get(target)!) && ends.get(target)!.context.relays.length > 0 && links.up(step.node, target);
  return isPassed ? [[target, { type: 'relayed', origin, message }]] : [];
}

/** The relay of a step's frames, in addition to the direct way: for a heartbeat the relay before it, for a challenge the way back. */
function wayOf({ before, after, event, course: { description } }: EndStep): NodeId | null {
  if (event.type === 'timer') return before.context.via;
  return description.includes('challenge') && event.type === 'frame' ? wayAfter(before.context, event).via : after.context.via;
}

/** True if the next messages of the frame are delivered, and acknowledged messages are removed. */
function isReceived({ before, after, course: { received, isNothing } }: EndStep): boolean {
  const [was, is] = [before.context, after.context];
  if (isNothing) return areSame([was], [is]);
  if (!received) return true;
  const { frame, isFirst } = received;
  const [base, expected] = isFirst ? [0, 0] : [was.base, was.expected];
  const come = fresh({ ...is, expected }, frame).length;
  return is.base === Math.max(base, frame.ack) && is.expected === expected + come;
}

/** True if a suspicion takes one from those that are left. */
function isCounted({ before, after, event }: EndStep): boolean {
  const isSuspicion = event.type === 'timer' && isUp(before) && !isUp(after);
  const { suspicions } = before.context;
  return after.context.suspicions === (isSuspicion && suspicions !== null ? suspicions - 1 : suspicions);
}

/** True if the end remembers nothing of its peer, and has no messages to send. */
const isStranger = (before: LinkContext, after: LinkContext): boolean =>
  after.session > before.session &&
  after.nonce !== before.nonce &&
  [after.theirs, after.theirNonce].every((known) => known === null) &&
  after.latest === -1 &&
  after.outbox.length + after.base + after.sent + after.expected === 0;
