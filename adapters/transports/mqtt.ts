/**
 * Peers that reach one another through an MQTT broker.
 *
 * The connection is yours to configure; the transport closes it. Each peer listens on its own topic. Messages go with quality of
 * service 1, at least once; a broker that crashes loses some still (74 of 272 in a measurement without persistence), so put
 * the link layer on top. While the broker does not take what is sent, 16 MiB wait for it; while there is no connection, nothing does.
 * Small packets must not wait for each other (Nagle): in Node the transport sees to that at its end, and your broker should at the
 * other (`set_tcp_nodelay true` for Mosquitto); it is the difference between 88 milliseconds and half a one.
 */
import type { IClientOptions, ISubscriptionMap, MqttClient } from 'mqtt';
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
import { later } from './later.js';
import { escape, saidBy } from './reading.js';
import type { Transport } from './transport.js';

/**
 * Options of an MQTT client: what its broker publishes when the connection ends without a goodbye.
 *
 * @public
 */
export type MqttLastWill = Required<Pick<IClientOptions, 'will'>>;

/**
 * Options for `mqtt`.
 *
 * @public
 */
export interface MqttOptions extends InEnvironment {
  /** Of this peer. */
  readonly id: NodeId;
  /**
   * Connects, with the package `mqtt`; the transport closes the client. `async () => connect(url)` waits for a broker that is not there
   * yet, `connectAsync` does not. Pass the last will on, and the others notice within two seconds that this process has ended, not after
   * three to four: `(lastWill) => connectAsync(url, lastWill)`.
   */
  readonly connection: (lastWill: MqttLastWill) => Promise<MqttClient>;
  /** What all topics begin with, one level or some with slashes between them, the same for all peers. @defaultValue `quiver` */
  readonly topic?: string;
}

const CHECKS = {
  id: anId,
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
 * Peers that reach one another through an MQTT broker. It may lose and double messages and reports nobody's presence: `linked` puts
 * the link layer on top.
 *
 * @throws UsageError for an option that is missing, wrong or not known.
 * @example
 * ```ts
 * import { connectAsync } from 'mqtt';
 * import { linked, mqtt } from 'xstate-quiver/transports';
 *
 * const connection = (lastWill) => connectAsync('mqtt://127.0.0.1', lastWill);
 * const transport = linked(mqtt({ id: 'a', connection }), { peers: ['a', 'b', 'c'] });
 * ```
 * @public
 */
export function mqtt(options: MqttOptions): Transport<typeof mqttGuarantees> {
  checkOptions('mqtt', options, CHECKS);
  const { id, connection, topic = 'quiver', ...environment } = options;
  return createTransport(id, mqttGuarantees, async (medium, signal) => {
    const { clock } = environmentOf(environment);
    const wills = `${topic}/${WILLS}`;
    const lastWill = { will: { topic: `${wills}/${topicToken(id)}`, payload: id, qos: 1, retain: false } } as const;
    const absence = new Absence(`peer "${id}" has had no connection to the MQTT broker`, clock, signal);
    const client = await connectedBy(() => connection(lastWill), `peer "${id}"`, 'the MQTT broker', 'connect(…)', CURE, absence);
    if (signal.aborted) {
      await client.endAsync(true);
      return;
    }
    const reader = new FrameReader(id, medium, clock);
    const ends = new ReportedEnds(clock, signal, (peer) => client.connected && medium.gone(peer));
    hurry(client);
    client.on('connect', () => hurry(client));
    warnOfTakeover(client, id, clock);
    client.on('connect', absence.ends).on('close', absence.begins);
    if (!client.connected) absence.begins();
    // The client reconnects by itself; without a listener its errors would end the program.
    client.on('error', () => {});
    client.on('message', (at, payload) =>
      at.startsWith(`${wills}/`) ? ends.take(payload.toString()) : reader.readBytes(payload),
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
    // Where the broker refuses this topic, nothing is reported.
    client.subscribe(`${wills}/+`, { qos: 1 }, () => {});
    const outgoing = new Outgoing(id, client, clock);
    medium.opened({
      send: (to, _, text) => {
        ends.watch(to);
        outgoing.publish(`${topic}/${topicToken(to)}`, frameText(id, text));
      },
      close: () => client.endAsync(true),
    });
  });
}

/** `connectAsync` gives up with its first try, whatever `reconnectPeriod` says. */
const CURE =
  'is it there, at the address that connection() dials? To wait for one that starts later, give connection: async () => connect(url, { reconnectPeriod: 250 })';

/** So many connections end before the broker has answered, and there is a warning. */
const QUIET_TRIES = 3;

/** Until the broker has answered: a connection that ends before is made again by the client, if it was not told otherwise. */
async function subscribe(client: MqttClient, topic: string, id: NodeId, signal: AbortSignal): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      // Of a topic that it has asked for on an earlier connection the client says at once that it has it.
      await client.subscribeAsync({ [topic]: { qos: 1 }, resubscribe: true } as ISubscriptionMap);
      return;
    } catch (cause) {
      const why = saidBy(cause);
      if ((cause as { packet?: unknown }).packet !== undefined)
        throw new ConnectionError(`the MQTT broker refuses peer "${id}" its topic: ${why}`, { cause });
      const unanswered = `the connection of peer "${id}" to the MQTT broker ended before the broker had given it its topic: ${why}`;
      if (client.disconnecting || client.options.reconnectPeriod === 0) throw new ConnectionError(unanswered, { cause });
      if (tries === QUIET_TRIES) console.warn(`${unanswered}; the client connects again`);
    }
    await new Promise((resolve) => onNext(client, signal, resolve));
    signal.throwIfAborted();
  }
}

/** At the next connection or at the end of the transport, and nothing is left behind. */
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

/** So many connections that lasted for less than this time are no accident. */
const TAKEOVERS = 4;
const SHORT_MS = 5_000;

/** Of two clients with one `clientId` the broker throws the earlier out, which comes again, and so on. */
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
          `clientId "${client.options.clientId}". Give each process a clientId of its own, or none`,
      ),
    );
  });
}

/** Below the topic: last wills, each under the token of its peer. No token has a slash. */
const WILLS = 'ended';
/** A client whose connection has broken makes it again within this time. */
const RECONNECT_MS = 1_000;

/** Peers whose last will has come, and that have not come back. */
class ReportedEnds {
  private readonly timers = new Subscription();
  /** The peers to which this one sends, and those of them whose end will be reported. */
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
      // The link layer drops the report if it hears the peer.
      this.report(peer);
    };
    later(this.timers, this.clock, report, RECONNECT_MS);
  }
}

/**
 * What is sent belongs to one connection. On the next one the client would send again what the broker had not confirmed, and all that it was
 * given meanwhile, each only once the one before is confirmed, and would ask for its topic after all of it: deaf for as many round
 * trips as messages had waited. So nothing waits for a connection, and what had no answer on the last one is lost.
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

/** A TCP stream has the switch, a WebSocket in a browser has not. */
function hurry({ stream }: MqttClient): void {
  (stream as { setNoDelay?: (on: boolean) => void }).setNoDelay?.(true);
}
