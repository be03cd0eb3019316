/**
 * A NATS server for rehearsals: core subjects with wildcards and queue groups; no JetStream, no accounts, no clusters. It is an ordinary
 * program on `node:net` and stores nothing: messages published while no client subscribes are lost, as on a real server.
 */
import { createServer, type Socket } from 'node:net';
import type { Main } from './peer.js';

const PORT = 4222;
/** The default of a NATS server. */
const PAYLOAD_BYTES_MAX = 2 ** 20;
const LINE_BYTES_MAX = 4_096;
/** A slow consumer, with more unread bytes than this, is disconnected. */
const BACKLOG_BYTES_MAX = 2 ** 26;

interface Subscription {
  readonly subject: readonly string[];
  readonly queue: string | undefined;
  readonly sid: string;
  readonly client: Client;
  /** Number of messages left, after `UNSUB sid max`. */
  left: number;
}

const isMatch = (subject: readonly string[], [...tokens]: readonly string[]): boolean => {
  const rest = subject.indexOf('>');
  if (rest >= 0 ? tokens.length <= rest : tokens.length !== subject.length) return false;
  return subject.every((token, i) => token === '>' || token === '*' || token === tokens[i]);
};

/** A message to publish. */
interface Publication {
  readonly subject: string;
  readonly reply: string;
  /** Number of header bytes in the payload; `null` for a message without headers. */
  readonly headBytes: number | null;
  readonly bytes: number;
}

class Broker {
  readonly clients = new Set<Client>();
  private readonly subscriptions = new Set<Subscription>();
  /** Number of publications, to take turns among members of a queue group. */
  private published = 0;

  subscribe(subscription: Subscription): void {
    this.subscriptions.add(subscription);
  }

  unsubscribe(client: Client, sid?: string, left = 0): void {
    for (const one of this.subscriptions) {
      if (one.client !== client || (sid !== undefined && one.sid !== sid)) continue;
      if (left > 0) one.left = left;
      else this.subscriptions.delete(one);
    }
  }

  publish(publication: Publication, payload: Buffer): void {
    const tokens = publication.subject.split('.');
    const queues = new Map<string, Subscription[]>();
    for (const one of this.subscriptions) {
      if (!isMatch(one.subject, tokens)) continue;
      if (one.queue === undefined) this.deliver(one, publication, payload);
      else queues.set(one.queue, [...(queues.get(one.queue) ?? []), one]);
    }
    this.published++;
    for (const members of queues.values()) this.deliver(members[this.published % members.length]!, publication, payload);
  }

  private deliver(subscription: Subscription, { subject, reply, headBytes, bytes }: Publication, payload: Buffer): void {
    const to = [subject, subscription.sid, ...(reply === '' ? [] : [reply])];
    const words = headBytes === null ? ['MSG', ...to, bytes] : ['HMSG', ...to, headBytes, bytes];
    subscription.client.send(`${words.join(' ')}\r\n`, payload);
    if (--subscription.left === 0) this.subscriptions.delete(subscription);
  }
}

class Client {
  private unread = Buffer.alloc(0);
  private expected: Publication | null = null;

  constructor(
    private readonly broker: Broker,
    private readonly socket: Socket,
    id: number,
  ) {
    const info = {
      server_id: 'REHEARSAL',
      server_name: 'rehearsal',
      version: '2.10.0',
      proto: 1,
      headers: true,
      max_payload: PAYLOAD_BYTES_MAX,
      client_id: id,
    };
    this.send(`INFO ${JSON.stringify(info)}\r\n`);
    socket.on('data', (bytes: Buffer) => this.read(bytes));
    socket.on('error', () => {});
    socket.on('close', () => {
      broker.unsubscribe(this);
      broker.clients.delete(this);
    });
  }

  send(text: string, payload?: Buffer): void {
    if (this.socket.writableLength > BACKLOG_BYTES_MAX) return void this.socket.destroy();
    this.socket.write(payload ? Buffer.concat([Buffer.from(text), payload, Buffer.from('\r\n')]) : text);
  }

  private reject(why: string): void {
    this.send(`-ERR '${why}'\r\n`);
    this.socket.end();
  }

  private read(bytes: Buffer): void {
    this.unread = Buffer.concat([this.unread, bytes]);
    while (!this.socket.writableEnded && (this.expected ? this.takePayload() : this.takeLine()));
  }

  private takePayload(): boolean {
    const publication = this.expected!;
    if (this.unread.length < publication.bytes + 2) return false;
    const payload = this.unread.subarray(0, publication.bytes);
    this.unread = this.unread.subarray(publication.bytes + 2);
    this.expected = null;
    this.broker.publish(publication, payload);
    return true;
  }

  private takeLine(): boolean {
    const end = this.unread.indexOf('\r\n');
    if (end < 0) {
      if (this.unread.length > LINE_BYTES_MAX) this.reject('Maximum Control Line Exceeded');
      return false;
    }
    const words = this.unread
      .subarray(0, end)
      .toString()
      .split(/[ \t]+/);
    this.unread = this.unread.subarray(end + 2);
    this.handle(words[0]!.toUpperCase(), words.slice(1));
    return true;
  }

  private handle(verb: string, words: readonly string[]): void {
    if (verb === 'PING') this.send('PONG\r\n');
    else if (verb === 'SUB') {
      const [subject, queue] = [words[0]!.split('.'), words.length > 2 ? words[1] : undefined];
      this.broker.subscribe({ subject, queue, sid: words.at(-1)!, client: this, left: 0 });
    } else if (verb === 'UNSUB') this.broker.unsubscribe(this, words[0], Number(words[1] ?? 0));
    else if (verb === 'PUB' || verb === 'HPUB') this.expect(verb, words);
    else if (verb !== 'CONNECT' && verb !== 'PONG') this.reject('Unknown Protocol Operation');
  }

  private expect(verb: 'PUB' | 'HPUB', words: readonly string[]): void {
    const bytes = Number(words.at(-1));
    const headBytes = verb === 'HPUB' ? Number(words.at(-2)) : null;
    const names = words.slice(0, verb === 'HPUB' ? -2 : -1);
    if (!(bytes <= PAYLOAD_BYTES_MAX)) return this.reject('Maximum Payload Violation');
    this.expected = { subject: names[0]!, reply: names[1] ?? '', headBytes, bytes };
  }
}

/**
 * A NATS server as a service of a rehearsal, on port 4222: core subjects with wildcards, queue groups and replies. NATS clients connect to
 * `nats://` followed by the name of the service.
 *
 * @example
 * ```ts
 * import { natsBroker, rehearse } from 'xstate-quiver/rehearsal';
 *
 * const { failure } = await rehearse({ services: { broker: natsBroker }, runs: 1, seconds: 1 }, async ({ id }) => {
 *   // const connection = await connect({ servers: 'nats://broker' });
 *   console.log(id);
 * });
 * ```
 * @experimental
 */
export const natsBroker: Main = () => {
  const broker = new Broker();
  let clients = 0;
  createServer((socket) => broker.clients.add(new Client(broker, socket, ++clients))).listen(PORT);
};
