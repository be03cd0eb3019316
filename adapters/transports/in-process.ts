/**
 * The bus of peers that share a process: for tests, for examples, and for parts of one program.
 *
 * Messages are copied as JSON, as on any wire, and delivered in their own microtask: in order, none lost, none twice.
 */
import type { NodeId } from '../../machines/effects.js';
import { environmentOf } from '../environment.js';
import { createTransport } from './driver.js';
import { inProcessGuarantees } from './guarantees.js';
import { Hub, type Line, type LineListener } from './hub.js';
import { throughHub } from './through-hub.js';
import type { Transport } from './transport.js';

/**
 * The bus of peers that share a process, for tests, for examples and for parts of one program: ordered, nothing lost, nothing
 * twice, and everybody is told who is there.
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

  /**
   * The transport of one peer, not connected yet; a second one of the same id is refused when it connects, while the first is
   * there.
   *
   * @throws UsageError for an id that is none.
   */
  transport(id: NodeId): Transport<typeof inProcessGuarantees> {
    return createTransport(
      id,
      inProcessGuarantees,
      throughHub({ id, key: environmentOf({}).crypto.randomUUID() }, () => {
        const [near, far] = [new End(), new End()];
        near.other = far;
        far.other = near;
        this.hub.attach(far);
        return near;
      }),
    );
  }

  /** Closes everybody's connection: their transports end with an error, unless they are closed already. */
  close(): void {
    this.hub.close();
  }
}

/** One end of a line of two functions. */
class End implements Line {
  other: End | undefined;
  private listener: LineListener | undefined;
  private closed = false;

  listen(listener: LineListener): void {
    this.listener = listener;
  }

  send(text: string): void {
    if (!this.closed) queueMicrotask(() => this.other?.listener?.frame(text));
  }

  close(): void {
    if (this.closed) return;
    this.closed = true;
    queueMicrotask(() => this.other?.hangUp());
  }

  private hangUp(): void {
    if (this.closed) return;
    this.closed = true;
    this.listener?.closed();
  }
}
