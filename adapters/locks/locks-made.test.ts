/** The node of locks, and the measurements of a meter. */
import { Subject } from 'rxjs';
import { expect, test } from 'vitest';
import { VirtualClock } from '../../network/clock.js';
import type { LiveNode } from '../node/node.js';
import { InProcessBus } from '../transports/in-process.js';
import type { LockQueueNotification } from './lock-queue.js';
import { reportMetrics } from './locks-metrics.js';
import { createLocksNode, type PeerOptions } from './locks-node.js';
import type { LocksStatus } from './locks-status.js';

const BEGAN = Date.UTC(2025, 0, 1);

function made(options: Partial<PeerOptions> = {}, now = BEGAN + 5_000.7) {
  const clock = new VirtualClock();
  clock.runUntil(now);
  const transport = new InProcessBus().transport('a');
  const node = createLocksNode({ transport, peers: ['b', 'a', 'c'], name: 'mine', clock, ...options });
  const { topology, options: given } = node.scenario;
  void node.close();
  return {
    name: node.name,
    nodes: topology.nodes,
    given,
    peers: node.peers().map(({ peer }) => peer),
    largest: transport.guarantees.messageBytesMax,
  };
}

test('a voter: all peers in order, no memory, and a clock that counts from 2025', () => {
  const { name, nodes, given, largest } = made();
  expect([name, nodes]).toEqual(['mine', ['a', 'b', 'c']]);
  expect(given).toEqual({
    voters: ['a', 'b', 'c'],
    hold: null,
    memory: 'forgotten',
    floor: 5_000,
    patience: 5_000,
    confirm: false,
    grants: expect.any(Number),
    locks: expect.any(Number),
    bytes: largest,
  });
  expect(made({}, 7).given['floor']).toBe(0);
});

test('with confirmation, and with storage', () => {
  const storage = { load: async () => undefined, save: async () => {} };
  expect(made({ confirm: true, storage }).given).toMatchObject({ confirm: true, storage: 1, memory: 'forgotten' });
});

test('a client knows the voters and connects to no other peer', () => {
  const { nodes, given, peers } = made({ client: true, peers: ['c', 'b'] });
  expect([nodes, given['voters'], given['clients'], peers]).toEqual([['b', 'c', 'a'], ['b', 'c'], ['a'], ['b', 'c']]);
});

test('clients exchange no messages, and greet the voters', async () => {
  const bus = new InProcessBus();
  const received: string[] = [];
  const nodes = [['b', false] as const, ['a', true] as const, ['d', true] as const].map(([id, client]) => {
    const transport = bus.transport(id);
    transport.events.subscribe((event) => event.type === 'message' && received.push(`${event.from} to ${id}`));
    return createLocksNode({ transport, peers: ['b'], name: 'mine', client });
  });
  await Promise.all(nodes.map(({ ready }) => ready));
  await expect.poll(() => ['a to b', 'd to b', 'b to a', 'b to d'].filter((way) => !received.includes(way))).toEqual([]);
  expect([received.includes('a to d'), received.includes('d to a')]).toEqual([false, false]);
  for (const node of nodes) await node.close();
});

test('all present tabs vote, without a list', () => {
  const { nodes, given } = made({ tabs: true });
  expect([nodes, given['voters'], given['quorum']]).toEqual([['a'], ['a'], 'present']);
  expect(made().given).not.toHaveProperty('quorum');
});

/** A meter that records its measurements. */
function meterOf() {
  const described: unknown[][] = [];
  const measured: unknown[][] = [];
  const callbacks = new Map<string, (result: object) => void>();
  const meter = {
    createCounter: (...given: unknown[]) => (
      described.push(given),
      { add: (...more: unknown[]) => measured.push([given[0], ...more]) }
    ),
    createHistogram: (...given: unknown[]) => (
      described.push(given),
      { record: (...more: unknown[]) => measured.push([given[0], ...more]) }
    ),
    createObservableGauge: (...given: unknown[]) => (
      described.push(given),
      {
        addCallback: (callback: (result: object) => void) => void callbacks.set(given[0] as string, callback),
        removeCallback: (callback: unknown) => {
          for (const [name, known] of callbacks) if (known === callback) callbacks.delete(name);
        },
      }
    ),
  };
  const observed = () => {
    const all: Record<string, unknown> = {};
    for (const [name, callback] of callbacks)
      callback({ observe: (value: number, attributes: object) => (all[name] = [value, attributes]) });
    return all;
  };
  return { meter, described, measured, observed, callbacks };
}

test('a meter receives grants, waits, holds and epochs, and reads the status', async () => {
  const { meter, described, measured, observed, callbacks } = meterOf();
  const [epochs$, notifications$] = [new Subject<number>(), new Subject<LockQueueNotification>()];
  let status = { state: 'serving', held: [{}, {}], waiting: [{ callers: 2 }, { callers: 3 }] } as unknown as LocksStatus;
  reportMetrics(meter as never, { id: 'a', name: 'mine' } as LiveNode, epochs$, notifications$, () => status);
  const advice = {
    explicitBucketBoundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300],
  };
  expect(described).toEqual([
    ['quiver.locks.wait.duration', { description: 'From a request to the end of its wait', unit: 's', advice }],
    ['quiver.locks.hold.duration', { description: 'From a grant to its release or loss', unit: 's', advice }],
    ['quiver.locks.epochs', { description: 'Epochs that have begun at this peer', unit: '{epoch}' }],
    ['quiver.locks.serving', { description: '1 while locks are granted at this peer' }],
    ['quiver.locks.held', { description: 'Locks that are held at this peer' }],
    ['quiver.locks.waiting', { description: 'Requests that wait at this peer' }],
  ]);
  const of = { 'quiver.peer': 'a', 'quiver.locks.name': 'mine' };
  epochs$.next(7);
  for (const type of ['asked', 'granted', 'unavailable', 'abandoned', 'released', 'lost'] as const)
    notifications$.next({ type, ms: 1_500 });
  expect(measured).toEqual([
    ['quiver.locks.epochs', 1, of],
    ...(['granted', 'unavailable', 'abandoned'] as const).map((outcome) => [
      'quiver.locks.wait.duration',
      1.5,
      { ...of, 'quiver.locks.outcome': outcome },
    ]),
    ...(['released', 'lost'] as const).map((outcome) => [
      'quiver.locks.hold.duration',
      1.5,
      { ...of, 'quiver.locks.outcome': outcome },
    ]),
  ]);
  expect(observed()).toEqual({ 'quiver.locks.serving': [1, of], 'quiver.locks.held': [2, of], 'quiver.locks.waiting': [5, of] });
  status = { ...status, state: 'attached' } as LocksStatus;
  expect(observed()['quiver.locks.serving']).toEqual([1, of]);
  status = { ...status, state: 'apart' } as LocksStatus;
  expect(observed()['quiver.locks.serving']).toEqual([0, of]);
  await Promise.resolve();
  expect(callbacks.size).toBe(3);
  status = { ...status, state: 'closed', held: [], waiting: [] } as LocksStatus;
  expect(observed()).toEqual({ 'quiver.locks.serving': [0, of], 'quiver.locks.held': [0, of], 'quiver.locks.waiting': [0, of] });
  expect(callbacks.size).toBe(3);
  await Promise.resolve();
  expect(callbacks.size).toBe(0);
});
