/**
 * Presence: which peers participate in a conversation. A peer that is up may not have opened the conversation yet, or may have closed it.
 *
 * Two nodes greet each other. Each counts the other as present when it receives a greeting, and sends messages from then on. On ordered
 * channels a greeting arrives before all other messages. A greeting from a present peer means that it has restarted. Messages to a peer
 * that has not come yet wait for it; messages to a peer that has gone are lost, as on any link that is down.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import { limitsHere } from '../limits.js';
import { ConnectionError } from '../transports/errors.js';

const HELLO = 'node.hello';
const BYE = 'node.bye';

/** True for greetings and goodbyes. Peers greet before they know whether the other one participates. */
export const isGreeting = ({ type }: Message): boolean => type === HELLO || type === BYE;

export const isLeaving = ({ type }: Message): boolean => type === BYE;

export class Presence {
  private readonly present = new Set<NodeId>();
  /** Peers that were greeted since they came up, and may count this node as present before they have answered. */
  private readonly greeted = new Set<NodeId>();
  private readonly known = new Set<NodeId>();
  private readonly goneMax = limitsHere().gone;
  private readonly waitingMax = limitsHere().waiting;
  private readonly waiting: { readonly to: NodeId; readonly message: Message }[] = [];

  constructor(
    private readonly transmit: (to: NodeId, message: Message) => number,
    private readonly report: (type: 'up' | 'down', peer: NodeId) => void,
  ) {}

  has(peer: NodeId): boolean {
    return this.present.has(peer);
  }

  /** Sends a message. Returns its sequence number on the connection; 0 if it is lost, `null` if it waits. */
  send(to: NodeId, message: Message): number | null {
    if (this.has(to)) return this.transmit(to, message);
    if (this.known.has(to)) return 0;
    if (this.waiting.length < this.waitingMax) this.waiting.push({ to, message });
    else
      throw new ConnectionError(
        `Cannot send to "${to}": ${this.waitingMax} messages already wait for peers that have not connected. Start these peers, or send less.`,
      );
    return null;
  }

  /** Greets a peer that has come up, or is up when the node starts. */
  greet(peer: NodeId): void {
    if (this.has(peer)) return;
    this.greeted.add(peer);
    this.transmit(peer, hello(false));
  }

  /** Handles a message of the greeting. Returns false for all other messages. */
  receive(from: NodeId, message: Message & { readonly isAnswer?: unknown }): boolean {
    if (message.type === BYE) this.part(from);
    else if (message.type !== HELLO) return false;
    else {
      if (message.isAnswer !== true) {
        this.part(from);
        this.greeted.add(from);
        this.transmit(from, hello(true));
      }
      this.meet(from);
    }
    return true;
  }

  /** Handles a peer that is down or has sent a goodbye. */
  part(peer: NodeId): void {
    this.greeted.delete(peer);
    if (this.present.delete(peer)) this.report('down', peer);
  }

  /** Sends a goodbye to all peers that may count this node as present. */
  leave(): void {
    for (const peer of this.greeted) this.transmit(peer, { type: BYE });
    this.greeted.clear();
    this.present.clear();
  }

  /** Peers with generated ids come and go. The latest of those that have gone are remembered. */
  private remember(peer: NodeId): void {
    this.known.delete(peer);
    this.known.add(peer);
    if (this.known.size <= this.goneMax + this.present.size) return;
    for (const known of this.known)
      if (!this.present.has(known)) {
        this.known.delete(known);
        return;
      }
  }

  private meet(peer: NodeId): void {
    if (this.has(peer)) return;
    this.present.add(peer);
    this.remember(peer);
    const kept = this.waiting.splice(0);
    for (const { to, message } of kept) {
      if (to === peer) this.transmit(to, message);
      else this.waiting.push({ to, message });
    }
    this.report('up', peer);
  }
}

const hello = (isAnswer: boolean): Message & { isAnswer: boolean } => ({ type: HELLO, isAnswer });
