/** The end of a node in an application, and its stored state. */
import { describe, expect, test } from 'vitest';
import { defineCore } from '../../machines/define.js';
import { storageMachine } from '../../machines/storage.js';
import type { PeerStorage } from '../storage/storage.js';
import { createTransport } from '../transports/driver.js';
import { ConnectionError } from '../transports/errors.js';
import { inProcessGuarantees } from '../transports/guarantees.js';
import type { Json } from '../transports/transport.js';
import { createNode } from './node.js';
import { description, made, parrotCore, started, warnings, word } from './parrot.fixture.js';

describe('the end', () => {
  test('is reported to listeners, and waiting commands are dropped', async () => {
    const { node, medium, steps, notifications } = await started();
    const ended: string[] = [];
    node.steps$.subscribe({ complete: () => ended.push('steps') });
    node.observations$.subscribe({ complete: () => ended.push('arrived') });
    node.notifications$.subscribe({ complete: () => ended.push('notifications') });
    node.command('work');
    node.command('work');
    await node[Symbol.asyncDispose]();
    expect([await node.closed, ended.sort(), node.view()]).toEqual([null, ['arrived', 'notifications', 'steps'], {}]);
    medium.received('b', word('late'));
    node.guard();
    await node.close();
    expect([steps.length, notifications]).toEqual([1, []]);
  });

  test('frees its name on the transport, which stays open', async () => {
    const reported = warnings();
    const { node, medium } = await started();
    await node.close();
    medium.received('b', word('late'));
    expect(reported()).toEqual([]);
  });

  test('of the transport ends the node, with its error or a named one', async () => {
    const broken = await started();
    broken.medium.lost(new ConnectionError('cut'));
    expect(await broken.node.closed).toEqual(new ConnectionError('cut'));
    const transport = createTransport('a', inProcessGuarantees, (medium) => medium.opened({ send: () => {}, close: () => {} }));
    const node = createNode({ transport, protocol: parrotCore, topology: { nodes: ['a'], links: [] } });
    await node.ready;
    await transport.close();
    expect(await node.closed).toMatchObject({ name: 'ClosedError', message: 'the transport of "a" was closed' });
  });
});

describe('storage', () => {
  const storing = defineCore({
    ...description,
    charts: { ...description.charts, storage: storageMachine },
    roles: () => [{ role: 'parrot', chart: 'parrot', input: {} }],
    reload: () => [{ role: 'parrot', chart: 'parrot', input: {} }],
    route: () => 'parrot',
  });

  /** A storage that answers when the test lets it. */
  const inHand = (loaded?: Json) => {
    const saves: { value: Json; done: () => void; fail: (error: Error) => void }[] = [];
    const storage: PeerStorage = {
      load: async () => loaded,
      save: (_, value) => new Promise((done, fail) => saves.push({ value, done, fail })),
    };
    return { storage, saves };
  };
  const turns = () => new Promise((resolve) => setImmediate(resolve));

  test("the charts' state is saved with its owner, and they continue once it is safe", async () => {
    const { storage, saves } = inHand({ peer: 'a', stored: { old: 0 } });
    const { node, clock, notifications } = await started({ protocol: storing, storage });
    node.command('keep', { key: 'x', value: 1 });
    clock.runUntil(10);
    expect([notifications, saves.map(({ value }) => value)]).toEqual([[], [{ peer: 'a', stored: { old: 0, x: 1 } }]]);
    saves[0]!.done();
    await turns();
    expect(notifications).toEqual([{ type: 'kept', key: 'x' }]);
  });

  test('close waits for pending saves', async () => {
    const { storage, saves } = inHand();
    const { node } = await started({ protocol: storing, storage });
    node.command('keep', { key: 'x', value: 1 });
    let isClosed = false;
    const closing = node.close().then(() => (isClosed = true));
    await turns();
    expect(isClosed).toBe(false);
    saves[0]!.done();
    await closing;
    expect(isClosed).toBe(true);
  });

  test('a storage that fails ends the node', async () => {
    const { storage, saves } = inHand();
    const { node, notifications } = await started({ protocol: storing, storage });
    node.command('keep', { key: 'x', value: 1 });
    saves[0]!.fail(new Error('full'));
    expect(await node.closed).toMatchObject({
      name: 'StorageError',
      message: expect.stringContaining('"parrot" cannot be saved'),
    });
    expect(notifications).toEqual([]);
  });

  test('an unreadable one ends the node before its start; other timers still run', async () => {
    const { storage } = inHand({ peer: 'b', stored: {} });
    const { node } = made({ protocol: storing, storage });
    await expect(node.ready).rejects.toThrow('"parrot" in the storage of peer "a" belongs to peer "b"');
    const { node: good, clock, notifications } = await started({ protocol: storing, storage: inHand().storage });
    good.command('ring', { timer: 'soon', delay: 2 });
    clock.runUntil(2);
    expect(notifications).toEqual([{ type: 'rang', timer: 'soon' }]);
  });
});
