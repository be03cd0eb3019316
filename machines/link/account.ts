/**
 * Compares received messages with posted ones. The messages of a pair arrive in the order of posting, none twice. A message is missing only
 * if the link was down at one of its ends after the one before.
 */
import type { NodeId } from '../effects.js';
import type { Configuration, Meter, Observer, PropertyResult, Step } from '../protocol.js';
import type { LinkNotification } from './machine.js';
import { LinkStepProperties, type Ends } from './step-properties.js';
import { areConnected, endsByPeer, linksOf, isUp, type End } from './view.js';
import { hasRoomFor } from './frames.js';

/** One direction of a link: the posted messages, and the position of the receiver. */
interface Stream {
  readonly posted: unknown[];
  next: number;
  /** True if an end has been down, so that messages may be missing now. */
  hasBroken: boolean;
}

export class LinkAccount implements Observer {
  private readonly streams = new Map<string, Stream>();
  private violation: string | null = null;
  private posted = 0;
  private received = 0;
  private frames = 0;
  private downs = 0;
  private readonly ends = new Map<NodeId, Ends>();
  private readonly notifications = new LinkNotificationProperties();
  private readonly steps = new LinkStepProperties();

  record(step: Step<LinkNotification>, c: Configuration): void {
    const { node, event } = step;
    this.follow(step, c);
    this.frames += step.sent.length;
    if (step.kind === 'command' && event.type === 'post') {
      this.posted++;
      this.stream(node, event['peer']).posted.push(event['body']);
    }
    // An end that restarts has forgotten the messages that waited for the peer.
    if (step.kind === 'command' && event.type === 'restart') this.stream(node, event['peer']).hasBroken = true;
    for (const notification of step.emitted) {
      if (notification.type === 'received') for (const body of notification.bodies) this.receive(notification.peer, node, body);
      else if (notification.type === 'link.down') this.break(node, notification.peer);
      // The notification is about the message that was posted in this step.
      else if (notification.type === 'overflow') this.stream(node, notification.peer).posted.pop();
    }
  }

  private follow(step: Step<LinkNotification>, c: Configuration): void {
    const { node, kind } = step;
    const before = this.ends.get(node);
    const after = endsByPeer(c.nodes.get(node)!);
    this.ends.set(node, after);
    // A restarted end has not sent a notification yet, and a corruption is not a step of the end.
    if (!before || !['deliver', 'timer', 'command', 'link'].includes(kind)) return this.steps.forget(node, after);
    this.notifications.record(step, before, after);
    this.steps.record(step, before, after, c);
  }

  summary(c: Configuration): Readonly<Record<string, unknown>> {
    const connected = linksOf(c).filter(([a, b]) => areConnected(a, b)).length;
    return { posted: this.posted, received: this.received, frames: this.frames, downs: this.downs, connected };
  }

  meters(): readonly Meter[] {
    const ratio = this.received === 0 ? null : this.frames / this.received;
    return [{ name: 'frames per message', measured: ratio ?? this.frames, bound: null, ratio: null }];
  }

  properties(): readonly PropertyResult[] {
    return [
      { name: 'a prefix of what was posted, in order, once', kind: 'always', holds: this.violation === null },
      ...this.notifications.results(),
      ...this.steps.results(),
    ];
  }

  private receive(from: NodeId, to: NodeId, body: unknown): void {
    this.received++;
    const stream = this.stream(from, to);
    const at = stream.posted.indexOf(body, stream.next);
    if (at === -1 || (at > stream.next && !stream.hasBroken)) {
      this.violation ??= `${to} received ${JSON.stringify(body)} from ${from} out of turn`;
    }
    if (at === -1) return;
    stream.next = at + 1;
    stream.hasBroken = false;
  }

  private break(node: NodeId, peer: NodeId): void {
    this.downs++;
    this.stream(node, peer).hasBroken = true;
    this.stream(peer, node).hasBroken = true;
  }

  private stream(from: NodeId, to: NodeId): Stream {
    const key = `${from} ${to}`;
    let stream = this.streams.get(key);
    if (!stream) this.streams.set(key, (stream = { posted: [], next: 0, hasBroken: false }));
    return stream;
  }
}

/** Three properties that depend on a step, and not only on the state after it. */
class LinkNotificationProperties {
  private isNotified = true;
  private isDelivered = true;
  private isKept = true;

  record({ kind, event, emitted }: Step<LinkNotification>, before: Ends, after: Ends): void {
    for (const [peer, end] of after) {
      const was = before.get(peer)!;
      const ofPeer = emitted.filter((notification) => notification.peer === peer);
      this.judge(was, end, ofPeer);
      const isPosted = kind === 'command' && event.type === 'post' && event['peer'] === peer;
      if (isPosted && !isKept(was, end, event['body'], ofPeer)) this.isKept = false;
    }
  }

  private judge(before: End, after: End, notifications: readonly LinkNotification[]): void {
    const changes = notifications.filter(({ type }) => type === 'link.up' || type === 'link.down').map(({ type }) => type);
    const next = isUp(before) ? 'link.down' : 'link.up';
    const alternate = changes.every((type, i) => (type === next) === (i % 2 === 0));
    if (!alternate || (changes.length % 2 === 1) !== (isUp(before) !== isUp(after))) this.isNotified = false;
    // A new connection has delivered only the messages that were notified since it went up.
    const first = changes.length === 0 ? before.context.expected : 0;
    const upAt = notifications.findLastIndex(({ type }) => type === 'link.up');
    const received = notifications
      .slice(upAt + 1)
      .reduce((sum, notification) => sum + (notification.type === 'received' ? notification.bodies.length : 0), 0);
    if (isUp(after) && after.context.expected !== first + received) this.isDelivered = false;
    if (notifications.some((notification) => notification.type === 'received' && notification.bodies.length === 0))
      this.isDelivered = false;
  }

  results(): PropertyResult[] {
    const always = 'always' as const;
    return [
      { name: 'ups and downs are notified', kind: always, holds: this.isNotified },
      { name: 'deliveries are notified', kind: always, holds: this.isDelivered },
      { name: 'a posted message is kept or reported as lost', kind: always, holds: this.isKept },
    ];
  }
}

/**
 * True if a posted message is kept. Without room, the link goes down or, before its first `link.up`, the message is reported as lost. In
 * `down` it is lost.
 */
function isKept(before: End, after: End, body: unknown, notifications: readonly LinkNotification[]): boolean {
  if (before.value !== 'up' && before.value !== 'seeking') return true;
  const { outbox } = after.context;
  if (hasRoomFor(before.context, body))
    return after.value === before.value && outbox.length > before.context.outbox.length && outbox.at(-1) === body;
  return isUp(before) ? after.value === 'down' : notifications.some(({ type }) => type === 'overflow');
}
