/** The status of locks at a peer whose node the test controls. */
import { BehaviorSubject, Subject } from 'rxjs';
import { expect, test } from 'vitest';
import { EPOCHS } from '../../machines/locks/messages.js';
import { VirtualClock } from '../../network/clock.js';
import type { LiveNode } from '../node/node.js';
import type { LockQueue } from './lock-queue.js';
import { statusesOf, statusOf, topStateOf, type LocksStatus } from './locks-status.js';

const context = {
  id: 'a',
  served: { epoch: 7, members: ['a', 'b'] },
  leader: 'b',
  membership: { voters: ['a', 'b', 'c'] },
  links: ['b'],
};
const nodeOf = (role?: object) =>
  ({ id: 'a', role: (name: string) => (name === EPOCHS ? role : undefined) }) as unknown as LiveNode;
const noQueues = new Map<string, LockQueue>();
const peers = ['c', 'a', 'b'];

test('before it participates a peer misses all others, and after its end none', () => {
  const nothing = { epoch: 0, members: [], leader: null, held: [], waiting: [] };
  expect(statusOf(nodeOf(), peers, noQueues, false)).toEqual({ ...nothing, state: 'connecting', missing: ['c', 'b'] });
  expect(statusOf(nodeOf(), peers, noQueues, true)).toEqual({ ...nothing, state: 'closed', missing: [] });
});

test('a peer reports its members, its leader, and the missing voters', () => {
  const node = nodeOf({ value: { serving: 'idle' }, context });
  const expected = { state: 'serving', epoch: 7, members: ['a', 'b'], leader: 'b', missing: ['c'], held: [], waiting: [] };
  expect(statusOf(node, peers, noQueues, false)).toEqual(expected);
  expect(statusOf(node, peers, noQueues, true)).toEqual(expected);
  const { leader: _, ...leaderless } = context;
  expect(statusOf(nodeOf({ value: 'apart', context: leaderless }), [], noQueues, false)).toEqual({
    ...expected,
    state: 'apart',
    leader: null,
  });
  (statusOf(node, peers, noQueues, false).members as string[]).push('z');
  expect(context.served.members).toEqual(['a', 'b']);
});

test.each(['preparing', 'following'])('a peer that does not vote is apart, not %s', (state) => {
  const context = { id: 'd', served: { epoch: 0, members: [] }, membership: { version: 2, voters: ['a'], origin: 7 }, links: [] };
  const stateOf = (id: string) => {
    const node = { id, role: () => ({ value: { [state]: 'waiting' }, context: { ...context, id } }) };
    return statusOf(node as never, ['a'], new Map(), false).state;
  };
  expect([stateOf('d'), stateOf('a')]).toEqual(['apart', state]);
});

test('a client reports the peer to which it is attached', () => {
  for (const host of ['b', null])
    expect(statusOf(nodeOf({ value: 'seeking', context: { ...context, host } }), peers, noQueues, false)).toMatchObject({
      state: 'seeking',
      host,
    });
  expect(statusOf(nodeOf({ value: 'apart', context }), peers, noQueues, false)).not.toHaveProperty('host');
});

test('held locks and waiting requests are listed by name', () => {
  const queue = (fence: number | undefined, inside: string[], pending: string[]) =>
    ({ fence, inside, pending }) as never as LockQueue;
  const queues = new Map([
    ['x', queue(3, ['shared', 'shared'], ['exclusive'])],
    ['b', queue(2, ['exclusive'], [])],
    ['w', queue(undefined, [], ['exclusive', 'shared'])],
    ['idle', queue(undefined, [], [])],
    ['leaving', queue(4, [], [])],
  ]);
  const { held, waiting } = statusOf(nodeOf({ value: 'serving', context }), peers, queues, false);
  expect(held).toEqual([
    { name: 'b', fence: 2, mode: 'exclusive' },
    { name: 'x', fence: 3, mode: 'shared' },
  ]);
  expect(waiting).toEqual([
    { name: 'w', callers: 2 },
    { name: 'x', callers: 1 },
  ]);
});

test('the first part of a state', () => {
  const values = [undefined, { value: 'apart' }, { value: { serving: { a: 'b' } } }];
  expect(values.map((role) => topStateOf(role as never))).toEqual([undefined, 'apart', 'serving']);
});

test('statuses are emitted at once and after changes, also those of a later node', async () => {
  const clock = new VirtualClock();
  const notifications$ = new Subject<unknown>();
  let end!: (error: null) => void;
  const node = () => ({
    steps$: new Subject<unknown>(),
    closed: new Promise((resolve) => (end = resolve)),
    environment: { clock },
  });
  const [first, second] = [node(), node()];
  const nodes$ = new BehaviorSubject(first as never as LiveNode);
  let status = { epoch: 0 } as LocksStatus;
  const counts: number[] = [];
  statusesOf(notifications$, nodes$, () => status).subscribe(({ epoch }) => counts.push(epoch));
  const turn = () => clock.runUntil(clock.now() + 1);
  expect(counts).toEqual([0]);
  status = { epoch: 1 } as LocksStatus;
  for (let i = 0; i < 3; i++) first.steps$.next(i);
  expect(counts).toEqual([0]);
  turn();
  expect(counts).toEqual([0, 1]);
  first.steps$.next(0);
  turn();
  expect(counts).toEqual([0, 1]);
  status = { epoch: 2 } as LocksStatus;
  notifications$.next(0);
  turn();
  nodes$.next(second as never as LiveNode);
  status = { epoch: 3 } as LocksStatus;
  first.steps$.next(0);
  turn();
  expect(counts).toEqual([0, 1, 2]);
  second.steps$.next(0);
  turn();
  status = { epoch: 4 } as LocksStatus;
  end(null);
  await new Promise((resolve) => setImmediate(resolve));
  turn();
  expect(counts).toEqual([0, 1, 2, 3, 4]);
});
