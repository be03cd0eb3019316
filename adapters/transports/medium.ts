/**
 * A medium for tests: RxJS operators on the messages that a live transport delivers, such as delay, throttle and loss.
 *
 * Messages from each peer pass through a separate operator. When a peer goes down, messages in its operator are lost, as on a broken
 * connection. After the transport has closed, no messages are delivered.
 */
import { Subject, type MonoTypeOperatorFunction, type Subscription } from 'rxjs';
import type { NodeId } from '../../machines/effects.js';
import { UsageError } from '../../machines/errors.js';
import { isTransport } from '../options.js';
import type { Guarantees, Json, Transport, TransportEvent } from './transport.js';

/** Guarantees of a transport with operators: none for its messages. */
interface Impaired extends Guarantees {
  readonly order: 'unordered';
  readonly loss: 'possible';
  readonly duplication: 'possible';
}

/**
 * Applies RxJS operators to the messages of a transport, for tests: messages are delivered when `operator` emits them. The result
 * guarantees neither order nor delivery, so wrap it in `linked` for locks and elections, as in production. Drop at random there: a link
 * repeats its messages in a fixed rhythm, and a fixed pattern can drop the same ones again.
 *
 * @param transport the transport to wrap.
 * @param operator returns the operator for messages from one peer, or `undefined` to deliver them unchanged.
 * @returns a transport that may lose, repeat and reorder messages.
 * @throws UsageError for an argument that is missing or wrong. An operator that fails closes the transport with its error.
 * @example
 * ```ts
 * import { delay, filter } from 'rxjs';
 * import { InProcessBus, withMedium } from 'xstate-quiver/transports';
 *
 * const bus = new InProcessBus();
 * let count = 0;
 * const slow = withMedium(bus.transport('a'), () => delay(50));
 * const lossy = withMedium(bus.transport('b'), (from) => (from === 'a' ? filter(() => count++ % 2 === 0) : undefined));
 * lossy.events.subscribe((event) => event.type === 'message' && console.log(event.message)); // 0, 2
 * await Promise.all([slow.connect(), lossy.connect()]);
 * for (const n of [0, 1, 2, 3]) slow.send('b', n);
 * setTimeout(() => bus.close(), 10);
 * ```
 * @public
 */
export function withMedium(
  transport: Transport,
  operator: (from: NodeId) => MonoTypeOperatorFunction<Json> | undefined,
): Transport<Impaired> {
  if (!isTransport(transport))
    throw new UsageError('withMedium takes a transport as its first argument, as in withMedium(webSocket({ id, url }), …)');
  if (typeof operator !== 'function')
    throw new UsageError(
      'withMedium takes a function that returns an operator. Pass one, as in withMedium(transport, () => delay(50))',
    );
  return new MediumTransport(transport, operator);
}

interface Channel {
  readonly source: Subject<Json>;
  readonly subscription: Subscription;
}

class MediumTransport implements Transport<Impaired> {
  readonly id: NodeId;
  readonly guarantees: Impaired;
  readonly events = new Subject<TransportEvent>();
  /** `null` for peers without an operator. */
  private readonly channels = new Map<NodeId, Channel | null>();
  private failure: Error | null = null;

  constructor(
    private readonly transport: Transport,
    private readonly operator: (from: NodeId) => MonoTypeOperatorFunction<Json> | undefined,
  ) {
    this.id = transport.id;
    this.guarantees = { ...transport.guarantees, order: 'unordered', loss: 'possible', duplication: 'possible' };
    transport.events.subscribe({ next: (event) => this.take(event), complete: () => this.events.complete() });
  }

  get peers(): ReadonlySet<NodeId> {
    return this.transport.peers;
  }

  get isClosed(): boolean {
    return this.transport.isClosed;
  }

  connect(options?: { readonly signal?: AbortSignal }): Promise<void> {
    return this.transport.connect(options);
  }

  send(to: NodeId, message: Json): void {
    this.transport.send(to, message);
  }

  close(): Promise<void> {
    this.drain();
    return this.transport.close();
  }

  private take(event: TransportEvent): void {
    if (event.type === 'message') return this.pass(event.from, event.message);
    if (event.type === 'closed') {
      this.drain();
      this.events.next({ ...event, error: this.failure ?? event.error });
      return;
    }
    if (event.type === 'down') this.channels.get(event.peer)?.subscription.unsubscribe();
    if (event.type === 'down') this.channels.delete(event.peer);
    this.events.next(event);
  }

  private pass(from: NodeId, message: Json): void {
    try {
      const known = this.channels.get(from);
      const channel = known === undefined ? this.open(from) : known;
      if (channel) channel.source.next(message);
      else this.events.next({ type: 'message', from, message });
    } catch (error) {
      this.fail(from, error);
    }
  }

  private open(from: NodeId): Channel | null {
    const operator = this.operator(from);
    const source = new Subject<Json>();
    const channel = operator
      ? {
          source,
          subscription: source.pipe(operator).subscribe({
            next: (message) => this.events.next({ type: 'message', from, message }),
            error: (error: unknown) => this.fail(from, error),
          }),
        }
      : null;
    this.channels.set(from, channel);
    return channel;
  }

  private fail(from: NodeId, cause: unknown): void {
    this.failure ??= new UsageError(`The medium of messages from "${from}" to "${this.id}" failed: ${String(cause)}`, { cause });
    void this.close();
  }

  private drain(): void {
    for (const channel of this.channels.values()) channel?.subscription.unsubscribe();
    this.channels.clear();
  }
}
