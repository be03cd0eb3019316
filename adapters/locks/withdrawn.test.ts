/** A pending change of members is withdrawn: it does not happen later. */
import { expect, onTestFinished, test, vi } from 'vitest';
import type { EpochsContext } from '../../machines/locks/knowledge.js';
import { EPOCHS } from '../../machines/locks/messages.js';
import { MapStorage } from '../storage/map.fixture.js';
import { InProcessBus } from '../transports/in-process.js';
import { createLocks, type Locks } from './locks.js';
import { operatorListener } from './operator.js';
import { cuttable } from './peers.fixture.js';

type Cuttable = Awaited<ReturnType<typeof cuttable>>[number];

/** A removal that a timed out and that cannot be decided while c is cut off; then c is back, and some time passes. */
async function pendingRemoval(withdraws: boolean) {
  const [a, b, c] = (await cuttable('a', 'b', 'c')) as [Cuttable, Cuttable, Cuttable];
  c.medium.isCut = true;
  await vi.waitFor(() => expect(a.locks.status()).toMatchObject({ state: 'serving', missing: ['c'] }), 60_000);
  // Both a majority of three and one of a and c are needed.
  const removal = a.locks.removeMember('b', { signal: AbortSignal.timeout(50) });
  await expect(removal).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(a.locks.status().changing).toEqual({ add: null, remove: 'b', by: 'a' });
  if (withdraws) {
    expect(a.locks.withdrawChange()).toEqual(['c']);
    expect(a.locks.status().changing).toBeUndefined();
    await vi.waitFor(() => expect(b.locks.status().changing).toBeUndefined(), 60_000);
  }
  c.medium.isCut = false;
  await vi.waitFor(() => expect(c.locks.status()).toMatchObject({ state: 'serving', missing: [] }), 60_000);
  await new Promise((resolve) => setTimeout(resolve, 300));
  return [a, b, c].map(({ locks }) => locks);
}

test('a removal that timed out happens when it becomes possible', async () => {
  const [a] = await pendingRemoval(false);
  await vi.waitFor(() => expect(a!.members).toEqual(['a', 'c']), 60_000);
});

test('a removal that was withdrawn does not happen, and another change does', async () => {
  const [a, b, c] = await pendingRemoval(true);
  for (const locks of [a!, b!, c!]) expect(locks.members).toEqual(['a', 'b', 'c']);
  expect(await b!.removeMember('c')).toEqual(['a', 'b']);
});

test('a caller that still waits is rejected, at each of three peers', async () => {
  for (const place of [0, 1, 2]) {
    const all = await cuttable('a', 'b', 'c');
    const caller = all[place]!;
    const [other, absent] = all.filter((each) => each !== caller) as [Cuttable, Cuttable];
    absent.medium.isCut = true;
    const id = absent.locks.node.id;
    await vi.waitFor(() => expect(caller.locks.status()).toMatchObject({ state: 'serving', missing: [id] }), 60_000);
    const removal = caller.locks.removeMember(other.locks.node.id);
    const error = removal.catch((thrown: unknown) => thrown);
    await vi.waitFor(() => expect(caller.locks.status().changing).toMatchObject({ remove: other.locks.node.id }));
    caller.locks.withdrawChange();
    expect(await error).toMatchObject({
      name: 'AbortError',
      message: `the change of the members of "locks" was withdrawn at peer "${caller.locks.node.id}"`,
    });
    await vi.waitFor(() => expect(other.locks.status().changing).toBeUndefined());
  }
});

test('without a pending change nothing is withdrawn, and a client cannot withdraw', async () => {
  const bus = new InProcessBus();
  const peers = ['a'];
  const voter = createLocks({ transport: bus.transport('a'), peers });
  const client = createLocks({ transport: bus.transport('web'), peers, client: true });
  onTestFinished(() => Promise.all([voter, client].map((locks: Locks) => locks.close({ withinMs: 0 }))).then(() => {}));
  await Promise.all([voter.ready, client.ready]);
  expect(voter.withdrawChange()).toEqual([]);
  expect(() => client.withdrawChange()).toThrow('peer "web" is not a member of "locks". Call one of a');
});

const token = 'a secret for tests';

/** The answer to an operator's withdrawal at the peer. */
const withdrawalAt = (locks: Locks) =>
  new Promise<[number, Record<string, unknown>]>((resolve) => {
    let status = 0;
    const response = {
      writeHead: (code: number) => (status = code),
      end: (text: string) => resolve([status, JSON.parse(text)]),
    };
    const headers = { authorization: `Bearer ${token}` };
    operatorListener(locks, { token })({ method: 'POST', url: '/withdraw', headers }, response);
  });

test('a withdrawal reports what was pending, and another peer is named', async () => {
  const [a, b, c] = (await cuttable('a', 'b', 'c')) as [Cuttable, Cuttable, Cuttable];
  const voters = ['a', 'b', 'c'];
  expect(await withdrawalAt(a.locks)).toEqual([200, { voters, missing: [] }]);
  c.medium.isCut = true;
  await vi.waitFor(() => expect(a.locks.status()).toMatchObject({ state: 'serving', missing: ['c'] }), 60_000);
  // The leader is called for the change of the other one.
  const isLeader = ({ locks }: Cuttable) => locks.status().leader === locks.node.id;
  const [leader, other] = (isLeader(a) ? [a.locks, b.locks] : [b.locks, a.locks]) as [Locks, Locks];
  const { id } = other.node;
  const removal = other.removeMember(leader.node.id, { signal: AbortSignal.timeout(50) });
  await expect(removal).rejects.toThrow('timeout');
  const changing = { add: null, remove: leader.node.id, by: id };
  await vi.waitFor(() => expect(leader.status().changing).toEqual(changing));
  const error = `peer "${id}" requested the pending change of "locks". Withdraw it there`;
  expect(() => leader.withdrawChange()).toThrow(error);
  expect(await withdrawalAt(leader)).toEqual([409, { error }]);
  expect(other.status().changing).toEqual(changing);
  expect(await withdrawalAt(other)).toEqual([200, { voters, missing: ['c'], withdrawn: changing }]);
});

test.each(['the leader', 'a voter that knows nothing of it'])(
  'the change of a peer that is gone is withdrawn by %s',
  async (who) => {
    const [a, b, c] = (await cuttable('a', 'b', 'c')) as [Cuttable, Cuttable, Cuttable];
    c.medium.isCut = true;
    await vi.waitFor(() => expect(a.locks.status()).toMatchObject({ state: 'serving', missing: ['c'] }), 60_000);
    const isLeader = ({ locks }: Cuttable) => locks.status().leader === locks.node.id;
    const [leader, other] = (isLeader(a) ? [a.locks, b.locks] : [b.locks, a.locks]) as [Locks, Locks];
    const removal = other.removeMember(leader.node.id, { signal: AbortSignal.timeout(50) });
    await expect(removal).rejects.toThrow('timeout');
    await vi.waitFor(() => expect(leader.status().changing).toMatchObject({ by: other.node.id }));
    await other.close({ withinMs: 0 });
    c.medium.isCut = false;
    const missing = [other.node.id];
    await vi.waitFor(() => expect(leader.status()).toMatchObject({ state: 'serving', missing }), 60_000);
    await vi.waitFor(() => expect(c.locks.status()).toMatchObject({ state: 'serving', missing }), 60_000);
    expect(leader.status().changing).toMatchObject({ by: other.node.id });
    expect((who === 'the leader' ? leader : c.locks).withdrawChange()).toEqual(missing);
    await vi.waitFor(() => expect(leader.status().changing).toBeUndefined());
  },
);

test('a list that was already proposed is reported as pending, and may be decided', async () => {
  const bus = new InProcessBus();
  const peers = ['a', 'b', 'c'];
  const gate = new EventTarget();
  let isHeld = false;
  const all = peers.map((id) => {
    const storage = new MapStorage();
    if (id !== 'b') return createLocks({ transport: bus.transport(id), peers, storage });
    const save = storage.save.bind(storage);
    storage.save = async (key, value) => {
      if (isHeld) await new Promise((resolve) => gate.addEventListener('open', resolve));
      await save(key, value);
    };
    return createLocks({ transport: bus.transport(id), peers, storage });
  }) as [Locks, Locks, Locks];
  onTestFinished(() => Promise.all(all.map((locks) => locks.close({ withinMs: 0 }))).then(() => {}));
  await Promise.all(all.map(({ ready }) => ready));
  const [a] = all;
  // From now on b promises nothing.
  isHeld = true;
  const error = a.removeMember('c').catch((thrown: unknown) => thrown);
  const promised = () => (a.node.role(EPOCHS)!.context as EpochsContext).promised;
  await vi.waitFor(() => expect(promised()?.next.voters).toEqual(['a', 'b']), 60_000);
  const [status, answer] = await withdrawalAt(a);
  expect([status, answer]).toMatchObject([200, { withdrawn: { by: 'a' }, changing: { add: null, remove: 'c', by: null } }]);
  expect(await error).toMatchObject({
    name: 'AbortError',
    message:
      'the change of the members of "locks" was withdrawn at peer "a", and may still be decided: its list was already proposed',
  });
  isHeld = false;
  gate.dispatchEvent(new Event('open'));
  await vi.waitFor(() => expect(a.members).toEqual(['a', 'b']), 60_000);
  expect(a.status().changing).toBeUndefined();
});
