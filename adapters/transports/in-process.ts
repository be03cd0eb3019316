/**
 * The bus of peers that share a process: for tests, for examples, and for parts of one program.
 *
 * Messages are copied as JSON, as on any wire, and delivered in a microtask of their own: in order, none lost, none twice.
 */
import type { NodeId } from '../../machines/effects.js';
import { environmentOf } from '../environment.js';
import { createTransport } from './driver.js';
import { Hub, type Line, type LineListener } from './hub.js';
import { MESSAGE_BYTES_MAX } from './reading.js';
import { throughHub } from './through-hub.js';
import type { Transport } from './transport.js';

/** @internal */
export const inProcessGuarantees = {
  order: 'fifo',
  loss: 'none',
  duplication: 'none',
  presence: 'reported',
  identity: 'checked',
  messageBytesMax: MESSAGE_BYTES_MAX,
} as const;

export class InProcessBus {
  private readonly hub = new Hub();

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
