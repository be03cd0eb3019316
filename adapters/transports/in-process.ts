/**
 * The bus of peers that share a process: for tests, for examples, and for parts of one program.
 *
 * Messages are copied as JSON, as on any wire, and delivered in a microtask of their own: in order, none lost, none twice.
 */
import type { NodeId } from '../../machines/effects.js';
import { createTransport } from './driver.js';
import { Hub, throughHub, type Line, type LineListener } from './hub.js';
import type { Json, Transport } from './transport.js';

export const inProcessGuarantees = {
  order: 'fifo',
  loss: 'none',
  duplication: 'none',
  presence: 'reported',
  identity: 'checked',
} as const;

export class InProcessBus {
  private readonly hub = new Hub();

  transport(id: NodeId): Transport<typeof inProcessGuarantees> {
    return createTransport(
      id,
      inProcessGuarantees,
      throughHub(id, () => {
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

  send(frame: Json): void {
    if (this.closed) return;
    const text = JSON.stringify(frame);
    queueMicrotask(() => this.other?.listener?.frame(JSON.parse(text)));
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
