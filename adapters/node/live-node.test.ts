/** A node in an application: its parts, and its reactions to messages and peers. */
import { describe, expect, onTestFinished, test } from 'vitest';
import { defineCore } from '../../machines/define.js';
import type { PeerStorage } from '../storage/storage.js';
import { createTransport } from '../transports/driver.js';
import { ClosedError, ConnectionError } from '../transports/errors.js';
import { inProcessGuarantees } from '../transports/guarantees.js';
import { createNode } from './node.js';
import {
  bye,
  countOf,
  description,
  envelope,
  receivedMessage,
  hello,
  linkedCore,
  made,
  parrotCore,
  started,
  valueOf,
  warnings,
  word,
  type Event,
} from './parrot.fixture.js';
import { watchers } from './watchers.js';

describe('the parts of a node', () => {
  test('is reported as it was given', async () => {
    const topology = { nodes: ['a'], links: [] };
    const { node } = await started({ name: 'mine', options: { loud: true }, topology });
    expect([node.id, node.name, node.protocol]).toEqual(['a', 'mine', parrotCore]);
    expect(node.scenario).toEqual({ protocol: 'parrot', topology, options: { loud: true } });
    expect(node.instance.options).toEqual({ loud: true });
    expect(node.instance.topology).toEqual(topology);
  });

  test('has the protocol’s name and no options by default', async () => {
    const { node } = await started();
    expect([node.name, node.scenario.options]).toEqual(['parrot', {}]);
  });

  test('wrong options and an unlisted node are refused with errors that name them', () => {
    expect(() => createNode({} as never)).toThrow('createNode: transport is missing');
    expect(() => made({ topology: { nodes: ['b', 'c'], links: [] }, name: 'mine' })).toThrow(
      'node "a" is not in the topology of "mine". Add it to b, c.',
    );
    const storage: PeerStorage = { load: async () => undefined, save: async () => {} };
    expect(() => made({ storage })).toThrow('protocol parrot stores nothing. Remove the option "storage" of "parrot".');
    expect(() => made({ guarantees: { ...inProcessGuarantees, loss: 'possible' } })).toThrow('parrot is not safe on a transport');
  });

  test('watchers of all nodes of the process are notified', () => {
    const seen: object[] = [];
    const watch = (node: object) => void seen.push(node);
    watchers().add(watch);
    onTestFinished(() => void watchers().delete(watch));
    const { node } = made();
    expect(seen).toEqual([node]);
  });
});

describe('before it has started', () => {
  test('it has no roles; commands wait for the start, and keep their order', async () => {
    const { node, steps } = made();
    expect([node.view(), node.role('parrot'), node.attempt('work'), node.attempt('rest')]).toEqual([{}, undefined, true, true]);
    node.command('say', { to: 'b', text: 'early' });
    expect(steps).toEqual([]);
    await node.ready;
    expect(steps.map(({ event }) => event.type)).toEqual(['start', 'work', 'rest', 'say']);
    expect(steps[0]).not.toHaveProperty('role');
    expect(steps[1]).toMatchObject({ role: 'parrot', drawn: [], numbers: [] });
  });

  test('messages and peers wait for the start, in order', async () => {
    const { node, notifications, arrived } = made({
      before: (medium) => {
        medium.up('b');
        for (const text of ['one', 'two']) medium.received('b', word(text));
      },
    });
    expect([notifications, arrived]).toEqual([[], []]);
    await node.ready;
    expect(notifications).toEqual([receivedMessage('b', 'one'), receivedMessage('b', 'two')]);
    expect(arrived).toEqual([{ type: 'up', peer: 'b' }]);
  });

  test('a node that is closed before never starts', async () => {
    const { node, steps } = made();
    await node.close();
    await node.ready;
    expect([steps, node.view()]).toEqual([[], {}]);
  });

  test('if the transport cannot connect, the node ends with the error', async () => {
    const transport = createTransport('a', inProcessGuarantees, () => {
      throw new ConnectionError('nobody there');
    });
    const node = createNode({ transport, protocol: parrotCore, topology: { nodes: ['a'], links: [] } });
    await expect(node.ready).rejects.toThrow('nobody there');
    expect(await node.closed).toMatchObject({ name: 'ConnectionError' });
  });

  test('it continues from a given state without a first step', async () => {
    const resume = { parrot: { chart: 'parrot', value: 'busy', context: { counted: 7 } } };
    const { node, steps } = made({ resume });
    await node.ready;
    expect([steps, valueOf(node), countOf(node)]).toEqual([[], 'busy', 7]);
    expect(node.role('parrot')).toMatchObject({ value: 'busy' });
  });
});

describe('received messages', () => {
  test('are steps with numbers and notifications, which are events too', async () => {
    const { node, medium, steps, notifications, arrived } = await started();
    const events: unknown[] = [];
    node.addEventListener('arrived', (event) => events.push((event as CustomEvent).detail));
    medium.received('b', word('hi'));
    expect([notifications, events]).toEqual([[receivedMessage('b', 'hi')], [receivedMessage('b', 'hi')]]);
    expect(steps).toMatchObject([{ role: 'parrot', event: { type: 'word', text: 'hi', from: 'b' }, number: 1, numbers: [] }]);
    expect(steps[0]).not.toHaveProperty('selected');
    medium.received('b', word('again'));
    expect([steps[1]!.number, arrived]).toEqual([2, []]);
  });

  test('from strangers or malformed are dropped, counted, reported and change nothing', async () => {
    const reported = warnings();
    const { node, medium, steps, arrived } = await started();
    medium.received('x', word('hi'));
    medium.received('b', envelope({ type: 'word', text: 7 }));
    expect([steps, node.drops.count]).toEqual([[], 2]);
    expect(arrived).toEqual([{ type: 'dropped', peer: 'b', number: 1 }]);
    expect(reported()).toEqual([
      'node "a" of "parrot" dropped a message: A message is from "x", which is not in the topology. If it should participate, add it: linked(transport, { peers })',
    ]);
    const other = await started({ name: 'other' });
    other.medium.received('c', envelope({ type: 'song' }, 'other'));
    expect(reported()[1]).toBe(
      'node "a" of "other" dropped a message: "song" from "c" is malformed, or names a node that is not in the topology here. Pass the same list of peers everywhere, also to linked',
    );
  });

  test('from peers that it may not be linked with are dropped too', async () => {
    const reported = warnings();
    const { node, medium, notifications, arrived } = await started({ neighbors: ['c'] });
    for (const peer of ['b', 'c']) {
      medium.up(peer);
      medium.received(peer, word(peer));
    }
    expect(notifications).toEqual([receivedMessage('c', 'c')]);
    expect(arrived).toEqual([{ type: 'up', peer: 'c' }]);
    expect([node.drops.count, reported()[0]]).toEqual([1, expect.stringContaining('A message is from "b"')]);
    expect(node.peers().map(({ peer }) => peer)).toEqual(['c']);
  });

  test('are not counted on unordered channels', async () => {
    const { node, medium, steps, arrived } = await started({ guarantees: { ...inProcessGuarantees, order: 'unordered' } });
    const reported = warnings();
    medium.up('b');
    medium.received('b', word('hi'));
    medium.received('b', envelope({ type: 'song' }));
    node.command('say', { to: ['b', 'a'], text: 'ho' });
    expect(steps.map(({ number, numbers }) => [number, numbers])).toEqual([
      [undefined, []],
      [undefined, [null, null]],
    ]);
    expect([arrived, reported().length]).toEqual([[{ type: 'up', peer: 'b' }], 1]);
    expect(node.peers()).toEqual([
      { peer: 'b', isUp: true, sent: null, received: null },
      { peer: 'c', isUp: false, sent: null, received: null },
    ]);
  });

  test('from the first node, or the node itself without a link, are handled as others', async () => {
    const { node, medium, notifications } = await started({ topology: { nodes: ['b', 'a', 'c'], links: [] }, neighbors: ['b'] });
    medium.received('b', word('hi'));
    node.command('say', { to: 'a', text: 'ho' });
    await Promise.resolve();
    expect(notifications).toEqual([receivedMessage('b', 'hi'), receivedMessage('a', 'ho')]);
  });

  test('a protocol that reads time gets it: increasing, and never behind the clock', async () => {
    const timed = defineCore({ ...description, network: { reach: 'routed', time: true } });
    const { medium, clock, steps } = await started({ protocol: timed });
    const at = () => (steps.at(-1)!.event as Event)['at'] as number;
    medium.received('b', word('one'));
    expect(at()).toBe(1);
    medium.received('b', word('two'));
    expect(at()).toBe(2);
    clock.runUntil(50);
    medium.received('b', word('three'));
    expect(at()).toBe(50);
    medium.received('b', word('four'));
    expect(at()).toBe(51);
  });
});

describe('sent messages', () => {
  test('are numbered for each receiver, and none goes to a departed peer', async () => {
    const { node, medium, sent, steps } = await started();
    for (const peer of ['b', 'c']) medium.up(peer);
    node.command('say', { to: ['b', 'c', 'b'], text: 'hi' });
    expect(sent).toEqual([
      ['b', word('hi')],
      ['c', word('hi')],
      ['b', word('hi')],
    ]);
    medium.down('c');
    node.command('say', { to: 'c', text: 'gone' });
    node.command('say', { to: 'b', text: 'there' });
    expect(steps.map(({ numbers }) => numbers)).toEqual([[1, 1, 2], [0], [3]]);
    medium.received('b', word('ho'));
    expect(node.peers()).toEqual([
      { peer: 'b', isUp: true, sent: 3, received: 1 },
      { peer: 'c', isUp: false, sent: 0, received: 0 },
    ]);
  });

  test('to itself arrive a moment later in order, and are numbered too', async () => {
    const { node, sent, steps, notifications } = await started();
    node.command('say', { to: ['a', 'a'], text: 'hi' });
    expect([steps[0]!.numbers, notifications, sent]).toEqual([[1, 2], [], []]);
    await Promise.resolve();
    expect(notifications).toEqual([receivedMessage('a', 'hi'), receivedMessage('a', 'hi')]);
    expect(steps.map(({ number }) => number)).toEqual([undefined, 1, 2]);
  });

  test('that the protocol itself would reject end the node, and none is sent', async () => {
    const { node, sent, steps } = await started();
    node.command('babble');
    expect(await node.closed).toMatchObject({ name: 'ProtocolError', message: expect.stringContaining('Node a sent') });
    expect([sent, steps]).toEqual([[], []]);
  });

  test('are not left at a hub for absent peers if the protocol tolerates losses', async () => {
    const lossy = defineCore({ ...description, network: { reach: 'routed', isLossy: true } });
    const { node, medium, sent, steps } = await started({ protocol: lossy });
    medium.up('b');
    node.command('say', { to: ['b', 'c'], text: 'hi' });
    expect([sent, steps[0]!.numbers]).toEqual([[['b', word('hi')]], [1, 0]]);
    const blind = await started({ protocol: lossy, guarantees: { ...inProcessGuarantees, presence: 'none' } });
    blind.node.command('say', { to: 'c', text: 'hi' });
    expect(blind.sent).toEqual([['c', word('hi')]]);
  });

  test('are left at the hub for absent peers otherwise', async () => {
    const { node, sent } = await started();
    node.command('say', { to: 'c', text: 'hi' });
    expect(sent).toEqual([['c', word('hi')]]);
  });
});

describe('protocols with link events', () => {
  test('peers are greeted when they connect, and the chart is notified when they answer', async () => {
    const { node, medium, sent, notifications, arrived } = made({ protocol: linkedCore, before: (medium) => medium.up('b') });
    await node.ready;
    medium.up('c');
    expect(sent.splice(0)).toEqual([
      ['b', hello()],
      ['c', hello()],
    ]);
    medium.received('b', hello(true));
    medium.received('c', hello());
    expect(sent.splice(0)).toEqual([['c', hello(true)]]);
    medium.received('b', bye);
    medium.down('c');
    expect(notifications).toEqual([
      { type: 'came', peer: 'b' },
      { type: 'came', peer: 'c' },
      { type: 'went', peer: 'b' },
      { type: 'went', peer: 'c' },
    ]);
    expect(arrived.filter(({ type }) => type !== 'dropped')).toEqual([
      { type: 'up', peer: 'b' },
      { type: 'up', peer: 'c' },
      { type: 'down', peer: 'c' },
    ]);
  });

  test('waiting messages have no number yet, and greeted peers receive the goodbye', async () => {
    const { node, medium, sent, steps } = await started({ protocol: linkedCore });
    medium.up('b');
    node.command('say', { to: 'b', text: 'hi' });
    expect([steps[0]!.numbers, sent.splice(0)]).toEqual([[null], [['b', hello()]]]);
    medium.received('b', hello(true));
    expect(sent.splice(0)).toEqual([['b', word('hi')]]);
    await node.close();
    expect(sent).toEqual([['b', bye]]);
  });

  test('a failed goodbye delays nothing, and a closed transport is not used', async () => {
    let isBroken = false;
    const send = () => {
      if (isBroken) throw new ClosedError('broken');
    };
    const { node, medium } = await started({ protocol: linkedCore, send });
    medium.up('b');
    isBroken = true;
    await node.close();
    expect(await node.closed).toBeNull();
    const other = await started({ protocol: linkedCore });
    other.medium.up('b');
    other.sent.length = 0;
    other.medium.broke(new ConnectionError('cut'));
    expect([await other.node.closed, other.sent]).toEqual([new ConnectionError('cut'), []]);
  });

  test('ports: a node sends to itself at port 0, in the next turn of the clock', async () => {
    const anonymous = defineCore({ ...description, network: { reach: 'links', addressing: 'ports' } });
    const { node, medium, clock, sent, steps, notifications } = await started({ protocol: anonymous });
    medium.up('b');
    medium.received('b', hello(true));
    expect([node.ports.of('b'), notifications.splice(0)]).toEqual([1, [{ type: 'came', peer: 1 }]]);
    sent.length = 0;
    node.command('say', { to: [1, 0], text: 'hi' });
    expect([steps.at(-1)!.numbers, sent]).toEqual([[expect.any(Number), 1], [['b', word('hi')]]]);
    await Promise.resolve();
    expect(notifications).toEqual([]);
    clock.runUntil(1);
    expect(notifications).toEqual([receivedMessage(0, 'hi')]);
  });
});
