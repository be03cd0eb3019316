/**
 * Who takes part in a conversation: a peer that is up may not have opened it yet, or may have closed it.
 *
 * Two nodes greet each other; each counts the other as there once it has heard a greeting, and speaks to it from then on. On channels
 * that keep their order a greeting comes before everything else. One from a peer that is there already says that it has begun again.
 * What is said to a peer that has not come yet waits for it; what is said to one that has gone is lost, as on any link that is down.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import { limitsHere } from '../limits.js';
import { ConnectionError } from '../transports/errors.js';

const HELLO = 'node.hello';
const BYE = 'node.bye';

/** Peers greet before they know whether the other one takes part, and take leave of those who may have gone. */
export const isGreeting = ({ type }: Message): boolean => type === HELLO || type === BYE;

export const isLeaving = ({ type }: Message): boolean => type === BYE;

export class Presence {
  private readonly present = new Set<NodeId>();
  /** Who has been greeted since it came up, and may count this node as there before it has answered. */
  private readonly greeted = new Set<NodeId>();
  private readonly known = new Set<NodeId>();
  private readonly waitingMax = limitsHere().waiting;
  private readonly waiting: { readonly to: NodeId; readonly message: Message }[] = [];

  constructor(
    private readonly say: (to: NodeId, message: Message) => number,
    private readonly tell: (type: 'up' | 'down', peer: NodeId) => void,
  ) {}

  has(peer: NodeId): boolean {
    return this.present.has(peer);
  }

  /** The message's number on its connection; 0 when it is lost, `null` when it waits. */
  send(to: NodeId, message: Message): number | null {
    if (this.has(to)) return this.say(to, message);
    if (this.known.has(to)) return 0;
    if (this.waiting.length < this.waitingMax) this.waiting.push({ to, message });
    else throw new ConnectionError(`${this.waitingMax} messages wait for peers that have not connected. This one is for "${to}"`);
    return null;
  }

  /** The transport has brought a peer up, or has it up when the node starts. */
  greet(peer: NodeId): void {
    if (this.has(peer)) return;
    this.greeted.add(peer);
    this.say(peer, hello(false));
  }

  /** Takes a message of the greeting; every other one is not its business. */
  hear(from: NodeId, message: Message & { readonly isAnswer?: unknown }): boolean {
    if (message.type === BYE) this.part(from);
    else if (message.type !== HELLO) return false;
    else {
      if (message.isAnswer !== true) {
        this.part(from);
        this.greeted.add(from);
        this.say(from, hello(true));
      }
      this.meet(from);
    }
    return true;
  }

  /** The transport has told that a peer is down, or the peer has taken leave. */
  part(peer: NodeId): void {
    this.greeted.delete(peer);
    if (this.present.delete(peer)) this.tell('down', peer);
  }

  /** Takes leave of everybody who may count this node as there. */
  leave(): void {
    for (const peer of this.greeted) this.say(peer, { type: BYE });
    this.greeted.clear();
    this.present.clear();
  }

  private meet(peer: NodeId): void {
    if (this.has(peer)) return;
    this.present.add(peer);
    this.known.add(peer);
    const kept = this.waiting.splice(0);
    for (const { to, message } of kept) {
      if (to === peer) this.say(to, message);
      else this.waiting.push({ to, message });
    }
    this.tell('up', peer);
  }
}

const hello = (isAnswer: boolean): Message & { isAnswer: boolean } => ({ type: HELLO, isAnswer });
