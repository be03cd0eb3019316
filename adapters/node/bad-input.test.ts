/** Failures in applications: every promise settles with a named error, and nothing stays open. */
import { createNames } from '../names.js';
import { createQuota } from '../quota.js';
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { createBank } from '../controller/bank.js';
import { createTransport } from '../transports/driver.js';
import { ConnectionError } from '../transports/errors.js';
import { createElection } from '../election.js';
import { InProcessBus } from '../transports/in-process.js';
import { linked } from '../linked.js';
import { createLocks } from '../locks/locks.js';
import { Neighborhood } from '../neighborhood.js';
import type { Linked, Transport } from '../transports/transport.js';
import { webSocket } from '../transports/web-socket.js';
import { webSocketHub } from '../transports/web-socket-hub.js';
import { inProcessGuarantees } from '../transports/guarantees.js';

/** Resources that keep a process from ending. */
const handles = (): string[] =>
  process
    .getActiveResourcesInfo()
    .filter((kind) => /^(TCP|Timeout)/.test(kind))
    .sort();

let before: string[];
beforeEach(() => {
  before = handles();
});
afterEach(() =>
  vi.waitFor(() => {
    const left = handles();
    const sockets = (kinds: readonly string[]) => kinds.filter((kind) => kind.startsWith('TCP')).length;
    // The test runner keeps a timer for each test.
    if (sockets(left) > sockets(before) || left.length > before.length + 1) throw new Error(`left open: ${left.join()}`);
  }, 20_000),
);

const peers = ['a', 'b'];

/** One object of every kind, with waiting promises, and the function that closes it. */
function everything(transport: Transport<Linked>) {
  const [locks, election] = [createLocks({ transport, peers }), createElection({ transport, peers })];
  const [quota, names, bank] = [
    createQuota({ transport, peers, budget: 10 }),
    createNames({ transport, peers }),
    createBank({ transport, peers }),
  ];
  const neighborhood = new Neighborhood({ transport, peers });
  const waiting = Promise.allSettled([
    locks.ready,
    locks.acquire('x'),
    locks.request('y', () => {}),
    election.ready,
    election.elected,
    election.run(() => {}),
    quota.ready,
    quota.take(),
    names.next(),
    bank.withdraw(1),
    neighborhood.ready,
    neighborhood.lock(),
  ]);
  const all = [locks, election, quota, names, bank, neighborhood];
  return { waiting, close: () => Promise.all(all.map((each) => each.close())) };
}

const namesOf = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as Error).name : 'fulfilled'));

test('a transport that never connects: close rejects waiting calls with a ClosedError', async () => {
  const never = createTransport('a', inProcessGuarantees, () => {});
  const { waiting, close } = everything(never);
  await close();
  await never.close();
  expect(new Set(namesOf(await waiting))).toEqual(new Set(['ClosedError']));
});

test('a transport that cannot connect: all reject with a ConnectionError that names it', async () => {
  const failing = createTransport('a', inProcessGuarantees, () => {
    throw new ConnectionError('no connection to 127.0.0.1:4222');
  });
  const transport = linked(failing, { peers });
  const { waiting, close } = everything(transport);
  const outcomes = await waiting;
  expect(new Set(namesOf(outcomes))).toEqual(new Set(['ConnectionError']));
  expect((outcomes[1] as PromiseRejectedResult).reason.message).toContain('127.0.0.1:4222');
  await close();
  await transport.close();
});

test('an absent hub: calls wait for it, and close rejects them with a ClosedError', async () => {
  const hub = await webSocketHub({ port: 0 });
  const { port } = hub;
  await hub.close();
  const transport = linked(webSocket({ id: 'a', url: `ws://127.0.0.1:${port}`, WebSocket }), { peers });
  const { waiting, close } = everything(transport);
  await new Promise((resolve) => setTimeout(resolve, 150));
  await close();
  await transport.close();
  expect(new Set(namesOf(await waiting))).toEqual(new Set(['ClosedError']));
});

test('two nodes with one id: the second is refused with an error, the first goes on', async () => {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const first = createLocks({ transport: bus.transport('a'), peers: ['a'] });
  await first.ready;
  const second = createLocks({ transport: bus.transport('a'), peers: ['a'] });
  await expect(second.acquire('x')).rejects.toMatchObject({
    name: 'ConnectionError',
    message: 'the hub refused peer "a": the id "a" is in use. Use a unique id for each peer',
  });
  expect(await first.request('x', ({ name }) => name)).toBe('x');
  await Promise.all([first.close(), second.close()]);
});

test('an aborted signal: calls reject with its reason, and send no request', async () => {
  const bus = new InProcessBus();
  const transport = bus.transport('a');
  const locks = createLocks({ transport, peers: ['a'] });
  const election = createElection({ transport, peers: ['a'] });
  const bank = createBank({ transport, peers: ['a'] });
  const neighborhood = new Neighborhood({ transport, peers: ['a'] });
  await Promise.all([locks.ready, election.ready, bank.ready, neighborhood.ready]);
  const reason = new Error('never mind');
  const signal = AbortSignal.abort(reason);
  const steps: string[] = [];
  const callback = () => void steps.push('callback');
  for (const { node } of [locks, bank]) node.steps$.subscribe(({ event }) => steps.push(event.type));
  const outcomes = await Promise.allSettled([
    transport.connect({ signal }),
    locks.acquire('x', { signal }),
    locks.request('x', { signal }, callback),
    election.run(callback, { signal }),
    bank.withdraw(1, { signal }),
    neighborhood.lock({ signal }),
    createQuota({ locks, budget: 1 }).take(1, { signal }),
    createNames({ locks }).next({ signal }),
  ]);
  expect(outcomes.map((outcome) => (outcome as PromiseRejectedResult).reason)).toEqual(outcomes.map(() => reason));
  expect(steps).toEqual([]);
  await Promise.all([locks, election, bank, neighborhood].map((each) => each.close()));
  bus.close();
});

test('peers with another wire version cause a warning; waiting calls can be aborted', async () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const bus = new InProcessBus();
  const other = bus.transport('b');
  other.events.subscribe((event) => {
    if (event.type === 'up') other.send(event.peer, { v: 2, name: 'locks', message: { type: 'node.hello', isAnswer: true } });
  });
  const locks = createLocks({ transport: bus.transport('a'), peers });
  await Promise.all([locks.node.ready, other.connect()]);
  await expect(locks.acquire('x', { signal: AbortSignal.timeout(20) })).rejects.toMatchObject({ name: 'TimeoutError' });
  expect(warn.mock.calls.join()).toMatch(
    /uses version 2 of the wire format, this peer 1. Run the same release on both, from "b"/,
  );
  const [outcome] = await Promise.all([Promise.allSettled([locks.acquire('x')]), locks.close()]);
  expect(namesOf(outcome)).toEqual(['ClosedError']);
  bus.close();
});

describe('a broker that disconnects during a grant', () => {
  test('holders are notified, and the hub that returns serves all peers', async () => {
    const hub = await webSocketHub({ port: 0 });
    const { port } = hub;
    const ids = ['a', 'b', 'c'];
    const transports = ids.map((id) =>
      linked(webSocket({ id, url: `ws://127.0.0.1:${port}`, WebSocket }), { peers: ids, beatMs: 20, patience: 20 }),
    );
    const all = transports.map((transport) => createLocks({ transport, peers: ids }));
    const held = await all[0]!.acquire('x');
    const waiting = all.map((locks) => locks.request('x', ({ fence }) => fence));
    await hub.close();
    await expect.poll(() => held.signal.aborted).toBe(true);
    expect(held.signal.reason).toMatchObject({ name: 'LostError' });
    held.release();
    const again = await webSocketHub({ port });
    const fences = await Promise.all(waiting);
    expect(Math.min(...fences)).toBeGreaterThan(held.fence);
    expect(new Set(fences).size).toBe(3);
    await Promise.all(all.map((locks) => locks.close()));
    await Promise.all(transports.map((transport) => transport.close()));
    await again.close();
  });
});

test('a callback that throws after the lock is lost affects no other peer', async () => {
  const bus = new InProcessBus();
  const transport = bus.transport('a');
  const locks = createLocks({ transport, peers: ['a'] });
  let fail: (error: Error) => void = () => {};
  const request = locks.request('x', () => new Promise((_, reject) => (fail = reject)));
  const outcome = request.catch((error: Error) => error.name);
  await locks.ready;
  await new Promise((resolve) => setImmediate(resolve));
  await transport.close();
  expect(await outcome).toBe('LostError');
  fail(new Error('late'));
  await new Promise((resolve) => setImmediate(resolve));
  bus.close();
});
