/** A change of members is announced after it is stored: the storage of its caller fails at each write in turn. */
import { onTestFinished, test, expect } from 'vitest';
import { MapStorage } from '../storage/map.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import type { Json } from '../transports/transport.js';
import { createLocks, type Locks } from './locks.js';

class FailingStorage extends MapStorage {
  /** This many further writes are stored. */
  left = Infinity;

  override async save(key: string, value: Json): Promise<void> {
    if (this.left-- <= 0) this.failure ??= new Error('ENOSPC: no space left on device');
    await super.save(key, value);
  }
}

const founders = ['a', 'b', 'c'];

/** `a` adds `d`, and its storage fails after this many writes: both end, `a` restarts, and returns the resulting members. */
async function adding(writes: number) {
  const bus = new InProcessBus();
  const storages = new Map(['a', 'b', 'c', 'd'].map((id) => [id, new FailingStorage()]));
  const running: Locks[] = [];
  onTestFinished(async () => {
    await Promise.all(running.map((locks) => locks.close({ withinMs: 0 })));
    bus.close();
  });
  const start = (id: string) => {
    const who = id === 'd' ? { join: true as const } : { peers: founders };
    const locks = createLocks({ transport: bus.transport(id), storage: storages.get(id)!, ...who });
    running.push(locks);
    return locks;
  };
  const all = founders.map(start);
  const [a, b] = all as [Locks, Locks];
  const d = start('d');
  await Promise.all(all.map(({ ready }) => ready));
  await expect.poll(() => a.transport.peers.has('d')).toBe(true);
  const ended = a.node.closed.then(() => d.transport.close());
  storages.get('a')!.left = writes;
  const outcome = await a.addMember('d').then(
    () => 'decided',
    ({ name }: Error) => name,
  );
  if (storages.get('a')!.failure === null) return { outcome, members: b.members, hasFailed: false };
  await ended;
  await a.transport.close();
  Object.assign(storages.get('a')!, { left: Infinity, failure: null });
  await start('a').ready;
  await b.request('anything', () => {});
  return { outcome, members: b.members, hasFailed: true };
}

test('an announced member is among the members, whichever write was the last', async () => {
  const outcomes: string[] = [];
  for (let writes = 0, hasFailed = true; hasFailed; writes++) {
    const added = await adding(writes);
    ({ hasFailed } = added);
    outcomes.push(added.outcome);
    if (added.outcome === 'decided') expect([writes, added.members]).toEqual([writes, ['a', 'b', 'c', 'd']]);
  }
  // Its own promise, and the epoch that brings the list.
  expect(outcomes.slice(0, 3)).toEqual(['StorageError', 'StorageError', 'decided']);
});
