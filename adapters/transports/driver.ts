/**
 * The life cycle of every transport: idle, connecting, open, closed.
 *
 * A driver handles only one medium. `createTransport` adds promises, repeated calls and late deliveries. Reports of a driver after `close`
 * are dropped here.
 */
import { Subject, Subscription } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { environmentOf } from '../environment.js';
import { ClosedError } from './errors.js';
import { checkId } from './ids.js';
import { later } from './later.js';
import { abortable } from './promises.js';
import { escape, quote, write } from './reading.js';
import type { Guarantees, Json, Transport, TransportEvent } from './transport.js';
import { fieldsOf } from '../../machines/checks.js';

export type { Guarantees, Json, Linked, Reliable, Transport, TransportEvent } from './transport.js';

/**
 * An open connection of a driver, through which a transport sends.
 *
 * @public
 */
export interface Connection {
  /** `text` is the message as JSON, within the limits of the guarantees. */
  send(to: NodeId, message: Json, text: string): void;
  /** Called once, when the transport closes. */
  close(): void | Promise<void>;
}

/**
 * Receiver of the reports of a driver.
 *
 * @public
 */
export interface DriverListener {
  /** The connection is open. From this call on, the transport sends through it. */
  opened(connection: Connection): void;
  /** A message was received. */
  received(from: NodeId, message: Json): void;
  /** A peer is connected. */
  up(peer: NodeId): void;
  /** A peer is gone. */
  down(peer: NodeId): void;
  /** The process of a peer has probably ended. */
  gone(peer: NodeId): void;
  /** The connection is lost. Only a new one helps. */
  lost(error: Error): void;
  /** The connection failed for good. Retrying does not help. */
  broke(error: Error): void;
}

/**
 * Opens a connection. `signal` aborts it until it is `opened`. Throws if it failed and a retry may succeed.
 *
 * @public
 */
export type Driver = (medium: DriverListener, signal: AbortSignal) => void | Promise<void>;

/**
 * Creates a transport from a driver. A driver handles only its medium; repeated calls, aborts, late deliveries and the limits of messages
 * are handled here.
 *
 * @param id the id of this peer, of 1 to 255 characters.
 * @param guarantees what the medium guarantees; `transportConformance` tests the transport against it.
 * @returns a transport that is not connected yet.
 * @throws UsageError for an invalid id.
 * @example
 * ```ts
 * import { createTransport, type DriverListener } from 'xstate-quiver/transports';
 *
 * const [room, messageBytesMax] = [new Map<string, DriverListener>(), 1_000];
 * const guarantees = { order: 'fifo', loss: 'possible', duplication: 'none', presence: 'none', identity: 'claimed', messageBytesMax } as const;
 * const inRoom = (id: string) =>
 *   createTransport(id, guarantees, (medium) => {
 *     room.set(id, medium);
 *     medium.opened({
 *       send: (to, message) => queueMicrotask(() => room.get(to)?.received(id, message)),
 *       close: () => void room.delete(id),
 *     });
 *   });
 * await inRoom('a').connect();
 * ```
 * @public
 */
export function createTransport<const G extends Guarantees>(id: NodeId, guarantees: G, driver: Driver): Transport<G> {
  checkId(id, 'the id of a transport');
  checkGuarantees(guarantees);
  return new DrivenTransport(id, guarantees, driver);
}

const CHOICES: Readonly<Record<Exclude<keyof Guarantees, 'messageBytesMax'>, readonly string[]>> = {
  order: ['fifo', 'unordered'],
  loss: ['none', 'possible'],
  duplication: ['none', 'possible'],
  presence: ['reported', 'none'],
  identity: ['checked', 'claimed'],
};

function checkGuarantees(guarantees: Guarantees): void {
  if (typeof guarantees !== 'object' || guarantees === null)
    throw new UsageError(
      `createTransport: guarantees is ${String(guarantees)}. Pass an object with the guarantees of the transport`,
    );
  for (const [key, choices] of Object.entries(CHOICES)) {
    const value = fieldsOf(guarantees)[key];
    if (!choices.some((choice) => choice === value))
      throw new UsageError(`createTransport: guarantees.${key} is ${show(value)}. Choose ${choices.join(' or ')}`);
  }
  const { messageBytesMax } = guarantees;
  if (!Number.isSafeInteger(messageBytesMax) || messageBytesMax < 1)
    throw new UsageError(
      `createTransport: guarantees.messageBytesMax is ${show(messageBytesMax)}. Pass the largest message in bytes, an integer of at least 1`,
    );
}

const show = (value: unknown): string =>
  value === undefined ? 'missing' : typeof value === 'string' ? `"${value}"` : String(value);

const GIVE_UP_MS_MAX = 1_000;

class DrivenTransport<G extends Guarantees> implements Transport<G>, DriverListener {
  readonly events = new Subject<TransportEvent>();
  readonly peers = new Set<NodeId>();
  private readonly ending = new AbortController();
  private opening: Promise<void> | undefined;
  private settleOpening: (() => void) | undefined;
  private connection: Connection | undefined;
  private closing: Promise<void> | undefined;
  /** The driver while it opens or aborts a connection. */
  private driving: Promise<unknown> | undefined;

  constructor(
    readonly id: NodeId,
    readonly guarantees: G,
    private readonly driver: Driver,
  ) {}

  get isClosed(): boolean {
    return this.ending.signal.aborted;
  }

  connect({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    if (signal?.aborted) return Promise.reject(signal.reason);
    if (this.isClosed) return Promise.reject(this.closedError());
    return abortable((this.opening ??= this.open()), signal);
  }

  send(to: NodeId, message: Json): void {
    if (this.isClosed) throw this.closedError();
    if (!this.connection) throw new ClosedError(`transport "${this.id}" is not connected. Await connect() before you send`);
    if (to === this.id) throw new UsageError(`transport "${this.id}" does not send to itself. Handle the message locally`);
    if (typeof to !== 'string')
      throw new UsageError(`transport "${this.id}" sends to peer ids: ${quote(to)} is not a string. Pass an id`);
    this.connection.send(to, message, write(message, this.guarantees.messageBytesMax, `transport "${this.id}"`));
  }

  close(): Promise<void> {
    return this.closing ?? this.beginToClose(null);
  }

  opened(connection: Connection): void {
    if (this.isClosed) this.driving = Promise.resolve(connection.close());
    else this.connection = connection;
    this.settleOpening?.();
  }

  received(from: NodeId, message: Json): void {
    if (!this.isClosed) this.events.next({ type: 'message', from, message });
  }

  up(peer: NodeId): void {
    if (this.isClosed || this.peers.has(peer)) return;
    this.peers.add(peer);
    this.events.next({ type: 'up', peer });
  }

  down(peer: NodeId): void {
    if (this.isClosed || !this.peers.delete(peer)) return;
    this.events.next({ type: 'down', peer });
  }

  gone(peer: NodeId): void {
    if (!this.isClosed && !this.peers.has(peer)) this.events.next({ type: 'gone', peer });
  }

  lost(error: Error): void {
    this.broke(error);
  }

  broke(error: Error): void {
    if (!this.closing) void this.beginToClose(error);
  }

  private async open(): Promise<void> {
    const { signal } = this.ending;
    const opened = new Promise<void>((resolve, reject) => {
      this.settleOpening = resolve;
      this.driving = Promise.resolve(this.driver(this, signal)).catch(reject);
    });
    try {
      await abortable(opened, signal);
    } catch (error) {
      this.opening = undefined;
      throw error;
    }
  }

  /** Marks the transport as closing before any subscriber is notified, because subscribers may call `close`. */
  private beginToClose(error: Error | null): Promise<void> {
    let settle!: (ended: Promise<void>) => void;
    this.closing = new Promise((resolve) => (settle = resolve));
    settle(this.end(error));
    return this.closing;
  }

  private async end(error: Error | null): Promise<void> {
    this.ending.abort(error ?? this.closedError());
    this.peers.clear();
    // Callers that still wait for connect() receive the error there.
    if (error && this.connection && !this.events.observed) this.warnOfEnd(error);
    this.events.next({ type: 'closed', error });
    this.events.complete();
    if (this.connection) await this.connection.close();
    else await this.givenUp();
  }

  /** Waits, for at most a second, until the driver has released its resources, such as a port. */
  private async givenUp(): Promise<void> {
    const deadline = new Subscription();
    const late = new Promise<void>((resolve) => later(deadline, environmentOf({}).clock, resolve, GIVE_UP_MS_MAX));
    await Promise.race([this.driving, late]);
    deadline.unsubscribe();
  }

  private warnOfEnd(error: Error): void {
    console.warn(escape(`transport "${this.id}" has ended: ${error.message}. Subscribe to its events to be notified`));
  }

  private closedError(): ClosedError {
    return new ClosedError(`transport "${this.id}" is closed. Create a new one`);
  }
}
