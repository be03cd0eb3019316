/**
 * Conversations: several independent streams of messages on one transport.
 *
 * A conversation has a name, for example `locks` or `locks/queued`. Each received message is checked once and passed to the conversation
 * that it names.
 */
import type { Message, NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { limitsHere } from '../limits.js';
import { Drops } from '../transports/drops.js';
import { CHANNEL_NAME_LENGTH_MAX, envelopeOf, isVersioned, refusal, type Envelope } from '../transports/envelope.js';
import { isGreeting, isLeaving } from './presence.js';
import type { Json, Transport, TransportEvent } from '../transports/transport.js';

export interface Conversation {
  /** `number` is the sequence number of the message on its connection; see `Channels.send`. */
  message(from: NodeId, message: Message, number: number): void;
  peer?(type: 'up' | 'down', peer: NodeId): void;
  closed?(error: Error | null): void;
}

/** A reason why a peer uses a conversation of this name, or `null` if unknown. */
type Explanation = (name: string, from: NodeId) => string | null;

/** Maximum number of unknown conversations recorded for a peer. */
const UNANSWERED_GREETINGS_MAX = 4;

const known = new WeakMap<Transport, Channels>();

export class Channels {
  readonly drops: Drops;
  /** True if both ends can count messages: on ordered links without losses and duplicates. */
  readonly isCounted: boolean;
  private readonly conversations = new Map<string, Conversation>();
  /** Names of closed conversations. Messages to them are late, not wrong. */
  private readonly closed = new Set<string>();
  /** Number of messages sent to each peer on this connection, and number received. */
  private readonly sent: Counts = new Map();
  private readonly received: Counts = new Map();
  /** Conversations that a peer has greeted and that do not exist here. */
  private readonly unansweredGreetings = new Map<NodeId, Set<string>>();
  private readonly explanations: Explanation[] = [];
  /** Prefixes of conversations between other peers. */
  private readonly others: string[] = [];
  /** True if only nodes use this transport. */
  private isReserved = false;
  /** Peers that went down. Messages to them are lost. */
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
      const shown = name.length > 40 ? `${name.slice(0, 40)}…` : name;
      throw new UsageError(
        `The name "${shown}" has ${name.length} characters. Use 1 to ${CHANNEL_NAME_LENGTH_MAX}, with suffixes such as "/locks"`,
      );
    }
    if (this.conversations.has(name)) {
      throw new UsageError(
        `"${name}" is already open on the transport of "${this.transport.id}". Close it first, or use another name.`,
      );
    }
    this.conversations.set(name, conversation);
    this.closed.delete(name);
  }

  /** Registers a function that explains messages for unknown conversations. */
  explain(explanation: Explanation): void {
    this.explanations.push(explanation);
  }

  /** Ignores messages for unknown conversations with this prefix. */
  leave(beginning: string): void {
    this.others.push(beginning);
  }

  /** Reserves the transport for nodes: messages that are not envelopes are errors instead of messages of the application. */
  reserve(): void {
    this.isReserved = true;
  }

  close(name: string): void {
    if (this.conversations.delete(name)) this.closed.add(name);
  }

  /**
   * Sends a message.
   *
   * @returns its sequence number in this conversation on the connection, from 1; 0 if the peer has gone and the message is lost. On ordered
   * channels the receiver counts alike, so that observations of both ends can be combined.
   */
  send(name: string, to: NodeId, message: Message): number {
    this.transport.send(to, envelopeOf(name, message));
    return this.gone.has(to) ? 0 : count(this.sent, to, name, this.limits.counted);
  }

  /** Number of messages of a conversation received from a peer on this connection. */
  receivedFrom(peer: NodeId, name: string): number {
    return this.received.get(peer)?.get(name) ?? 0;
  }

  /** Number of messages of a conversation sent to a peer on this connection. */
  sentTo(peer: NodeId, name: string): number {
    return this.sent.get(peer)?.get(name) ?? 0;
  }

  /** Some conversations that a peer has greeted and that do not exist here. */
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

  /** Updates the counts. Messages sent before the first connection wait for it; every later connection starts from zero. */
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
    // Without authenticated ids, the number of names is unlimited.
    const number = this.isCounted ? count(this.received, from, name, this.limits.counted) : 0;
    if (conversation) conversation.message(from, message, number);
    else if (isGreeting(message)) this.noteUnansweredGreeting(from, name, message);
    else if (!this.closed.has(name) && !this.others.some((beginning) => name.startsWith(beginning)))
      this.drops.drop(this.explainUnclaimed(name, from));
  }

  /** Records a greeting, if the transport reports which peers are connected. */
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

/** Counts by peer and conversation. */
type Counts = Map<NodeId, Map<string, number>>;

/** Increments a count. Returns 0 if the peer already uses the maximum number of names, which bounds memory. */
function count(counts: Counts, peer: NodeId, name: string, namesMax: number): number {
  let ofPeer = counts.get(peer);
  if (!ofPeer) counts.set(peer, (ofPeer = new Map()));
  const number = (ofPeer.get(name) ?? 0) + 1;
  if (number === 1 && ofPeer.size >= namesMax) return 0;
  ofPeer.set(name, number);
  return number;
}
