/** The locks of one peer, as much of them as a register uses, between peers that the test is. */
import { firstFence } from '../../machines/locks/epoch.js';
import { VirtualClock } from '../../network/clock.js';
import type { PeerStorage } from '../storage/storage.js';
import { createTransport, type DriverListener } from '../transports/driver.js';
import { inProcessGuarantees } from '../transports/guarantees.js';
import type { Json } from '../transports/transport.js';
import { Lock } from './lock-handle.js';
import type { Locks } from './locks.js';

export interface Options {
  readonly peers?: readonly string[];
  readonly storage?: PeerStorage;
  /** The epoch that this peer has served first; 5 unless given. */
  readonly served?: Promise<number>;
}

/** The fence of the first grant. */
export const FIRST = firstFence(5) + 10;

export const turn = () => new Promise<void>((resolve) => setImmediate(resolve));
/** The locks of peer `a`, as much of them as a register uses. Locks are granted at once, with fences of epoch 5. */
export async function locksOf({ peers = ['a', 'b', 'c'], storage, served = Promise.resolve(5) }: Options = {}) {
  let medium!: DriverListener;
  const sent: { to: string; name: string; message: any }[] = [];
  const transport = createTransport('a', inProcessGuarantees, (given) => {
    medium = given;
    given.opened({
      send: (to, envelope) => {
        const { name, message } = envelope as { name: string; message: Json };
        sent.push({ to, name, message });
      },
      close: () => {},
    });
  });
  await transport.connect();
  const clock = new VirtualClock();
  const granted: Lock[] = [];
  const asked: unknown[][] = [];
  const released: Lock[] = [];
  let end!: (error: Error | null) => void;
  const crypto = { getRandomValues: (words: Uint32Array) => words.fill(70), randomUUID: () => '' };
  const locks = {
    node: { id: 'a', name: 'locks', environment: { clock, crypto }, closed: new Promise((resolve) => (end = resolve)) },
    transport,
    peers,
    storage,
    served,
    request: () => {},
    close: () => {},
    acquire: async (...given: unknown[]) => {
      asked.push(given);
      const lock = new Lock(given[0] as string, FIRST + granted.length, 'exclusive', (lock) => void released.push(lock));
      granted.push(lock);
      return lock;
    },
  };
  const say = (from: string, message: object, name = 'locks/x') => medium.received(from, { v: 1, name, message } as Json);
  return { locks: locks as unknown as Locks, medium, clock, sent, granted, asked, released, end, say };
}
