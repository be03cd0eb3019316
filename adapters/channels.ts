/**
 * Many conversations on one transport.
 *
 * A conversation has a name, `locks/printer` for instance; its part before the slash is the namespace. What comes in is checked once
 * and handed to the conversation that it names. One that nobody has opened yet may be opened by whoever serves its namespace: that is
 * how a lock exists on all nodes as soon as one of them asks for it.
 */
import type { Message, NodeId } from '../machines/effects.js';
import { UsageError } from '../machines/errors.js';
import { Drops } from './drops.js';
import { NAME_LENGTH_MAX, refusal, WIRE_VERSION, type Envelope } from './envelope.js';
import { isGreeting } from './presence.js';
import type { Json, Transport, TransportEvent } from './transport.js';

export interface Conversation {
  message(from: NodeId, message: Message): void;
  peer(type: 'up' | 'down', peer: NodeId): void;
  closed(error: Error | null): void;
}

/** Opens a conversation of that name, for a message from that peer; or declines by throwing or by doing nothing. */
type Open = (name: string, from: NodeId) => void;

const known = new WeakMap<Transport, Channels>();

export class Channels {
  readonly drops: Drops;
  private readonly conversations = new Map<string, Conversation>();
  private readonly servers = new Map<string, Open>();

  /** The conversations of a transport; every caller gets the same ones. */
  static of(transport: Transport): Channels {
    let channels = known.get(transport);
    if (!channels) known.set(transport, (channels = new Channels(transport)));
    return channels;
  }

  private constructor(private readonly transport: Transport) {
    this.drops = new Drops(`peer "${transport.id}"`);
    transport.events.subscribe((event) => this.take(event));
  }

  open(name: string, conversation: Conversation): void {
    if (name === '' || name.length > NAME_LENGTH_MAX) {
      throw new UsageError(`a name of ${name.length} characters: give 1 to ${NAME_LENGTH_MAX}`);
    }
    if (this.conversations.has(name)) {
      throw new UsageError(
        `"${name}" is open already on the transport of "${this.transport.id}"; close it first or take another name`,
      );
    }
    this.conversations.set(name, conversation);
  }

  close(name: string): void {
    this.conversations.delete(name);
  }

  /** `open` is called when a message speaks of a conversation in this namespace that is not open. */
  serve(namespace: string, open: Open): void {
    if (this.servers.has(namespace)) {
      throw new UsageError(
        `namespace "${namespace}" is served already on the transport of "${this.transport.id}"; close it first`,
      );
    }
    this.servers.set(namespace, open);
  }

  stopServing(namespace: string): void {
    this.servers.delete(namespace);
  }

  send(name: string, to: NodeId, message: Message): void {
    this.transport.send(to, { v: WIRE_VERSION, name, message: message as unknown as Json });
  }

  private take(event: TransportEvent): void {
    if (event.type === 'message') this.receive(event.from, event.message);
    else if (event.type === 'closed') for (const conversation of this.conversations.values()) conversation.closed(event.error);
    else for (const conversation of this.conversations.values()) conversation.peer(event.type, event.peer);
  }

  private receive(from: NodeId, value: Json): void {
    const refused = refusal(value);
    if (refused !== null) {
      this.drops.drop(`${refused}, from "${from}"`);
      return;
    }
    const { name, message } = value as unknown as Envelope;
    try {
      if (!this.conversations.has(name)) this.servers.get(name.split('/', 1)[0]!)?.(name, from);
    } catch (error) {
      this.drops.drop(`"${from}" speaks of "${name.slice(0, 80)}", which cannot be opened: ${(error as Error).message}`);
      return;
    }
    const conversation = this.conversations.get(name);
    if (conversation) conversation.message(from, message);
    else if (!isGreeting(message)) this.drops.drop(`nobody here takes part in "${name.slice(0, 80)}", of which "${from}" speaks`);
  }
}
