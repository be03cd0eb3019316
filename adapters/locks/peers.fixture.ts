/** Peers of locks in one process, for tests. */
import { onTestFinished } from 'vitest';
import { InProcessBus } from '../transports/in-process.js';
import type { Linked, Transport } from '../transports/transport.js';
import { createLocks, type Locks } from './locks.js';

type Peers = [Record<string, Locks>, Record<string, Transport<Linked>>];

/** They serve already, and end with the test. */
export async function peers(...ids: string[]): Promise<Peers> {
  const bus = new InProcessBus();
  const transports = Object.fromEntries(ids.map((id) => [id, bus.transport(id)]));
  const locks = Object.fromEntries(ids.map((id) => [id, createLocks({ transport: transports[id]!, peers: ids })]));
  onTestFinished(async () => {
    await Promise.all(Object.values(locks).map((each) => each.close()));
    bus.close();
  });
  await Promise.all(Object.values(locks).map(({ ready }) => ready));
  return [locks, transports];
}

/** Lets everything that is under way in this process happen. */
export const settled = () => new Promise((resolve) => setImmediate(resolve));
