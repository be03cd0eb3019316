/** The queues of all locks that one peer holds or waits for. Their number is limited, because a message must have room for all of them. */
import { UsageError } from '../../machines/errors.js';
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import { EPOCHS, type LockMode, type LocksNotification } from '../../machines/locks/messages.js';
import { bytesOfIds, bytesOfLocks, bytesOfRecords, shareOf } from '../../machines/locks/room.js';
import type { NodeId } from '../../machines/effects.js';
import type { LiveNode } from '../node/node.js';
import type { LockInfo } from './lock-handle.js';
import type { LockQueue } from './lock-queue.js';
import { lockLimitsHere } from './limits.js';

export class LockQueues extends Map<string, LockQueue> {
  private readonly sizeMax = lockLimitsHere().openLocks;
  private bytes = 0;

  override set(name: string, queue: LockQueue): this {
    if (!this.has(name)) this.bytes += bytesOfLocks([name], []);
    return super.set(name, queue);
  }

  override delete(name: string): boolean {
    if (this.has(name)) this.bytes -= bytesOfLocks([name], []);
    return super.delete(name);
  }

  /**
   * Checks that another lock fits. One message contains all locks of all voters and their clients, so each voter has its share of the
   * largest message.
   *
   * @throws UsageError if the lock exceeds the limit.
   */
  requireRoom(name: string, node: LiveNode, messageBytesMax: number, voters: readonly NodeId[]): void {
    const share = shareOf(messageBytesMax, voters);
    const fits = this.bytesWith(name, node, voters) <= share;
    if (fits && this.size < this.sizeMax) return;
    throw tooMany(name, node.id, { others: this.size, givenUp: this.givenUp }, fits);
  }

  /** The number of locks whose callers have all given up, while their requests are still in the queues. */
  private get givenUp(): number {
    return Array.from(this.values()).filter(({ isIdle, hasCallers }) => !isIdle && !hasCallers).length;
  }

  private bytesWith(name: string, node: LiveNode, voters: readonly NodeId[]): number {
    const own = this.bytes + this.size * bytesOfIds(voters) + bytesOfLocks([name], voters);
    const { claims, wants, clients, records }: Partial<EpochsContext> = node.role(EPOCHS)?.context ?? {};
    // A client's locks are not part of its messages.
    if (!clients || (clients.length === 0 && records!.length === 0)) return own;
    const ofClients = claims!.flatMap(({ lock }) => (this.has(lock) ? [] : [lock]));
    return own + bytesOfLocks(ofClients, voters) + bytesOfRecords({ id: node.id, wants: wants! });
  }

  /** The locks that the peer holds and waits for. */
  query(clientId: NodeId): { held: LockInfo[]; pending: LockInfo[] } {
    const all = (modes: (queue: LockQueue) => readonly LockMode[]): LockInfo[] =>
      [...this].flatMap(([name, queue]) => modes(queue).map((mode) => ({ name, mode, clientId })));
    return { held: all(({ inside }) => inside), pending: all(({ pending }) => pending) };
  }

  /** Handles the notifications of the node that concern its locks. */
  receive(notification: LocksNotification): void {
    const { type } = notification;
    if (type === 'serving' || type === 'apart') this.turn(type === 'serving');
    else if (type === 'lock.granted') this.get(notification.lock)?.granted(notification.fence);
    else if (type === 'lock.lost' || type === 'lock.refused' || type === 'lock.canceled') this.ended(notification);
  }

  /** A new epoch requests all locks again, so they are not available now. */
  private turn(isServed: boolean): void {
    for (const queue of this.values()) {
      queue.resolveUnavailable();
      queue.letIn();
      if (!isServed) queue.cancelIfUnwanted();
    }
  }

  /** Handles a lock that was lost, canceled, or refused because of missing room. Its queue ends unless a caller requests the lock again. */
  private ended(notification: LocksNotification & { type: 'lock.lost' | 'lock.refused' | 'lock.canceled' }): void {
    const queue = this.get(notification.lock);
    if (notification.type === 'lock.lost') queue?.lost();
    else if (notification.type === 'lock.canceled') queue?.canceled();
    else queue?.refused(tooMany(notification.lock, notification.peer, { others: notification.others, givenUp: 0 }, false));
    this.removeIdle(notification.lock);
  }

  removeIdle(lock: string): void {
    if (this.get(lock)?.isIdle) this.delete(lock);
  }
}

function tooMany(
  lock: string,
  peer: NodeId,
  { others, givenUp }: Readonly<Record<'others' | 'givenUp', number>>,
  isOfNumber: boolean,
): UsageError {
  const whose = givenUp === 0 ? '' : `, ${givenUp} of them abandoned before their turn`;
  const most = `the maximum${isOfNumber ? '' : ' with names of this length'}. Release some first${givenUp === 0 ? '' : ', or wait'}`;
  return new UsageError(
    `lock "${lock}" exceeds the limit of peer "${peer}": ${others} others are already held or requested there${whose}, ${most}`,
  );
}
