/** The timers that a node has armed, and the reactions that its application owes. */
import { expect, test } from 'vitest';
import { Pending } from './pending.js';

const order = (role: string, timer: string, delay: number | null) => ({ role, timer, delay });

function waiter() {
  const received: string[] = [];
  return {
    received,
    armed: ({ role, timer }: any, delay: number) => void received.push(`${role}/${timer} in ${delay}`),
    disarmed: ({ role, timer }: any) => void received.push(`${role}/${timer} off`),
  };
}

test('a timer that is armed again is replaced, and is last', () => {
  const pending = new Pending();
  const { received, ...who } = waiter();
  pending.follow({ closed: [], timers: [order('r', 'a', 1), order('r', 'b', 2), order('r', 'a', 3)] }, who);
  expect(received).toEqual(['r/a in 1', 'r/b in 2', 'r/a off', 'r/a in 3']);
  expect(pending.armed).toEqual([
    { role: 'r', timer: 'b' },
    { role: 'r', timer: 'a' },
  ]);
});

test('a timer is disarmed once, and disarming one that was never armed is not reported', () => {
  const pending = new Pending();
  const { received, ...who } = waiter();
  pending.follow({ closed: [], timers: [order('r', 'a', 0), order('r', 'a', null), order('r', 'a', null)] }, who);
  expect([received, pending.armed]).toEqual([['r/a in 0', 'r/a off'], []]);
});

test('timers of one name in two roles are two timers', () => {
  const pending = new Pending();
  pending.follow({ closed: [], timers: [order('r', 'a', 1), order('s', 'a', 1)] });
  expect([pending.armed.length, pending.take({ role: 's', timer: 'a' }), pending.armed]).toEqual([
    2,
    { role: 's', timer: 'a' },
    [{ role: 'r', timer: 'a' }],
  ]);
  expect(pending.take({ role: 's', timer: 'a' })).toBeUndefined();
});

test('the timers of a role that closes end, before any is armed, and no others', () => {
  const pending = new Pending();
  const { received, ...who } = waiter();
  pending.follow({ closed: [], timers: [order('r', 'a', 1), order('s', 'b', 2)] }, who);
  received.length = 0;
  pending.follow({ closed: ['r'], timers: [order('r', 'c', 4)] }, who);
  expect(received).toEqual(['r/a off', 'r/c in 4']);
  expect(pending.armed.map(({ timer }) => timer)).toEqual(['b', 'c']);
});

test('all of them can be disarmed', () => {
  const pending = new Pending([
    { role: 'r', timer: 'a' },
    { role: 's', timer: 'b' },
  ]);
  const { received, ...who } = waiter();
  pending.clear(who);
  expect([received, pending.armed]).toEqual([['r/a off', 's/b off'], []]);
});

test('a reaction is pending for each matching notification, oldest first, settled once', () => {
  const pending = new Pending();
  const declared = [{ on: 'granted' }, { on: 'notified' }, { on: 'granted' }] as any;
  const reactions: number[] = [];
  pending.owe('granted', declared, (place) => reactions.push(place));
  pending.owe('notified', declared);
  pending.owe('other', declared);
  expect([reactions, pending.reactions]).toEqual([
    [0, 2],
    [0, 2, 1],
  ]);
  expect([pending.settle(2), pending.settle(2), pending.reactions]).toEqual([true, false, [0, 1]]);
  expect([pending.settle(0), pending.reactions]).toEqual([true, [1]]);
});

test('a copy goes its own way', () => {
  const pending = new Pending([{ role: 'r', timer: 'a' }], [3]);
  const copy = pending.copy();
  copy.clear();
  copy.settle(3);
  expect([pending.armed.length, pending.reactions, copy.armed, copy.reactions]).toEqual([1, [3], [], []]);
});
