/**
 * Peers that reach one another through NATS, core subjects only: from one server to clusters of them across continents.
 *
 * The connection is yours to configure, in a browser with `wsconnect` of `@nats-io/nats-core`; the transport closes it. Each peer
 * listens on its own subject. Core NATS delivers at most once: what is sent while the server or the other peer is away is lost,
 * so put the link layer on top. While the server does not take what is sent, 16 MiB wait for it. Anybody who may publish to the subjects can speak for anybody: see `sealed`.
 */
import type { NatsConnection } from '@nats-io/nats-core';
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
import { FRAME_BYTES_MAX } from './reading.js';
import type { Transport } from './transport.js';

/**
 * Options for `nats`.
 *
 * @public
 */
export interface NatsOptions extends InEnvironment {
  /** Of this peer. */
  readonly id: NodeId;
  /** Connects, with a client of NATS; the transport closes the connection. */
  readonly connection: () => Promise<NatsConnection>;
  /** What all subjects begin with, one token or some with dots between them, the same for all peers. @defaultValue `quiver` */
  readonly subject?: string;
}

const CHECKS = {
  id: anId,
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
 * Peers that reach one another through NATS, core subjects only. It may lose messages and reports nobody's presence: `linked` puts
 * the link layer on top.
 *
 * @throws UsageError for an option that is missing, wrong or not known.
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
  const { id, connection, subject = 'quiver', ...environment } = options;
  return createTransport(id, natsGuarantees, async (medium, signal) => {
    const { clock } = environmentOf(environment);
    const absence = new Absence(`peer "${id}" has had no connection to NATS`, clock, signal);
    const made = await connectedBy(connection, `peer "${id}"`, 'NATS', 'connect(…)', CURE, absence);
    if (signal.aborted) {
      await made.close();
      return;
    }
    const { max_payload: bytesMax = FRAME_BYTES_MAX } = made.info ?? {};
    if (bytesMax < FRAME_BYTES_MAX) {
      await made.close();
      throw new ConnectionError(
        `the NATS server of peer "${id}" takes frames of ${bytesMax} bytes. Set its max_payload to ${FRAME_BYTES_MAX} or more`,
      );
    }
    void follow(made, absence);
    const listeners = new Listeners(clock);
    const received: DriverListener['received'] = (from, message) => {
      listeners.hear(from);
      medium.received(from, message);
    };
    const reader = new FrameReader(id, { received }, clock);
    made.subscribe(`${subject}.${topicToken(id)}`, {
      callback: (error, message) => {
        if (error) medium.broke(new ConnectionError(`NATS refuses peer "${id}" its subject: ${error.message}`));
        else reader.readBytes(message.data);
      },
    });
    // Where the server refuses this subject, nothing is reported.
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
 * Until the server has answered, so that the subscription stands. A connection that breaks before is made again by the client, with its
 * subscriptions, and asked again.
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

/** Ends with the connection. */
async function follow(connection: NatsConnection, absence: Absence): Promise<void> {
  for await (const { type } of connection.status()) {
    if (type === 'disconnect') absence.begins();
    else if (type === 'reconnect') absence.ends();
  }
}

const CURE =
  'is a server at the address that connection() dials? To wait for one that starts later, give connect waitOnFirstConnect: true and maxReconnectAttempts: -1';

/** The status with which a server answers at once a message that asks for a reply, and on whose subject no client listens. */
const NO_RESPONDERS = 503;
/** After so much silence a peer's messages ask for a reply, so that the server says whether it listens. */
const SILENCE_MS = 300;
/** A client whose connection has broken makes it again within this time. */
const RECONNECT_MS = 1_000;

/** Which peers listen on their subjects, as far as the server knows. */
class Listeners {
  /** Of each peer that this one sends to: when it was heard last, `null` for never. */
  private readonly heardAt = new Map<NodeId, number | null>();
  private readonly missingSince = new Map<NodeId, number>();

  constructor(private readonly clock: TimestampProvider) {}

  hear(peer: NodeId): void {
    if (this.heardAt.has(peer)) this.heardAt.set(peer, this.clock.now());
    this.missingSince.delete(peer);
  }

  isSilent(peer: NodeId): boolean {
    const at = this.heardAt.get(peer) ?? null;
    if (at === null) this.heardAt.set(peer, null);
    return at !== null && this.clock.now() - at >= SILENCE_MS;
  }

  /** The peer of this reply subject, if it has been missing for so long that it is reported: once, until it is heard again. */
  missing(reply: string): NodeId | null {
    const token = reply.slice(reply.lastIndexOf('.') + 1);
    const peer = [...this.heardAt.keys()].find((other) => topicToken(other) === token);
    if (peer === undefined) return null;
    const since = this.missingSince.get(peer) ?? this.clock.now();
    this.missingSince.set(peer, since);
    if (this.clock.now() - since < RECONNECT_MS - SILENCE_MS) return null;
    this.heardAt.set(peer, null);
    this.missingSince.delete(peer);
    return peer;
  }
}

/** A server of core NATS confirms nothing by itself, but it answers in order. */
class Outgoing {
  private readonly backlog: Backlog;
  /** After so many characters the server is asked whether it has them. */
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
    // A connection that breaks forgets what it had not sent.
    this.connection.flush().then(done, done);
  }
}
