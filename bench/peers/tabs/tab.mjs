// One of two tabs; its name is in the address.
import { broadcastChannel } from '../../../dist/adapters/transports/broadcast-channel.js';
import { linked } from '../../../dist/adapters/linked.js';
import { createLocks } from '../../../dist/adapters/locks/locks.js';
import { createTabLocks } from '../../../dist/adapters/locks/tab-locks.js';

const peers = ['a', 'b'];

async function quiver() {
  const transport = linked(broadcastChannel({ id: location.search.slice(1) }), { peers });
  const locks = createLocks({ transport, peers });
  await locks.ready;
  return locks;
}

/** Takes the lock and keeps it; how long it waited since it opened its channel. */
globalThis.take = async (kind) => {
  const asked = performance.now();
  if (kind === 'tabs without Web Locks') delete Navigator.prototype.locks;
  const locks = kind === 'navigator' ? navigator.locks : createTabLocks();
  return new Promise((resolve) => {
    void locks.request('bench', () => {
      resolve(performance.now() - asked);
      return new Promise(() => {});
    });
  });
};

/** Wants the lock for so long; how long each request waited. */
globalThis.contend = async (kind, forMs) => {
  const locks = kind === 'quiver' ? await quiver() : navigator.locks;
  const waits = [];
  const once = async () => {
    const asked = performance.now();
    await locks.request('bench', () => void waits.push(performance.now() - asked));
  };
  await once();
  waits.length = 0;
  for (const end = performance.now() + forMs; performance.now() < end;) await once();
  // The other tab may still need data of this tab.
  if (kind === 'quiver') await new Promise((resolve) => setTimeout(resolve, 500));
  return waits;
};
