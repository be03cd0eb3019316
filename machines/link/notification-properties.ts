/**
 * Properties that compare a link's notifications and outbox with the messages that it has delivered and that the application has posted.
 */
import type { PropertyResult, Step } from '../protocol.js';
import { hasRoomFor } from './frames.js';
import type { LinkNotification } from './machine.js';
import type { Ends } from './step-properties.js';
import { isUp, type End } from './view.js';

/** Three properties that depend on a step, and not only on the state after it. */
export class LinkNotificationProperties {
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
