/**
 * A transport over an MQTT broker.
 *
 * You configure the connection; the transport closes it. Each peer listens on its own topic. Messages use quality of service 1 (at least
 * once). A broker that crashes still loses some (74 of 272 in a measurement without persistence), so wrap the transport in `linked`. Up to
 * 16 MiB wait while the broker does not accept data; without a connection, messages are dropped. Nagle's algorithm delays small packets: 88
 * ms instead of 0.5 ms. In Node the transport disables it at its end; disable it at your broker too (`set_tcp_nodelay true` in Mosquitto).
 */
import { Subscription, type SchedulerLike, type TimestampProvider } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import { environmentOf, type InEnvironment } from '../environment.js';
import { Backlog } from './backlog.js';
import { checkOptions, environment as environmentChecks, id as anId, must, optional } from '../options.js';
import { createTransport } from './driver.js';
import { Absence, connectedBy } from './connected.js';
import { ConnectionError } from './errors.js';
import { FrameReader, frameText, isTopicRoot, topicToken } from './frame.js';
import { mqttGuarantees } from './guarantees.js';
import { newId } from './ids.js';
import { later } from './later.js';
import { escape, messageOf } from './reading.js';
import type { Transport } from './transport.js';
import { fieldsOf } from '../../machines/checks.js';

/**
 * Option of an MQTT client: the message that its broker publishes if the connection ends without a goodbye.
 *
 * @public
 */
export interface MqttLastWill {
  readonly will: { readonly topic: string; readonly payload: string; readonly qos: 1; readonly retain: false };
}

/**
 * The part of a client of the package `mqtt` that the transport uses.
 *
 * @public
 */
export interface MqttClient {
  readonly connected: boolean;
  readonly disconnecting: boolean;
  readonly options: { readonly clientId?: string; readonly reconnectPeriod?: number };
  readonly stream: object;
  on(event: 'connect' | 'close', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
  on(event: 'message', listener: (topic: string, payload: Uint8Array) => void): unknown;
  off(event: 'connect' | 'close', listener: () => void): unknown;
  subscribe(topic: string, options: { qos: 1 }, done: () => void): unknown;
  subscribeAsync(topics: { [topic: string]: { qos: 1 } } & { resubscribe: true }): Promise<unknown>;
  publish(topic: string, payload: string, options: { qos: 1 }, done: () => void): unknown;
  getLastMessageId(): number;
  removeOutgoingMessage(messageId: number): unknown;
  endAsync(force: boolean): Promise<unknown>;
}

/**
 * Options for `mqtt`.
 *
 * @public
 */
export interface MqttOptions extends InEnvironment {
  /** Id of this peer. @defaultValue a new id, for a client */
  readonly id?: NodeId;
  /**
   * Connects with the package `mqtt`; the transport closes the client. `async () => connect(url)` waits for a broker that starts later,
   * `connectAsync` does not. Pass on the last will, so that other peers notice the end of this process within two seconds instead of three
   * to four: `(lastWill) => connectAsync(url, lastWill)`.
   */
  readonly connection: (lastWill: MqttLastWill) => Promise<MqttClient>;
  /** Prefix of all topics, the same for all peers: one level, or several separated by slashes. @defaultValue `quiver` */
  readonly topic?: string;
}

const CHECKS = {
  id: optional(anId),
  connection: must(
    "a function that connects, as in (lastWill) => connectAsync('mqtt://127.0.0.1', lastWill)",
    (value) => typeof value === 'function',
  ),
  topic: optional(
    must(
      "1 to 255 characters, as in 'apps/printers': no control character, + or #, no $ at the beginning",
      (value) => isTopicRoot(value) && !/[+#]/.test(value),
    ),
  ),
  ...environmentChecks,
};

/**
 * A transport over an MQTT broker. It may lose and duplicate messages, and does not report which peers are up. Wrap it in `linked`.
 *
 * @param options the id of this peer, a function that connects the client, and the topic (default `quiver`).
 * @returns a transport that is not connected yet.
 * @throws UsageError for an option that is missing, wrong or unknown.
 * @example
 * ```ts
 * import { connectAsync } from 'mqtt';
 * import { linked, mqtt } from 'xstate-quiver/transports';
 *
 * const broker = mqtt({ id: 'a', connection: (lastWill) => connectAsync('mqtt://127.0.0.1', lastWill) });
 * const transport = linked(broker, { peers: ['a', 'b', 'c'] });
 * ```
 * @public
 */
export function mqtt(options: MqttOptions): Transport<typeof mqttGuarantees> {
  checkOptions('mqtt', options, CHECKS);
  const { id = newId(environmentOf(options)), connection, topic = 'quiver', ...environment } = options;
  return createTransport(id, mqttGuarantees, async (medium, signal) => {
    const { clock } = environmentOf(environment);
    const wills = `${topic}/${WILLS}`;
    const lastWill: MqttLastWill = { will: { topic: `${wills}/${topicToken(id)}`, payload: id, qos: 1, retain: false } };
    const absence = new Absence(`peer "${id}" has had no connection to the MQTT broker`, clock, signal);
    const client = await connectedBy(
      () => connection(lastWill),
      `peer "${id}"`,
      'the MQTT broker',
      'connect(…)',
      ADVICE,
      absence,
    );
    if (signal.aborted) {
      await client.endAsync(true);
      return;
    }
    const reader = new FrameReader(id, medium, clock);
    const ends = new ReportedEnds(clock, signal, (peer) => client.connected && medium.gone(peer));
    disableNagle(client);
    client.on('connect', () => disableNagle(client));
    warnOfTakeover(client, id, clock);
    client.on('connect', absence.ends);
    client.on('close', absence.begins);
    if (!client.connected) absence.begins();
    // The client reconnects by itself; without a listener its errors would end the program.
    client.on('error', () => {});
    client.on('message', (at, payload) =>
      at.startsWith(`${wills}/`) ? ends.take(decoder.decode(payload)) : reader.readBytes(payload),
    );
    try {
      await subscribe(client, `${topic}/${topicToken(id)}`, id, signal);
    } catch (error) {
      client.off('close', absence.begins);
      absence.ends();
      await client.endAsync(true);
      if (signal.aborted) return;
      throw error;
    }
    // If the broker refuses this topic, ends of peers are not reported.
    client.subscribe(`${wills}/+`, { qos: 1 }, () => {});
    const outgoing = new Outgoing(id, client, clock);
    medium.opened({
      send: (to, _, text) => {
        ends.watch(to);
        outgoing.publish(`${topic}/${topicToken(to)}`, frameText(id, text));
      },
      close: async () => void (await client.endAsync(true)),
    });
  });
}

/** `connectAsync` fails with its first attempt, regardless of `reconnectPeriod`. */
const ADVICE =
  'check that it listens at the address that connection() dials. To wait for a broker that starts later, pass connection: async () => connect(url, { reconnectPeriod: 250 })';

/** Number of failed connections before a warning. */
const QUIET_TRIES = 3;

/** Subscribes and waits for the broker's answer. By default the client reconnects if the connection ends before. */
async function subscribe(client: MqttClient, topic: string, id: NodeId, signal: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      // `resubscribe`: for a topic of an earlier connection the client would otherwise resolve without asking the broker.
      await client.subscribeAsync(Object.assign({ [topic]: { qos: 1 as const } }, { resubscribe: true as const }));
      return;
    } catch (cause) {
      const why = messageOf(cause);
      if (fieldsOf(cause)['packet'] !== undefined)
        throw new ConnectionError(
          `the MQTT broker refuses the topic of peer "${id}": ${why}. Allow the topic in the broker's permissions`,
          { cause },
        );
      const unanswered = `the connection of peer "${id}" to the MQTT broker ended before the broker confirmed its topic: ${why}`;
      if (client.disconnecting || client.options.reconnectPeriod === 0) throw new ConnectionError(unanswered, { cause });
      if (tries === QUIET_TRIES) console.warn(`${unanswered}. The client reconnects`);
    }
    await new Promise((resolve) => onNext(client, signal, resolve));
    signal.throwIfAborted();
  }
}

/** Runs at the next connection or at the end of the transport, and removes its listeners. */
function onNext(client: MqttClient, signal: AbortSignal, run: (value?: unknown) => void): void {
  const done = () => {
    client.off('connect', done);
    signal.removeEventListener('abort', done);
    run();
  };
  client.on('connect', done);
  signal.addEventListener('abort', done);
  if (signal.aborted) done();
}

/** Number of connections in a row that last less than `SHORT_MS` before a warning. */
const TAKEOVERS = 4;
const SHORT_MS = 5_000;

/** Warns of two clients with one `clientId`: the broker disconnects the earlier one, which then reconnects, and so on. */
function warnOfTakeover(client: MqttClient, id: NodeId, clock: TimestampProvider): void {
  let begunAt = clock.now();
  let ends = 0;
  client.on('connect', () => (begunAt = clock.now()));
  client.on('close', () => {
    if (begunAt === -Infinity || client.disconnecting) return;
    ends = clock.now() - begunAt < SHORT_MS ? ends + 1 : 0;
    begunAt = -Infinity;
    if (ends !== TAKEOVERS) return;
    console.warn(
      escape(
        `peer "${id}": the MQTT broker has ended ${TAKEOVERS} connections in a row within ${SHORT_MS / 1000} s each. Another process may use its ` +
          `clientId "${client.options.clientId}". Use a unique clientId for each process, or none`,
      ),
    );
  });
}

const decoder = new TextDecoder();

/** Subtopic of last wills, each under the token of its peer. No token contains a slash. */
const WILLS = 'ended';
/** Milliseconds within which a client with a broken connection reconnects. */
const RECONNECT_MS = 1_000;

/** Peers whose last will has been published and that have not reconnected. */
class ReportedEnds {
  private readonly timers = new Subscription();
  /** Peers that this one sends to: their ends are reported. */
  private readonly watched = new Set<NodeId>();
  private readonly pending = new Set<NodeId>();

  constructor(
    private readonly clock: SchedulerLike,
    signal: AbortSignal,
    private readonly report: (peer: NodeId) => void,
  ) {
    signal.addEventListener('abort', () => this.timers.unsubscribe(), { once: true });
  }

  watch(peer: NodeId): void {
    this.watched.add(peer);
  }

  take(peer: NodeId): void {
    if (!this.watched.has(peer) || this.pending.has(peer)) return;
    this.pending.add(peer);
    const report = () => {
      this.pending.delete(peer);
      // The link layer ignores the report if the peer still sends.
      this.report(peer);
    };
    later(this.timers, this.clock, report, RECONNECT_MS);
  }
}

/**
 * Publishes messages on one connection only. On the next connection the client would repeat unconfirmed messages and send those that
 * waited, one round trip each, before it subscribes to its topic. Until then it would receive nothing. So no message waits for a
 * connection, and unconfirmed ones are lost with it.
 */
class Outgoing {
  private readonly backlog: Backlog;
  /** Numbers of the messages that the broker has not confirmed. */
  private readonly unconfirmed = new Set<number>();

  constructor(
    id: NodeId,
    private readonly client: MqttClient,
    clock: TimestampProvider,
  ) {
    this.backlog = new Backlog(id, clock);
    client.on('close', () => {
      for (const messageId of this.unconfirmed) client.removeOutgoingMessage(messageId);
    });
  }

  publish(topic: string, frame: string): void {
    const { client, backlog, unconfirmed } = this;
    if (!client.connected || client.disconnecting || !backlog.takes(frame)) return;
    client.publish(topic, frame, { qos: 1 }, () => {
      unconfirmed.delete(messageId);
      backlog.confirmed(frame.length);
    });
    const messageId = client.getLastMessageId();
    unconfirmed.add(messageId);
  }
}

/** Disables Nagle's algorithm where possible: a WebSocket in a browser has no such setting. */
function disableNagle({ stream }: MqttClient): void {
  (stream as { setNoDelay?: (on: boolean) => void }).setNoDelay?.(true);
}
