/** Grants in a loop at a follower, over links that delay: their fences, in their order. */
import { onTestFinished } from 'vitest';
import { linked } from '../linked.js';
import { hostile } from '../transports/hostile.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import { createLocks, type Locks } from './locks.js';

export async function grantsAtFollower(count: number): Promise<number[]> {
  const ids = ['a', 'b', 'c'];
  const bus = new InProcessBus();
  const transports = ids.map((id, seed) =>
    linked(hostile(bus.transport(id), { seed, loss: 0, duplicate: 0, delayMs: 1 }), { peers: ids }),
  );
  const [a, b, c] = transports.map((transport) => createLocks({ transport, peers: ids })) as [Locks, Locks, Locks];
  onTestFinished(async () => {
    await Promise.all(transports.map((transport) => transport.close()));
    bus.close();
  });
  await Promise.all([a.ready, b.ready, c.ready]);
  const fences: number[] = [];
  for (let i = 0; i < count; i++) fences.push(await b.request('x', ({ fence }) => fence));
  return fences;
}
