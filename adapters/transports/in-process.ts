/**
 * A bus for peers that share a process: for tests, examples, and parts of one program.
 *
 * Messages are copied as JSON, as on a network, and delivered in separate microtasks: in order, without loss or duplication.
 */
import type { NodeId } from '../../machines/effects.js';
import { environmentOf } from '../environment.js';
import { createTransport } from './driver.js';
import { inProcessGuarantees } from './guarantees.js';
import { Hub, type Line, type LineListener } from './hub.js';
import { throughHub } from './through-hub.js';
import type { Transport } from './transport.js';

/**
 * A bus for peers that share a process: for tests, examples, and parts of one program. It keeps the order, neither loses nor duplicates
 * messages, and reports which peers are up.
 *
 * @example
 * ```ts
 * import { InProcessBus } from 'xstate-quiver/transports';
 *
 * const bus = new InProcessBus();
 * const [a, b] = [bus.transport('a'), bus.transport('b')];
 * b.events.subscribe((event) => event.type === 'message' && console.log(event.from, event.message));
 * await Promise.all([a.connect(), b.connect()]);
 * a.send('b', { hello: 'world' });
 * ```
 * @public
 */
export class InProcessBus {
  private readonly hub = new Hub();
  /** Transports that are connected, or connect. */
  private readonly open = new Set<Transport>();

  /**
   * Creates the transport of one peer, not connected yet. While it is connected, a second one of the same id is refused.
   *
   * @throws UsageError for an invalid id.
   */
  transport(id: NodeId): Transport<typeof inProcessGuarantees> {
    const transport = createTransport(
      id,
      inProcessGuarantees,
      throughHub({ id, key: environmentOf({}).crypto.randomUUID() }, () => {
        const [near, far] = [new End(() => this.open.delete(transport)), new End()];
        near.other = far;
        far.other = near;
        this.open.add(transport);
        this.hub.attach(far);
        return near;
      }),
    );
    return transport;
  }

  /** Closes all transports that are still open. */
  close(): void {
    for (const transport of this.open) void transport.close();
    this.hub.close();
  }
}

class End implements Line {
  other: End | undefined;
  private listener: LineListener | undefined;
  private closed = false;

  constructor(private readonly ended: () => void = () => {}) {}

  listen(listener: LineListener): void {
    this.listener = listener;
  }

  send(text: string): void {
    if (!this.closed) queueMicrotask(() => this.other?.listener?.frame(text));
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    this.ended();
    queueMicrotask(() => this.other?.hangUp());
  }

  private hangUp(): void {
    if (this.closed) return;
    this.closed = true;
    this.ended();
    this.listener?.closed();
  }
}
