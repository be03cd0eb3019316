/**
 * Availability of a lock for `ifAvailable` requests.
 *
 * A node whose request was not granted at once asks all peers, in a separate conversation, whether its request was queued behind another
 * one. The node that queues it, or has queued it, answers `queued`. So does a node with a reader that a writer has to wait for. Every
 * request ends at the token or behind another request, so either the token or this answer comes. On a channel that keeps its order, the
 * answer comes before the token. A request in line behind a client of the same node has not been sent, and the node knows that itself.
 */
import type { DirectoryContext } from '../../machines/directory/machine.js';
import { isObject } from '../../machines/checks.js';
import type { Message, NodeId } from '../../machines/effects.js';
import type { LockContext } from '../../machines/locks/lock.js';
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import { LOCK_NAME_LENGTH_MAX } from '../../machines/locks/accepts.js';
import { directoryRole, EPOCHS, lockRole } from '../../machines/locks/messages.js';
import { Channels } from '../node/channels.js';
import type { LiveNode } from '../node/node.js';
import type { Transport } from '../transports/transport.js';
import { lockLimitsHere } from './limits.js';

interface ProbeMessage extends Message {
  readonly type: 'probe' | 'queued';
  readonly lock: string;
  readonly epoch: number;
}

interface Asked extends ProbeMessage {
  readonly by: NodeId;
}

export class Availability {
  private readonly channels: Channels;
  private readonly conversation: string;
  private readonly openLocksMax = lockLimitsHere().openLocks;
  /** The last probe of each peer for each lock that was not answered here yet. */
  private readonly asked = new Map<string, Asked>();

  constructor(
    private readonly node: LiveNode,
    private readonly transport: Transport,
    /** Called with each lock whose request by this node is queued behind another one. */
    private readonly onQueued: (lock: string) => void,
  ) {
    this.conversation = `${node.name}/queued`;
    this.channels = Channels.of(transport);
    this.channels.open(this.conversation, {
      message: (from, message) => {
        if (!isProbeMessage(message)) return;
        if (message.type === 'probe') this.note({ ...message, by: from });
        else if (message.epoch === this.epoch) onQueued(message.lock);
      },
    });
    node.steps$.subscribe({
      next: ({ event }) => {
        if (this.asked.size > 0) this.look(event);
      },
      complete: () => this.channels.close(this.conversation),
    });
  }

  /** Probes a pending request of this node. */
  ask(lock: string): void {
    if (this.isBehindClient(lock)) {
      this.onQueued(lock);
      return;
    }
    for (const peer of this.transport.peers) this.sendTo(peer, 'probe', lock, this.epoch);
  }

  /** True if another user at this node has the lock or is ahead in its line. */
  private isBehindClient(lock: string): boolean {
    const { id } = this.node;
    const own: LockContext | undefined = this.node.role(lockRole(lock))?.context;
    if (!own) return false;
    const { user, line } = own;
    const place = line.indexOf(id);
    return place > 0 || (place === 0 && user !== null && user !== id);
  }

  private get epoch(): number {
    const { served }: EpochsContext = this.node.role(EPOCHS)!.context;
    return served.epoch;
  }

  private note(asked: Asked): void {
    const key = keyOf(asked.by, asked.lock);
    if (this.asked.size < this.openLocksMax || this.asked.has(key)) this.asked.set(key, asked);
    this.answer(key);
  }

  /** Answers probes after an event that may have queued a request: a find, a recall, or a new epoch with its early messages. */
  private look(event: Message): void {
    const { type, producer, from, lock } = event as Message & { producer: NodeId; from: NodeId; lock: string };
    if (type === 'find') this.answer(keyOf(producer, lock));
    else if (type === 'recall') this.answer(keyOf(from, lock));
    else if (type === 'install') for (const key of this.asked.keys()) this.answer(key);
  }

  private answer(key: string): void {
    const asked = this.asked.get(key);
    if (!asked) return;
    const { by, lock, epoch } = asked;
    const directory: DirectoryContext | undefined = this.node.role(directoryRole(epoch, lock))?.context;
    const own: LockContext | undefined = this.node.role(lockRole(lock))?.context;
    const isQueued = directory?.next === by || own?.recalledBy?.node === by;
    if (isQueued) this.sendTo(by, 'queued', lock, epoch);
    if (isQueued || epoch < this.epoch) this.asked.delete(key);
  }

  private sendTo(to: NodeId, type: ProbeMessage['type'], lock: string, epoch: number): void {
    this.channels.send(this.conversation, to, { type, lock, epoch } as ProbeMessage);
  }
}

const keyOf = (by: NodeId, lock: string): string => JSON.stringify([by, lock]);

const isProbeMessage = (message: Message): message is ProbeMessage => {
  if (!isObject(message)) return false;
  const { type, lock, epoch } = message;
  if (type !== 'probe' && type !== 'queued') return false;
  return typeof lock === 'string' && lock.length <= LOCK_NAME_LENGTH_MAX && Number.isSafeInteger(epoch);
};
