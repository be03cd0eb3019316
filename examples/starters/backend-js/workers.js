import { createLocks } from 'xstate-quiver/locks';
import { InProcessBus } from 'xstate-quiver/transports';

/** Three peers in one program. In production each is a process, and its transport is `webSocket`, `webSocketMesh`, `nats` or `mqtt`. */
export function createWorkers(peers = ['a', 'b', 'c']) {
  const bus = new InProcessBus();
  return peers.map((id) => createLocks({ transport: bus.transport(id), peers }));
}

/** Sends each invoice that no other worker has sent, while this worker holds the lock. */
export async function work(locks, store, invoices) {
  for (const invoice of invoices)
    await locks.request('invoices', { retry: true }, ({ fence, signal }) => {
      signal.throwIfAborted(); // the lock is lost: another worker continues
      if (!store.sent.some((one) => one.invoice === invoice)) store.send(invoice, fence);
    });
}
