import { expect, test, vi } from 'vitest';
import { EPOCHS } from '../../machines/locks/messages.js';
import { bytesOfLocks, bytesOfRecords, shareOf } from '../../machines/locks/room.js';
import { BOUNDS } from '../../machines/locks/epoch.js';
import { LINKED_MESSAGE_BYTES_MAX } from '../linked.js';
import type { LiveNode } from '../node/node.js';
import { inProcessGuarantees } from '../transports/guarantees.js';
import { LockQueues } from './lock-queues.js';
import type { LockQueue } from './lock-queue.js';

const voters = ['a', 'b', 'c'];
const wants = [{ node: 'x', lock: 'of a client' }];
/** A voter to which client `x` is attached, with what it wants. */
const hosting = {
  id: 'a',
  role: (role: string) =>
    role === EPOCHS ? { context: { clients: [{ id: 'x' }], records: [], claims: [{ lock: 'of a client' }], wants } } : undefined,
} as unknown as LiveNode;

test("a voter's own locks have the room that its clients' names and records leave", () => {
  const own = bytesOfLocks(['mine'], voters);
  const theirs = bytesOfLocks(['of a client'], voters) + bytesOfRecords({ id: 'a', wants });
  const fits = (bytes: number) => () => new LockQueues().requireRoom('mine', hosting, bytes / shareOf(1, voters), voters);
  expect(fits(own + theirs + 1)).not.toThrow();
  expect(fits(own + theirs - 1)).toThrow(
    /^lock "mine" exceeds the limit of peer "a".* with names of this length. Release some first$/,
  );
});

/** A voter with these claims of its clients. */
const voter = (context?: object) => ({ id: 'a', role: () => context && { context } }) as unknown as LiveNode;
const queueOf = (isIdle = true) => ({ isIdle, lost: vi.fn(), refused: vi.fn() }) as never as LockQueue;
const share = (bytes: number) => bytes / shareOf(1, voters);

test("without clients, or before it participates, a peer's locks have all the room", () => {
  const bytes = bytesOfLocks(['mine', 'other'], voters);
  for (const node of [voter(), voter({}), voter({ clients: [], records: [], claims: [{ lock: 'of a client' }], wants })]) {
    const queues = new LockQueues();
    queues.set('other', queueOf()).set('other', queueOf());
    expect(() => queues.requireRoom('mine', node, share(bytes + 1), voters)).not.toThrow();
    expect(() => queues.requireRoom('mine', node, share(bytes - 1), voters)).toThrow(
      'lock "mine" exceeds the limit of peer "a": 1 others are already held or requested there, the maximum with names of this length. Release some first',
    );
    expect([queues.delete('other'), queues.delete('other')]).toEqual([true, false]);
    const alone = bytesOfLocks(['mine'], voters);
    expect(() => queues.requireRoom('mine', node, share(alone + 1), voters)).not.toThrow();
    expect(() => queues.requireRoom('mine', node, share(alone - 1), voters)).toThrow('exceeds the limit');
  }
});

test('records of clients that have gone take room, and a lock that is held here once', () => {
  const gone = voter({ clients: [], records: [{}], claims: [{ lock: 'mine too' }, { lock: 'theirs' }], wants });
  const queues = new LockQueues();
  queues.set('mine too', queueOf());
  const bytes = bytesOfLocks(['mine too', 'mine', 'theirs'], voters) + bytesOfRecords({ id: 'a', wants });
  expect(() => queues.requireRoom('mine', gone, share(bytes + 1), voters)).not.toThrow();
  expect(() => queues.requireRoom('mine', gone, share(bytes - 1), voters)).toThrow('exceeds the limit');
});

test('a limited number of locks, however short their names', () => {
  const queues = new LockQueues();
  for (let i = 0; i < BOUNDS.locks - 1; i++) queues.set(`${i}`, queueOf());
  expect(() => queues.requireRoom('mine', voter(), Infinity, voters)).not.toThrow();
  queues.set('last', queueOf());
  expect(() => queues.requireRoom('mine', voter(), Infinity, voters)).toThrow(
    `lock "mine" exceeds the limit of peer "a": ${BOUNDS.locks} others are already held or requested there, the maximum. Release some first`,
  );
});

test('a queue receives losses and refusals, and is removed once it is idle', () => {
  const queues = new LockQueues();
  const [idle, busy] = [queueOf(), queueOf(false)];
  queues.set('idle', idle).set('busy', busy);
  queues.receive({ type: 'lock.lost', lock: 'idle' } as never);
  queues.receive({ type: 'lock.refused', lock: 'busy', peer: 'b', others: 7 } as never);
  queues.receive({ type: 'lock.lost', lock: 'unknown' } as never);
  queues.receive({ type: 'lock.refused', lock: 'unknown', peer: 'b', others: 7 } as never);
  expect([idle.lost, idle.refused, busy.lost].map((notified) => vi.mocked(notified).mock.calls.length)).toEqual([1, 0, 0]);
  expect(vi.mocked(busy.refused).mock.calls[0]![0].message).toBe(
    'lock "busy" exceeds the limit of peer "b": 7 others are already held or requested there, the maximum with names of this length. Release some first',
  );
  expect([...queues.keys()]).toEqual(['busy']);
  queues.removeIdle('busy');
  queues.removeIdle('unknown');
  expect([...queues.keys()]).toEqual(['busy']);
});

/** The figures of docs/evidence/locks.md. */
test.each([
  [6, 2_215, 10_000],
  [41, 1_510, 10_000],
  [201, 615, 4_942],
])('room for locks with names of %d characters: %d in a process, %d over links', (length, ...rooms) => {
  const nameOf = (i: number) => String(i).padStart(length, 'x');
  const node = voter({ clients: [], records: [], claims: [], wants: [] });
  const roomIn = (bytes: number) => {
    const queues = new LockQueues();
    const take = () => {
      for (let i = 0; ; i++) {
        queues.requireRoom(nameOf(i), node, bytes, voters);
        queues.set(nameOf(i), queueOf());
      }
    };
    expect(take).toThrow('others are already held or requested there, the maximum');
    return queues.size;
  };
  expect([inProcessGuarantees.messageBytesMax, LINKED_MESSAGE_BYTES_MAX].map(roomIn)).toEqual(rooms);
});
