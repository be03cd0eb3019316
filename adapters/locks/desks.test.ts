import { expect, test } from 'vitest';
import { EPOCHS } from '../../machines/locks/messages.js';
import { bytesOfLocks, bytesOfRecords, shareOf } from '../../machines/locks/room.js';
import type { LiveNode } from '../node/node.js';
import { Desks } from './desks.js';

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
