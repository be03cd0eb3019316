/** The bounds of an epoch, reached: the numbers of its grants. */
import { expect, onTestFinished, test } from 'vitest';
import { linked } from '../linked.js';
import { hostile } from '../transports/hostile.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import { createLocks, type Locks } from './locks.js';

test('eight and a half thousand grants in a loop at a follower: fences are unique, grow, and stay in their epoch', async () => {
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
  for (let i = 0; i < 8_500; i++) fences.push(await b.request('x', ({ fence }) => fence));
  expect(fences.findIndex((fence, i) => i > 0 && fence <= fences[i - 1]!)).toBe(-1);
}, 60_000);
