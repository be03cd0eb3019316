/**
 * Many conversations on one transport.
 *
 * A conversation has a name, `locks` or `locks/queued` for instance. What comes in is checked once and handed to the conversation that
 * it names.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { limitsHere } from '../limits.js';
import { Drops } from '../transports/drops.js';
import { CHANNEL_NAME_LENGTH_MAX, envelopeOf, isVersioned, refusal, type Envelope } from '../transports/envelope.js';
import { isGreeting, isLeaving } from './presence.js';
import type { Json, Transport, TransportEvent } from '../transports/transport.js';

export interface Conversation {
  /** `number`: which message of its sender it is on this connection; see `Channels.send`. */
  message(from: NodeId, message: Message, number: number): void;
  peer?(type: 'up' | 'down', peer: NodeId): void;
  closed?(error: Error | null): void;
}

/** Why a peer speaks in a conversation of that name; `null` for what one knows nothing of. */
type Explanation = (name: string, from: NodeId) => string | null;

/** So many names of a peer are kept that nobody here knows. */
const UNANSWERED_GREETINGS_MAX = 4;

const known = new WeakMap<Transport, Channels>();

export class Channels {
  readonly drops: Drops;
  /** True if messages can be counted at both ends: on links that are in order and lose and double nothing. */
  readonly isCounted: boolean;
  private readonly conversations = new Map<string, Conversation>();
  /** What comes for these is late, not wrong. */
  private readonly closed = new Set<string>();
  /** How many messages were sent to each peer on this connection, and how many came. */
  private readonly sent: Counts = new Map();
  private readonly received: Counts = new Map();
  /** In what a peer takes part that nobody here does: the names with which it has greeted in vain. */
  private readonly unansweredGreetings = new Map<NodeId, Set<string>>();
  private readonly explanations: Explanation[] = [];
  /** With which names those of conversations begin that are between others. */
  private readonly others: string[] = [];
  /** True if nobody but nodes speaks on this transport. */
  private isReserved = false;
  /** Peers that went down: what is sent to them is lost. */
  private readonly gone = new Set<NodeId>();

  /** The conversations of a transport; every caller gets the same ones. */
  static of(transport: Transport): Channels {
    let channels = known.get(transport);
    if (!channels) known.set(transport, (channels = new Channels(transport)));
    return channels;
  }

  private readonly limits = limitsHere();

  private constructor(private readonly transport: Transport) {
    this.drops = new Drops(`peer "${transport.id}"`);
    const { order, loss, duplication } = transport.guarantees;
    this.isCounted = order === 'fifo' && loss === 'none' && duplication === 'none';
    transport.events.subscribe((event) => this.take(event));
  }

  open(name: string, conversation: Conversation): void {
    if (name === '' || name.length > CHANNEL_NAME_LENGTH_MAX) {
      throw new UsageError(`a name of ${name.length} characters: give 1 to ${CHANNEL_NAME_LENGTH_MAX}`);
    }
    if (this.conversations.has(name)) {
      throw new UsageError(
        `"${name}" is already open on the transport of "${this.transport.id}". Close it first, or use another name`,
      );
    }
    this.conversations.set(name, conversation);
    this.closed.delete(name);
  }

  /** For who knows more of some names than that nobody here takes part in them. */
  explain(explanation: Explanation): void {
    this.explanations.push(explanation);
  }

  /** For whoever is spoken to of such names without a part in them, and nothing is wrong. */
  leave(beginning: string): void {
    this.others.push(beginning);
  }

  /** For who lets nobody but its node speak on the transport: what is not an envelope is then a mistake, and not the application's own message. */
  reserve(): void {
    this.isReserved = true;
  }

  close(name: string): void {
    if (this.conversations.delete(name)) this.closed.add(name);
  }

  /**
   * Returns which message of the conversation to this peer it is on this connection, counted from 1; 0 when the peer has gone and it is lost. Where channels
   * keep their order, its receiver counts the same: so what is notified of both ends can be put together.
   */
  send(name: string, to: NodeId, message: Message): number {
    this.transport.send(to, envelopeOf(name, message));
    return this.gone.has(to) ? 0 : count(this.sent, to, name, this.limits.counted);
  }

  /** How many messages of a conversation have come from a peer on this connection. */
  receivedFrom(peer: NodeId, name: string): number {
    return this.received.get(peer)?.get(name) ?? 0;
  }

  /** How many of them a peer was sent on this connection. */
  sentTo(peer: NodeId, name: string): number {
    return this.sent.get(peer)?.get(name) ?? 0;
  }

  /** Names of conversations in which a peer takes part and nobody here does, as far as it has greeted: a few. */
  unansweredGreetingsOf(peer: NodeId): string[] {
    return [...(this.unansweredGreetings.get(peer) ?? [])].filter((name) => !this.conversations.has(name));
  }

  private take(event: TransportEvent): void {
    if (event.type === 'message') this.receive(event.from, event.message);
    else if (event.type === 'closed') for (const conversation of this.conversations.values()) conversation.closed?.(event.error);
    else if (event.type !== 'gone') {
      this.count(event.type, event.peer);
      for (const conversation of this.conversations.values()) conversation.peer?.(event.type, event.peer);
    }
  }

  /** What was sent before a peer first came up waited for it; with every later connection the count begins again. */
  private count(type: 'up' | 'down', peer: NodeId): void {
    if (type === 'up') this.gone.delete(peer);
    else {
      this.gone.add(peer);
      if (this.gone.size > this.limits.gone) this.gone.delete(this.gone.values().next().value!);
      this.sent.delete(peer);
      this.received.delete(peer);
      this.unansweredGreetings.delete(peer);
    }
  }

  private receive(from: NodeId, value: Json): void {
    if (!this.isReserved && !isVersioned(value)) return;
    const refused = refusal(value);
    if (refused !== null) {
      this.drops.drop(`${refused}, from "${from}"`);
      return;
    }
    const { name, message } = value as unknown as Envelope;
    const conversation = this.conversations.get(name);
    // On a medium that believes who says to be somebody there is no end of names to keep.
    const number = this.isCounted ? count(this.received, from, name, this.limits.counted) : 0;
    if (conversation) conversation.message(from, message, number);
    else if (isGreeting(message)) this.noteUnansweredGreeting(from, name, message);
    else if (!this.closed.has(name) && !this.others.some((beginning) => name.startsWith(beginning)))
      this.drops.drop(this.explainUnclaimed(name, from));
  }

  /** Kept where each peer that speaks is one that is up, and goes. */
  private noteUnansweredGreeting(from: NodeId, name: string, message: Message): void {
    if (!this.isCounted) return;
    const names = this.unansweredGreetings.get(from) ?? new Set<string>();
    if (isLeaving(message)) names.delete(name);
    else if (names.size < UNANSWERED_GREETINGS_MAX) names.add(name);
    if (names.size > 0) this.unansweredGreetings.set(from, names);
    else this.unansweredGreetings.delete(from);
  }

  private explainUnclaimed(name: string, from: NodeId): string {
    for (const explain of this.explanations) {
      const why = explain(name, from);
      if (why !== null) return why;
    }
    return `no local node belongs to "${name.slice(0, 80)}", named by "${from}"`;
  }
}

/** By peer and conversation. */
type Counts = Map<NodeId, Map<string, number>>;

/** A peer that makes names up fills no memory: 0 for what is not counted. */
function count(counts: Counts, peer: NodeId, name: string, namesMax: number): number {
  let ofPeer = counts.get(peer);
  if (!ofPeer) counts.set(peer, (ofPeer = new Map()));
  const number = (ofPeer.get(name) ?? 0) + 1;
  if (number === 1 && ofPeer.size >= namesMax) return 0;
  ofPeer.set(name, number);
  return number;
}
