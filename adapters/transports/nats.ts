/**
 * A transport over NATS with core subjects, from a single server to clusters across continents.
 *
 * You configure the connection, in a browser with `wsconnect` of `@nats-io/nats-core`; the transport closes it. Each peer listens on its
 * own subject. Core NATS delivers at most once: messages are lost while the server or the receiver is away, so wrap the transport in
 * `linked`. Up to 16 MiB wait while the server does not accept data. Any client that may publish to the subjects can impersonate any peer:
 * see `sealed`.
 */
import type { TimestampProvider } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import { environmentOf, type InEnvironment } from '../environment.js';
import { limitsHere } from '../limits.js';
import { Backlog } from './backlog.js';
import { checkOptions, environment as environmentChecks, id as anId, must, optional } from '../options.js';
import { createTransport, type DriverListener } from './driver.js';
import { Absence, connectedBy } from './connected.js';
import { ConnectionError } from './errors.js';
import { FrameReader, frameText, isTopicRoot, topicToken } from './frame.js';
import { natsGuarantees } from './guarantees.js';
import { newId } from './ids.js';
import { FRAME_BYTES_MAX } from './reading.js';
import type { Transport } from './transport.js';

/**
 * The part of a connection of `@nats-io/nats-core` that the transport uses.
 *
 * @public
 */
export interface NatsConnection {
  readonly info?: { readonly max_payload: number };
  subscribe(subject: string, options: { callback: (error: Error | null, message: NatsMessage) => void }): unknown;
  publish(subject: string, payload: string, options?: { reply?: string }): void;
  flush(): Promise<void>;
  close(): Promise<void>;
  isClosed(): boolean;
  closed(): Promise<void | Error>;
  status(): AsyncIterable<{ readonly type: string }>;
}

/**
 * The part of a message of NATS that the transport uses.
 *
 * @public
 */
export interface NatsMessage {
  readonly subject: string;
  readonly data: Uint8Array;
  readonly headers?: { readonly code: number };
}

/**
 * Options for `nats`.
 *
 * @public
 */
export interface NatsOptions extends InEnvironment {
  /** Id of this peer. @defaultValue a new id, for a client */
  readonly id?: NodeId;
  /** Connects with a NATS client; the transport closes the connection. */
  readonly connection: () => Promise<NatsConnection>;
  /** Prefix of all subjects, the same for all peers: one token, or several separated by dots. @defaultValue `quiver` */
  readonly subject?: string;
}

const CHECKS = {
  id: optional(anId),
  connection: must('a function that connects, as in () => connect({ servers })', (value) => typeof value === 'function'),
  subject: optional(
    must(
      "1 to 255 characters, as in 'apps.printers': no space, control character, * or >, nothing empty between dots, no $ at the beginning",
      (value) => isTopicRoot(value) && value.split('.').every((token) => token !== '' && !/[\s*>]/.test(token)),
    ),
  ),
  ...environmentChecks,
};

/**
 * A transport over NATS with core subjects. It may lose messages, and does not report which peers are up. Wrap it in `linked`.
 *
 * @param options the id of this peer, a function that connects the client, and the subject (default `quiver`).
 * @returns a transport that is not connected yet.
 * @throws UsageError for an option that is missing, wrong or unknown.
 * @example
 * ```ts
 * import { connect } from '@nats-io/transport-node';
 * import { linked, nats } from 'xstate-quiver/transports';
 *
 * const connection = () => connect({ servers: 'nats://127.0.0.1:4222', maxReconnectAttempts: -1 });
 * const transport = linked(nats({ id: 'a', connection }), { peers: ['a', 'b', 'c'] });
 * ```
 * @public
 */
export function nats(options: NatsOptions): Transport<typeof natsGuarantees> {
  checkOptions('nats', options, CHECKS);
  const { id = newId(environmentOf(options)), connection, subject = 'quiver', ...environment } = options;
  return createTransport(id, natsGuarantees, async (medium, signal) => {
    const { clock } = environmentOf(environment);
    const absence = new Absence(`peer "${id}" has had no connection to NATS`, clock, signal);
    const made = await connectedBy(connection, `peer "${id}"`, 'NATS', 'connect(…)', ADVICE, absence);
    if (signal.aborted) {
      await made.close();
      return;
    }
    const { max_payload: bytesMax = FRAME_BYTES_MAX } = made.info ?? {};
    if (bytesMax < FRAME_BYTES_MAX) {
      await made.close();
      throw new ConnectionError(
        `the NATS server of peer "${id}" accepts frames of ${bytesMax} bytes. Set its max_payload to ${FRAME_BYTES_MAX} or more`,
      );
    }
    void follow(made, absence);
    const listeners = new Listeners(clock);
    const received: DriverListener['received'] = (from, message) => {
      listeners.note(from);
      medium.received(from, message);
    };
    const reader = new FrameReader(id, { received }, clock);
    made.subscribe(`${subject}.${topicToken(id)}`, {
      callback: (error, message) => {
        if (error)
          medium.broke(
            new ConnectionError(
              `NATS refuses the subject of peer "${id}": ${error.message}. Allow the subject in the user's permissions`,
            ),
          );
        else reader.readBytes(message.data);
      },
    });
    // If the server refuses this subject, missing peers are not reported.
    made.subscribe(`${subject}.${topicToken(id)}.*`, {
      callback: (error, message) => {
        if (error || message.headers?.code !== NO_RESPONDERS) return;
        const peer = listeners.missing(message.subject);
        if (peer !== null) medium.gone(peer);
      },
    });
    void made
      .closed()
      .then((error) =>
        medium.lost(new ConnectionError(`the NATS connection of peer "${id}" ended: ${error?.message ?? 'closed'}`)),
      );
    await answered(made, signal);
    const outgoing = new Outgoing(id, made, clock);
    medium.opened({
      send: (to, _, text) => {
        const reply = listeners.isSilent(to) ? `${subject}.${topicToken(id)}.${topicToken(to)}` : undefined;
        outgoing.publish(`${subject}.${topicToken(to)}`, frameText(id, text), reply);
      },
      close: () => made.close(),
    });
  });
}

/**
 * Resolves once the server has answered, so that the subscription is active. If the connection breaks before, the client reconnects with
 * its subscriptions, and the server is asked again.
 */
async function answered(connection: NatsConnection, signal: AbortSignal): Promise<void> {
  const give = () => void connection.close();
  signal.addEventListener('abort', give, { once: true });
  try {
    for (;;) {
      try {
        return await connection.flush();
      } catch (error) {
        if (connection.isClosed()) throw error;
      }
    }
  } finally {
    signal.removeEventListener('abort', give);
  }
}

/** Follows the connection status until the connection ends. */
async function follow(connection: NatsConnection, absence: Absence): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === 'disconnect') absence.begins();
    else if (type === 'reconnect') absence.ends();
  }
}

const ADVICE =
  'check that it listens at the address that connection() dials. To wait for a server that starts later, pass waitOnFirstConnect: true and maxReconnectAttempts: -1 to connect';

/** Status of the server's reply to a request on a subject without a listener. */
const NO_RESPONDERS = 503;
/** Milliseconds of silence after which messages to a peer request a reply, so that the server reports whether the peer listens. */
const SILENCE_MS = 300;
/** Milliseconds within which a client with a broken connection reconnects. */
const RECONNECT_MS = 1_000;

/** Peers that listen on their subjects, as far as the server reports it. */
class Listeners {
  /** For each peer that this one sends to: the time of its last message, `null` for none. */
  private readonly lastAt = new Map<NodeId, number | null>();
  private readonly missingSince = new Map<NodeId, number>();

  constructor(private readonly clock: TimestampProvider) {}

  note(peer: NodeId): void {
    if (this.lastAt.has(peer)) this.lastAt.set(peer, this.clock.now());
    this.missingSince.delete(peer);
  }

  isSilent(peer: NodeId): boolean {
    const at = this.lastAt.get(peer) ?? null;
    if (at === null) this.lastAt.set(peer, null);
    return at !== null && this.clock.now() - at >= SILENCE_MS;
  }

  /** Peer of this reply subject, if it has been missing for long enough to be reported. Reported once, until its next message. */
  missing(reply: string): NodeId | null {
    const token = reply.slice(reply.lastIndexOf('.') + 1);
    const peer = [...this.lastAt.keys()].find((other) => topicToken(other) === token);
    if (peer === undefined) return null;
    const since = this.missingSince.get(peer) ?? this.clock.now();
    this.missingSince.set(peer, since);
    if (this.clock.now() - since < RECONNECT_MS - SILENCE_MS) return null;
    this.lastAt.set(peer, null);
    this.missingSince.delete(peer);
    return peer;
  }
}

/** Sends messages within the backlog. Core NATS does not confirm messages, but a server answers in order. */
class Outgoing {
  private readonly backlog: Backlog;
  /** Number of characters after which the server is asked whether it has received them. */
  private readonly askChars = limitsHere().unaskedChars;
  private unasked = 0;

  constructor(
    id: NodeId,
    private readonly connection: NatsConnection,
    clock: TimestampProvider,
  ) {
    this.backlog = new Backlog(id, clock);
  }

  publish(subject: string, text: string, reply?: string): void {
    if (!this.backlog.takes(text)) return;
    this.connection.publish(subject, text, reply === undefined ? undefined : { reply });
    this.unasked += text.length;
    if (this.unasked >= this.askChars) this.ask();
  }

  private ask(): void {
    const asked = this.unasked;
    this.unasked = 0;
    const done = () => this.backlog.confirmed(asked);
    // A connection that breaks discards its unsent data.
    this.connection.flush().then(done, done);
  }
}
