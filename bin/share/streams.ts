/**
 * A shared job in NATS JetStream: a work queue that hands out pieces, and a stream that keeps one result of each.
 *
 * A piece is its number in the queue. It is published only as the next one (`lastSequence`), so that all who join may fill the queue and none comes
 * twice. It is acknowledged when its result is stored, and handed out again when its worker has said nothing for ACK_MS. A result is stored only as
 * the first of its piece (`lastSubjectSequence`); a second one goes to a subject of its own, where everybody sees it.
 *
 * Whoever takes part answers on a subject for as long as its connection stands. So the last one to leave knows that it is, and takes both streams away.
 * The description of a stream says which program its results are of; one of another program is refused by the server, as another configuration.
 */
import { randomUUID } from 'node:crypto';
import { gunzipSync, gzipSync } from 'node:zlib';
import { isObject } from '../../machines/checks.js';
import { UsageError } from '../../machines/errors.js';
import type * as JetStream from '@nats-io/jetstream';
import type { Msg, NatsConnection, Payload } from '@nats-io/nats-core';
import type { PieceEnding, Job } from './job.js';

/** So long a worker may say nothing about its piece; it says something three times in that time, from a process that does nothing else. */
export const ACK_MS = 6_000;
/** So long a server may take for an answer, and to be away. */
const ANSWER_MS = 5_000;
const AWAY_ATTEMPTS = 30;
/** For others to say that they are here. */
const HERE_MS = 1_000;
const FILL_AT_ONCE = 250;
const NANOS = 1e6;

/** What is stored of a piece. */
export interface StoredPiece<R> {
  readonly by: string;
  readonly ending: PieceEnding<R>;
}

function isStoredPiece<R>(value: unknown): value is StoredPiece<R> {
  if (!isObject(value) || typeof value['by'] !== 'string') return false;
  const { ending } = value;
  return isObject(ending) && ('result' in ending ? isObject(ending['result']) : typeof ending['broken'] === 'string');
}

/** A piece that was handed out to this process. */
export interface HandedOut {
  readonly piece: number;
  /** 1 at first. */
  readonly time: number;
  readonly message: JetStream.JsMsg;
}

interface Client {
  readonly jetStream: typeof JetStream;
  readonly transport: typeof import('@nats-io/transport-node');
}

async function loadClient(): Promise<Client> {
  try {
    const [jetStream, transport] = await Promise.all([import('@nats-io/jetstream'), import('@nats-io/transport-node')]);
    return { jetStream, transport };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new UsageError(
      '--share needs the client of NATS, which is not installed; npm i -D @nats-io/transport-node @nats-io/jetstream',
    );
  }
}

async function connected(url: string, { transport }: Client): Promise<NatsConnection> {
  const address = URL.canParse(url) ? new URL(url) : null;
  if (!address || !['nats:', 'tls:'].includes(address.protocol) || address.host === '')
    throw new UsageError(`--share is "${url}"; give the address of a NATS server, as in nats://127.0.0.1:4222`);
  const { username, password } = address;
  try {
    return await transport.connect({
      servers: `${address.protocol}//${address.host}`,
      ...(username !== '' && { user: decodeURIComponent(username), pass: decodeURIComponent(password) }),
      timeout: ANSWER_MS,
      reconnectTimeWait: 1_000,
      maxReconnectAttempts: AWAY_ATTEMPTS,
    });
  } catch (error) {
    throw new UsageError(`cannot reach NATS at ${url} (${(error as Error).message}); start a server there: nats-server -js`);
  }
}

export class JobStreams<R> {
  readonly id = randomUUID();
  /** The first result of each piece, as far as this process has heard. */
  readonly results = new Map<number, StoredPiece<R>>();
  /** Every other one. */
  readonly others: { readonly piece: number; readonly stored: StoredPiece<R> }[] = [];
  /** Why what others have stored cannot be read. */
  unreadable: UsageError | null = null;
  /** Called with every result, and with one that cannot be read. */
  onResult: () => void = () => {};
  private readonly token: string;
  private readonly terms: string;
  private readonly here: { unsubscribe(): void };
  private queue!: JetStream.Consumer;
  private filled = 0;

  /** @throws UsageError where there is no client, no server, no JetStream, or a job of another program under this name. */
  static async open<R>(url: string, job: Job<R>): Promise<JobStreams<R>> {
    const client = await loadClient();
    const connection = await connected(url, client);
    try {
      const jsm = await client.jetStream.jetstreamManager(connection, { timeout: ANSWER_MS }).catch((error: Error) => {
        if (error.name !== 'JetStreamNotEnabled' && !/jetstream/i.test(error.message)) throw error;
        throw new UsageError(`the server at ${url} has no JetStream; start it with it: nats-server -js`);
      });
      const streams = new JobStreams(job, client.jetStream, connection, jsm);
      await streams.begin(url);
      return streams;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }

  private constructor(
    private readonly job: Job<R>,
    private readonly api: typeof JetStream,
    private readonly connection: NatsConnection,
    private readonly jsm: JetStream.JetStreamManager,
  ) {
    this.token = job.name.replaceAll(/[^\w-]+/g, '-');
    this.terms = JSON.stringify({ job: job.name, ...job.terms });
    this.here = connection.subscribe(this.subject('here'), {
      callback: (_, message: Msg) => void message.respond(JSON.stringify({ id: this.id, terms: this.terms })),
    });
  }

  private subject(...words: readonly (string | number)[]): string {
    return ['quiver', 'share', this.token, ...words].join('.');
  }

  get resultsName(): string {
    return `quiver-${this.token}-results`;
  }

  get queueName(): string {
    return `quiver-${this.token}-queue`;
  }

  /** When there is no connection any more, and none is tried. */
  closed(): Promise<void | Error> {
    return this.connection.closed();
  }

  private async begin(url: string): Promise<void> {
    await this.connection.flush();
    await this.make(url);
    await this.jsm.streams.add({
      name: this.queueName,
      description: this.terms,
      subjects: [this.subject('piece')],
      retention: this.api.RetentionPolicy.Workqueue,
    });
    await this.jsm.consumers.add(this.queueName, {
      durable_name: 'workers',
      ack_policy: this.api.AckPolicy.Explicit,
      ack_wait: ACK_MS * NANOS,
    });
    this.queue = await this.jsm.jetstream().consumers.get(this.queueName, 'workers');
    await this.follow();
  }

  /** The stream of results; of another program's nothing is taken, and what nobody works on any more is taken away. */
  private async make(url: string): Promise<void> {
    const config = {
      name: this.resultsName,
      description: this.terms,
      subjects: [this.subject('result', '*'), this.subject('again', '*')],
    };
    for (let attempt = 0; ; attempt++) {
      const made = await this.jsm.streams.add(config).then(
        () => true,
        (error: unknown) => {
          if (error instanceof this.api.JetStreamApiError && error.code === NAME_IN_USE) return false;
          throw error;
        },
      );
      if (made) return;
      const { description = '{}' } = (await this.jsm.streams.info(this.resultsName)).config;
      const isUnderWay = (await this.othersHere(HERE_MS, Infinity)).some(({ terms }) => terms === description);
      if (isUnderWay || attempt > 0) throw new UsageError(this.differenceTo(description, url));
      console.error(`quiver: what others have left of "${this.job.name}" at ${url} is of another program, and is taken away`);
      await this.remove();
    }
  }

  private differenceTo(description: string, url: string): string {
    const theirs = JSON.parse(description) as Record<string, unknown>;
    const ours: Record<string, unknown> = { ...this.job.terms };
    const told = Object.keys(ours)
      .filter((name) => ours[name] !== theirs[name])
      .map((name) => `${name} ${String(theirs[name])} there and ${String(ours[name])} here`);
    return `"${this.job.name}" at ${url} is under way with another program: ${told.join(', ')}; give all the same, or wait until it is over`;
  }

  /** Of each piece, the first result and all others, from the beginning on. */
  private async follow(): Promise<void> {
    const messages = await (await this.jsm.jetstream().consumers.get(this.resultsName)).consume();
    const hear = async () => {
      for await (const message of messages) {
        const [kind, number] = message.subject.split('.').slice(-2) as [string, string];
        const stored = this.read(Number(number), message.data);
        if (stored === null) return;
        if (kind === 'result') this.results.set(Number(number), stored);
        else this.others.push({ piece: Number(number), stored });
        this.onResult();
      }
    };
    hear().catch(() => {});
  }

  /** `null`: nobody goes on with what others than workers have stored. */
  private read(piece: number, data: Uint8Array): StoredPiece<R> | null {
    try {
      const stored: unknown = JSON.parse(gunzipSync(data).toString());
      if (!Number.isSafeInteger(piece) || !isStoredPiece<R>(stored)) throw new Error('it is no result');
      return stored;
    } catch (error) {
      const what = Number.isSafeInteger(piece) ? `the result of ${this.job.titleOf(piece)}` : 'a result';
      this.unreadable = new UsageError(
        `${what} of "${this.job.name}" cannot be read (${(error as Error).message}): something else than a worker has published it to ${this.subject('result')}; ` +
          'all who take part end, and the last takes what is stored away; let nobody else publish there, and start again',
      );
      this.onResult();
      return null;
    }
  }

  /** So many pieces are in the queue, or have been. */
  async fill(count: number): Promise<void> {
    while (this.filled < count) {
      const { last_seq: last } = (await this.jsm.streams.info(this.queueName)).state;
      this.filled = last;
      const next = Array.from({ length: Math.max(0, Math.min(FILL_AT_ONCE, count - last)) }, (_, i) => last + i);
      // Others may be filling it, too: then the server refuses these.
      const publish = (lastSequence: number) => this.publish(this.subject('piece'), '', { lastSequence });
      await Promise.all(next.map(publish));
    }
  }

  /** `false` where something else was published before. */
  private async publish(
    subject: string,
    data: Payload,
    expect: NonNullable<JetStream.JetStreamPublishOptions['expect']>,
  ): Promise<boolean> {
    try {
      await this.jsm.jetstream().publish(subject, data, { expect, timeout: ANSWER_MS });
      return true;
    } catch (error) {
      if (error instanceof this.api.JetStreamApiError && WRONG_SEQUENCE.has(error.code)) return false;
      throw error;
    }
  }

  /** The next piece, or nothing for a while. */
  async next(): Promise<HandedOut | null> {
    const message = await this.queue.next({ expires: ANSWER_MS });
    return message && { piece: message.seq - 1, time: message.info.deliveryCount, message };
  }

  async isStored(piece: number): Promise<boolean> {
    return (await this.jsm.streams.getMessage(this.resultsName, { last_by_subj: this.subject('result', piece) })) !== null;
  }

  /** Keeps the result, and only then takes the piece out of the queue. */
  async store({ piece, message }: HandedOut, ending: PieceEnding<R>): Promise<void> {
    const data = this.packed(piece, ending);
    const isFirst = await this.publish(this.subject('result', piece), data, { lastSubjectSequence: 0 });
    if (!isFirst && !(await this.isOwn(piece))) await this.publish(this.subject('again', piece), data, {});
    await message.ackAck();
  }

  private packed(piece: number, ending: PieceEnding<R>): Buffer {
    const pack = (stored: StoredPiece<R>) => gzipSync(JSON.stringify(stored));
    const data = pack({ by: this.id, ending });
    const most = this.connection.info?.max_payload ?? Infinity;
    if (data.length < most - 1_000) return data;
    const title = this.job.titleOf(piece);
    const broken = `what came of ${title} has ${data.length} bytes, and the server takes ${most} at most; raise its max_payload, or run ${title} alone`;
    return pack({ by: this.id, ending: { broken, isUsage: true } });
  }

  /** Its first answer may have been lost. */
  private async isOwn(piece: number): Promise<boolean> {
    const message = await this.jsm.streams.getMessage(this.resultsName, { last_by_subj: this.subject('result', piece) });
    return message !== null && this.read(piece, message.data)?.by === this.id;
  }

  /** Whether somebody has taken the streams away. */
  async areGone(): Promise<boolean> {
    return this.jsm.streams.info(this.resultsName).then(
      () => false,
      (error: unknown) => error instanceof this.api.JetStreamApiError && error.code === NOT_FOUND,
    );
  }

  private async othersHere(maxWait: number, maxMessages: number): Promise<readonly { id: string; terms: string }[]> {
    const answers: { id: string; terms: string }[] = [];
    try {
      const strategy = maxMessages === 1 ? 'count' : 'timer';
      const options = { strategy, maxWait, ...(maxMessages === 1 && { maxMessages }) } as const;
      for await (const message of await this.connection.requestMany(this.subject('here'), '', options))
        answers.push(message.json());
    } catch {
      // Nobody listens.
    }
    return answers.filter(({ id }) => id !== this.id);
  }

  /** Whoever is the last takes the streams away. */
  async leave(): Promise<void> {
    if (this.connection.isClosed()) return;
    this.here.unsubscribe();
    await this.connection.flush();
    if ((await this.othersHere(HERE_MS, 1)).length === 0) await this.remove();
    await this.connection.close();
  }

  private async remove(): Promise<void> {
    for (const name of [this.queueName, this.resultsName]) await this.jsm.streams.delete(name).catch(() => false);
  }
}

/** Codes of JetStream: a stream of this name with another configuration; no stream of this name; not the next message, of a stream or of a subject. */
const NAME_IN_USE = 10058;
const NOT_FOUND = 10059;
const WRONG_SEQUENCE = new Set([10071, 10164]);
