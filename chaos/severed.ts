/** A transport with a partition, possibly in one direction only. Messages in flight still arrive. */
import { createTransport } from '../adapters/transports/driver.js';
import type { Transport } from '../adapters/transports/transport.js';

export interface SeveredTransport extends Transport {
  /** Stops delivering to these peers from now on. */
  cut(unreached: readonly string[]): void;
}

export function severed(inner: Transport): SeveredTransport {
  let off: readonly string[] = [];
  const transport = createTransport(inner.id, { ...inner.guarantees, presence: 'none' }, async (medium) => {
    inner.events.subscribe((event) => {
      if (event.type === 'message') medium.received(event.from, event.message);
      else if (event.type === 'closed' && event.error) medium.broke(event.error);
    });
    await inner.connect();
    medium.opened({
      send: (to, message) => {
        if (!off.includes(to)) inner.send(to, message);
      },
      close: () => inner.close(),
    });
  });
  return Object.assign(transport, { cut: (unreached: readonly string[]) => void (off = unreached) });
}
