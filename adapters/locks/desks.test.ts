import { expect, test, vi } from 'vitest';
import { EPOCHS } from '../../machines/locks/messages.js';
import { bytesOfLocks, bytesOfRecords, shareOf } from '../../machines/locks/room.js';
import { BOUNDS } from '../../machines/locks/epoch.js';
import { LINKED_MESSAGE_BYTES_MAX } from '../linked.js';
import type { LiveNode } from '../node/node.js';
import { inProcessGuarantees } from '../transports/guarantees.js';
import { Desks } from './desks.js';
import type { LockDesk } from './lock-desk.js';

const voters = ['a', 'b', 'c'];
const wants = [{ node: 'x', lock: 'of a client' }];
/** A voter to which client `x` is attached, with what it wants. */
const hosting = {
  id: 'a',
  role: (role: string) =>
    role === EPOCHS ? { context: { clients: [{ id: 'x' }], records: [], claims: [{ lock: 'of a client' }], wants } } : undefined,
} as unknown as LiveNode;

test("a voter's own lock has the room that those of its clients leave: their names and their records", () => {
  const own = bytesOfLocks(['mine'], voters);
  const theirs = bytesOfLocks(['of a client'], voters) + bytesOfRecords({ id: 'a', wants });
  const fits = (bytes: number) => () => new Desks().requireRoom('mine', hosting, bytes / shareOf(1, voters), voters);
  expect(fits(own + theirs + 1)).not.toThrow();
  expect(fits(own + theirs - 1)).toThrow(/^lock "mine" is one too many at peer "a".* with names so long; release some first$/);
});

/** A voter with these claims of its clients. */
const voter = (context?: object) => ({ id: 'a', role: () => context && { context } }) as unknown as LiveNode;
const deskOf = (isIdle = true) => ({ isIdle, lost: vi.fn(), refused: vi.fn() }) as never as LockDesk;
const share = (bytes: number) => bytes / shareOf(1, voters);

test('without clients, or before it takes part, the locks of a peer have all the room, each once', () => {
  const bytes = bytesOfLocks(['mine', 'other'], voters);
  for (const node of [voter(), voter({}), voter({ clients: [], records: [], claims: [{ lock: 'of a client' }], wants })]) {
    const desks = new Desks();
    desks.set('other', deskOf()).set('other', deskOf());
    expect(() => desks.requireRoom('mine', node, share(bytes + 1), voters)).not.toThrow();
    expect(() => desks.requireRoom('mine', node, share(bytes - 1), voters)).toThrow(
      'lock "mine" is one too many at peer "a": 1 others are held or waited for there, which is the most with names so long; release some first',
    );
    expect([desks.delete('other'), desks.delete('other')]).toEqual([true, false]);
    const alone = bytesOfLocks(['mine'], voters);
    expect(() => desks.requireRoom('mine', node, share(alone + 1), voters)).not.toThrow();
    expect(() => desks.requireRoom('mine', node, share(alone - 1), voters)).toThrow('one too many');
  }
});

test('of clients that have gone the records have their room, and a lock that is held here as well is one', () => {
  const gone = voter({ clients: [], records: [{}], claims: [{ lock: 'mine too' }, { lock: 'theirs' }], wants });
  const desks = new Desks();
  desks.set('mine too', deskOf());
  const bytes = bytesOfLocks(['mine too', 'mine', 'theirs'], voters) + bytesOfRecords({ id: 'a', wants });
  expect(() => desks.requireRoom('mine', gone, share(bytes + 1), voters)).not.toThrow();
  expect(() => desks.requireRoom('mine', gone, share(bytes - 1), voters)).toThrow('one too many');
});

test('so many locks and no more, however short their names', () => {
  const desks = new Desks();
  for (let i = 0; i < BOUNDS.locks - 1; i++) desks.set(`${i}`, deskOf());
  expect(() => desks.requireRoom('mine', voter(), Infinity, voters)).not.toThrow();
  desks.set('last', deskOf());
  expect(() => desks.requireRoom('mine', voter(), Infinity, voters)).toThrow(
    `lock "mine" is one too many at peer "a": ${BOUNDS.locks} others are held or waited for there, which is the most; release some first`,
  );
});

test('a desk is told what is lost or refused, and is gone where nobody stands at it any more', () => {
  const desks = new Desks();
  const [idle, busy] = [deskOf(), deskOf(false)];
  desks.set('idle', idle).set('busy', busy);
  desks.ended({ type: 'lock.lost', lock: 'idle' } as never);
  desks.ended({ type: 'lock.refused', lock: 'busy', peer: 'b', others: 7 } as never);
  desks.ended({ type: 'lock.lost', lock: 'unknown' } as never);
  desks.ended({ type: 'lock.refused', lock: 'unknown', peer: 'b', others: 7 } as never);
  expect([idle.lost, idle.refused, busy.lost].map((told) => vi.mocked(told).mock.calls.length)).toEqual([1, 0, 0]);
  expect(vi.mocked(busy.refused).mock.calls[0]![0].message).toBe(
    'lock "busy" is one too many at peer "b": 7 others are held or waited for there, which is the most with names so long; release some first',
  );
  expect([...desks.keys()]).toEqual(['busy']);
  desks.tidy('busy');
  desks.tidy('unknown');
  expect([...desks.keys()]).toEqual(['busy']);
});

/** The figures of docs/locks.md, "Ten things to know before production". */
test.each([
  [6, 2_215, 10_000],
  [41, 1_510, 10_000],
  [201, 615, 4_942],
])(
  'of three peers one has room for so many locks with names of %d letters: %d in a process, %d over links',
  (length, ...rooms) => {
    const nameOf = (i: number) => String(i).padStart(length, 'x');
    const node = voter({ clients: [], records: [], claims: [], wants: [] });
    const roomIn = (bytes: number) => {
      const desks = new Desks();
      const take = () => {
        for (let i = 0; ; i++) {
          desks.requireRoom(nameOf(i), node, bytes, voters);
          desks.set(nameOf(i), deskOf());
        }
      };
      expect(take).toThrow('others are held or waited for there, which is the most');
      return desks.size;
    };
    expect([inProcessGuarantees.messageBytesMax, LINKED_MESSAGE_BYTES_MAX].map(roomIn)).toEqual(rooms);
  },
);
