/**
 * True if a lock is free, for those who want it only then.
 *
 * Who has asked for a lock, and was not granted it at once, asks everybody on its own conversation whether its request has been put
 * behind another one. The node that does so, or has done so, answers `queued`; so does one at which somebody reads whom a writer has to
 * wait for. Every request ends at the token or behind somebody, so one of the two answers comes; on a channel that keeps its order, before
 * the token itself. Who is in line behind its own client has asked nobody, and knows.
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

interface Word extends Message {
  readonly type: 'probe' | 'queued';
  readonly lock: string;
  readonly epoch: number;
}

interface Asked extends Word {
  readonly by: NodeId;
}

export class Availability {
  private readonly channels: Channels;
  private readonly conversation: string;
  private readonly openLocksMax = lockLimitsHere().openLocks;
  /** The last that each peer has asked of each lock, and has not been answered here. */
  private readonly asked = new Map<string, Asked>();

  constructor(
    private readonly node: LiveNode,
    private readonly transport: Transport,
    /** Called with each lock for which a request of this node has been put behind another one. */
    private readonly hear: (lock: string) => void,
  ) {
    this.conversation = `${node.name}/queued`;
    this.channels = Channels.of(transport);
    this.channels.open(this.conversation, {
      message: (from, message) => {
        if (!isWord(message)) return;
        if (message.type === 'probe') this.note({ ...message, by: from });
        else if (message.epoch === this.epoch) hear(message.lock);
      },
    });
    node.steps$.subscribe({
      next: ({ event }) => {
        if (this.asked.size > 0) this.look(event);
      },
      complete: () => this.channels.close(this.conversation),
    });
  }

  /** Of a request that is under way. */
  ask(lock: string): void {
    if (this.isBehindClient(lock)) {
      this.hear(lock);
      return;
    }
    for (const peer of this.transport.peers) this.say(peer, 'probe', lock, this.epoch);
  }

  /** True if somebody else at this node has the lock, or is before it in its line. */
  private isBehindClient(lock: string): boolean {
    const { id } = this.node;
    const own = this.node.role(lockRole(lock))?.context as LockContext | undefined;
    if (!own) return false;
    const { user, line } = own;
    const place = line.indexOf(id);
    return place > 0 || (place === 0 && user !== null && user !== id);
  }

  private get epoch(): number {
    return (this.node.role(EPOCHS)!.context as EpochsContext).served.epoch;
  }

  private note(asked: Asked): void {
    const key = keyOf(asked.by, asked.lock);
    if (this.asked.size < this.openLocksMax || this.asked.has(key)) this.asked.set(key, asked);
    this.answer(key);
  }

  /** A find may have been queued, and with a new epoch all that came early. */
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
    const directory = this.node.role(directoryRole(epoch, lock))?.context as DirectoryContext | undefined;
    const own = this.node.role(lockRole(lock))?.context as LockContext | undefined;
    const isQueued = directory?.next === by || own?.recalledBy?.node === by;
    if (isQueued) this.say(by, 'queued', lock, epoch);
    if (isQueued || epoch < this.epoch) this.asked.delete(key);
  }

  private say(to: NodeId, type: Word['type'], lock: string, epoch: number): void {
    this.channels.send(this.conversation, to, { type, lock, epoch } as Word);
  }
}

const keyOf = (by: NodeId, lock: string): string => JSON.stringify([by, lock]);

const isWord = (message: Message): message is Word => {
  if (!isObject(message)) return false;
  const { type, lock, epoch } = message;
  if (type !== 'probe' && type !== 'queued') return false;
  return typeof lock === 'string' && lock.length <= LOCK_NAME_LENGTH_MAX && Number.isSafeInteger(epoch);
};
