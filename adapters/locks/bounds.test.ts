/** Grants in a loop; in bounds.deep.ts so many that their epoch runs out of numbers. And more locks at once than a peer has room for. */
import { expect, onTestFinished, test } from 'vitest';
import { MapStorage } from '../storage/map.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import { grantsAtFollower } from './grants.fixture.js';
import { createLocks } from './locks.js';

test('five hundred grants in a loop at a follower: fences are unique, and grow', async () => {
  const fences = await grantsAtFollower(500);
  expect(fences.findIndex((fence, i) => i > 0 && fence <= fences[i - 1]!)).toBe(-1);
});

test('one lock more than a peer has room for is refused by name, however it is asked for, and is there once another one is released', async () => {
  const place = Symbol.for('xstate-quiver.limits');
  const settings = globalThis as Record<symbol, unknown>;
  settings[place] = 'small';
  onTestFinished(() => void delete settings[place]);
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const [a, b] = ['a', 'b'].map((id) =>
    createLocks({ transport: bus.transport(id), peers: ['a', 'b'], storage: new MapStorage() }),
  );
  const held = await Promise.all(Array.from({ length: 8 }, (_, i) => a!.acquire(`x${i}`)));
  const refused = {
    name: 'UsageError',
    message: 'lock "y" is one too many at peer "a": 8 others are held or waited for there, which is the most; release some first',
  };
  await expect(a!.acquire('y')).rejects.toMatchObject(refused);
  await expect(a!.request('y', () => {})).rejects.toMatchObject(refused);
  await expect(a!.acquire('y', { ifAvailable: true })).rejects.toMatchObject(refused);
  // Of names that are in use here, and at other peers, there is no shortage.
  const again = a!.acquire('x0');
  expect(await b!.request('y', ({ name }) => name)).toBe('y');
  held[0]!.release();
  (await again).release();
  expect(await a!.request('y', ({ name }) => name)).toBe('y');
});
