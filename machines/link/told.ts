/** What an end of a link tells its node, and where it stands, held against what it has delivered and what it was asked. */
import type { NodeId } from '../effects.js';
import type { Configuration, PropertyResult, Step } from '../protocol.js';
import { hasRoomFor, isProven, type Bye } from './frames.js';
import type { LinkNotice } from './machine.js';
import { endsOf, isUp, type End } from './view.js';

/** Five properties that need the step, and not only the state after it. */
export class ToldAndDone {
  private readonly ends = new Map<NodeId, ReadonlyMap<NodeId, End>>();
  private isTold = true;
  private isDelivered = true;
  private isAsked = true;
  private isKept = true;
  private isParted = true;

  record({ kind, node, event, emitted }: Step, c: Configuration): void {
    const before = this.ends.get(node);
    const after = new Map(endsOf(c.nodes.get(node)!).map((end) => [end.context.peer, end]));
    this.ends.set(node, after);
    // Who starts anew has told nobody what it stands for, and a corruption is no step of its own.
    if (!before || !['deliver', 'timer', 'command', 'link'].includes(kind)) return;
    const notices = emitted as readonly LinkNotice[];
    for (const [peer, end] of after) {
      const ofPeer = notices.filter((notice) => notice.peer === peer);
      const asked = kind === 'command' && event['peer'] === peer ? event.type : '';
      this.judge(before.get(peer)!, end, ofPeer, asked);
      if (asked === 'post' && !isKept(before.get(peer)!, end, event['body'], ofPeer)) this.isKept = false;
      if (kind === 'deliver' && event['from'] === peer && event.type === 'bye')
        this.isParted &&=
          isUp(end) === (isUp(before.get(peer)!) && !isProven(before.get(peer)!.context, event as unknown as Bye));
    }
  }

  private judge(before: End, after: End, notices: readonly LinkNotice[], asked: string): void {
    const changes = notices.filter(({ type }) => type === 'link.up' || type === 'link.down').map(({ type }) => type);
    const next = isUp(before) ? 'link.down' : 'link.up';
    const alternate = changes.every((type, i) => (type === next) === (i % 2 === 0));
    if (!alternate || (changes.length % 2 === 1) !== (isUp(before) !== isUp(after))) this.isTold = false;
    // Where the connection is another one, it has delivered what was told since it is up.
    const first = changes.length === 0 ? before.context.expected : 0;
    const upAt = notices.findLastIndex(({ type }) => type === 'link.up');
    const told = notices
      .slice(upAt + 1)
      .reduce((sum, notice) => sum + (notice.type === 'received' ? notice.bodies.length : 0), 0);
    if (isUp(after) && after.context.expected !== first + told) this.isDelivered = false;
    const [wasGone, isGone] = [before.value === 'left', after.value === 'left'];
    if (asked === 'leave' ? !isGone : asked === 'restart' ? isGone : wasGone !== isGone) this.isAsked = false;
  }

  results(): PropertyResult[] {
    const always = 'always' as const;
    return [
      { name: 'ups and downs are told', kind: always, holds: this.isTold },
      { name: 'what is delivered is told', kind: always, holds: this.isDelivered },
      { name: 'who leaves was asked to, and stays away', kind: always, holds: this.isAsked },
      { name: 'what is posted is kept, or told to be lost', kind: always, holds: this.isKept },
      { name: 'a proven farewell ends the connection, and no other does', kind: always, holds: this.isParted },
    ];
  }
}

/** Where there is no room for it, the link goes down, or, before it has come up, the message is told to be lost. In `down` it is lost. */
function isKept(before: End, after: End, body: unknown, notices: readonly LinkNotice[]): boolean {
  if (before.value !== 'up' && before.value !== 'seeking') return true;
  const { outbox } = after.context;
  if (hasRoomFor(before.context, body))
    return after.value === before.value && outbox.length > before.context.outbox.length && outbox.at(-1) === body;
  return isUp(before) ? after.value === 'down' : notices.some(({ type }) => type === 'overflow');
}
