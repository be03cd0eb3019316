/** Actors that have stopped are forgotten, while their object lives on. */
import { createActor, type AnyActor } from 'xstate';
import { expect, onTestFinished, test } from 'vitest';
import { heapUsed } from '../testing/memory.js';
import { lockLogic } from './locks/lock.js';
import { createLocks } from './locks/locks.js';
import { createQuota, quotaLogic } from './quota.js';
import { InProcessBus } from './transports/in-process.js';

const COUNT = 10_000;

async function bytesOf(create: () => AnyActor): Promise<number> {
  for (let i = 0; i < COUNT; i++) {
    create().start().stop();
    if (i % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  return heapUsed();
}

test('ten thousand actors leave less than 50 bytes each at their locks and their quota', async () => {
  const bus = new InProcessBus();
  const locks = createLocks({ transport: bus.transport('a'), peers: ['a'] });
  const quota = createQuota({ transport: bus.transport('b'), peers: ['b'], budget: 1 });
  onTestFinished(() => Promise.all([locks.close(), quota.close()]).then(() => bus.close()));
  await Promise.all([locks.ready, quota.ready]);
  const create = [
    () => createActor(lockLogic, { input: { locks, name: 'printer' } }),
    () => createActor(quotaLogic, { input: { quota } }),
  ];
  for (const one of create) {
    const before = await bytesOf(one);
    expect((await bytesOf(one)) - before).toBeLessThan(50 * COUNT);
  }
});
