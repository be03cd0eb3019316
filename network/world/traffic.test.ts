/** Routing of messages to their receivers, and faults of messages in flight. */
import { describe, expect, test } from 'vitest';
import { Environment } from './environment.js';
import { Script } from './script.js';
import { isHeldUp, receiverOf, requireAccepted, senderAs, Traffic } from './traffic.js';
import type { Fate } from './driver.js';

const NODES = ['a', 'b', 'c'];
const hello = { type: 'hello' };

/** A line a-b-c that records all calls of driver and witness. */
function trafficOf(reach: 'links' | 'routed' = 'links', fate: () => Fate = () => 'kept') {
  const protocol = { name: 'toy', network: { reach, addressing: 'names' }, accepts: ({ type }: any) => type !== 'wrong' } as any;
  const links = [
    ['a', 'b', 2],
    ['b', 'c', 3],
  ] as const;
  const instance = {
    topology: { nodes: NODES, links },
    options: {},
    rank: (node: string) => NODES.indexOf(node),
    distance: (from: string, to: string) => (from === to ? 0 : to === 'x' ? Infinity : 7),
  } as any;
  const measured: unknown[] = [];
  const measure = (topology: unknown) => {
    measured.push(topology);
    return { distance: () => 11 };
  };
  const plan = { protocol, instance, script: new Script([], protocol), workload: undefined, budget: {} };
  const environment = Environment.of(plan);
  const received: string[] = [];
  const note =
    (what: string) =>
    (...[first, second]: any[]) =>
      received.push(
        [what, first?.flight ? `${first.flight.id} ${first.why}` : (first?.why ?? first?.id ?? first), second]
          .filter((part) => part !== undefined)
          .join(' '),
      );
  const driver = { launched: note('launched'), landed: note('landed'), emptied: note('emptied'), fate } as any;
  const witness = { lost: note('lost'), duplicated: note('duplicated'), placed: note('placed'), refused: note('refused') } as any;
  const frame = { ...plan, measure, order: 'fifo' } as any;
  const traffic = new Traffic(frame, environment, driver, witness);
  const sent: any[] = [];
  const send = (from: string, to: string, message = hello) =>
    traffic.send(from, to, message, sent, (node) => NODES.includes(node));
  const copy = () => new Traffic(frame, environment, driver, witness, traffic);
  return { traffic, environment, received, sent, send, measured, copy };
}

describe('addresses', () => {
  const links = {
    peerAt: (_: string, port: number) => (port === 2 ? 'b' : undefined),
    port: (node: string) => (node === 'b' ? 5 : 6),
  };

  test('addresses are names or ports of the sender; the receiver sees name or own port', () => {
    expect([receiverOf(links, 'a', 'c'), receiverOf(links, 'a', 2), receiverOf(links, 'a', 3)]).toEqual(['c', 'b', undefined]);
    const way = { from: 'a', to: 'b' };
    expect([senderAs('names', links, way), senderAs('ports', links, way)]).toEqual(['a', 5]);
  });
});

test('a malformed message is rejected when it is sent, with a shortened text', () => {
  const protocol = { name: 'toy', accepts: ({ type }: any) => type === 'hello' };
  expect(() => requireAccepted(protocol, {} as any, 'a', hello)).not.toThrow();
  expect(() => requireAccepted(protocol, {} as any, 'a', { type: 'x'.repeat(500) })).toThrow(
    `Node a sent {"type":"${'x'.repeat(191)}, which toy does not accept from the network.`,
  );
  const { send, sent } = trafficOf();
  expect(() => send('a', 'b', { type: 'wrong' })).toThrow(', which toy does not accept from the network.');
  expect(sent).toEqual([]);
});

describe('a message that is sent', () => {
  test('goes into flight at the cost of its link, and one to the node itself at 1', () => {
    const { send, sent, received, traffic } = trafficOf();
    send('a', 'b');
    send('b', 'b');
    expect(sent).toMatchObject([
      { id: 0, from: 'a', to: 'b', message: hello, cost: 2 },
      { id: 1, from: 'b', to: 'b', cost: 1 },
    ]);
    expect([received, traffic.flights.size]).toEqual([['launched 0', 'launched 1'], 2]);
  });

  test('a send from an unknown node is rejected; one on a down channel has no effect', () => {
    const { send, sent, received, environment } = trafficOf();
    send('a', 'x');
    environment.links.set('a', 'b', false);
    send('a', 'b');
    expect([sent, received]).toEqual([[], ['refused it sends to "x", where no node is']]);
    send('b', 'a');
    expect(sent.length).toBe(1);
  });

  test('may be lost or duplicated in flight', () => {
    const lost = trafficOf('links', () => 'lost');
    lost.send('a', 'b');
    expect([lost.received, lost.sent.length, lost.traffic.flights.size]).toEqual([
      ['launched 0', 'landed 0', 'lost 0 loss'],
      1,
      0,
    ]);
    const duplicated = trafficOf('links', () => 'doubled');
    duplicated.send('a', 'b');
    expect([duplicated.received, duplicated.sent.length]).toEqual([['launched 0', 'launched 1', 'duplicated 1'], 1]);
    expect(duplicated.traffic.flights.get(1)).toMatchObject({ from: 'a', to: 'b', message: hello, cost: 2 });
  });

  test('is routed over the whole network, by the metric of the links as they are', () => {
    const { send, sent, traffic, environment, measured, copy } = trafficOf('routed');
    environment.links.set('a', 'b', false);
    send('a', 'b');
    send('a', 'c');
    traffic.reroute();
    send('a', 'c');
    expect(sent.map(({ cost }) => cost)).toEqual([7, 7, 11]);
    expect(measured).toEqual([
      {
        nodes: NODES,
        links: [
          ['b', 'a', 2],
          ['b', 'c', 3],
        ],
      },
    ]);
    copy().send('a', 'c', hello, sent, () => true);
    expect(sent.at(-1).cost).toBe(11);
  });

  test('is lost without a route to its receiver', () => {
    const { traffic, received, sent } = trafficOf('routed');
    traffic.send('a', 'x', hello, sent, () => true);
    expect([received, sent, traffic.flights.size]).toEqual([['lost -1 no route'], [], 0]);
  });
});

describe('messages in flight', () => {
  test('is changed by number, and returns false for an unknown number', () => {
    const { traffic, send } = trafficOf();
    send('a', 'b');
    const got: number[] = [];
    expect([traffic.with(0, ({ id }) => got.push(id)), traffic.with(1, ({ id }) => got.push(id)), got]).toEqual([
      true,
      false,
      [0],
    ]);
  });

  test('is lost with its channel, and no other', () => {
    const { traffic, send, received } = trafficOf();
    for (const [from, to] of ['ab', 'ba', 'ab'] as unknown as [string, string][]) send(from, to);
    received.length = 0;
    traffic.empty('a', 'b');
    expect(received).toEqual([
      'landed 0',
      'lost 0 link down',
      'landed 2',
      'lost 2 link down',
      `emptied ${traffic.flights.channelOf('a', 'b')}`,
    ]);
    expect(traffic.flights.all.map(({ id }) => id)).toEqual([1]);
  });

  test('may exist without a sender, already in flight', () => {
    const { traffic, received } = trafficOf();
    traffic.place('a', 'b', hello, 4, 'its way');
    traffic.place('a', 'b', hello, 4);
    expect(received).toEqual(['launched 0 its way', 'placed 0', 'launched 1', 'placed 1']);
    expect(traffic.flights.get(0)).toMatchObject({ cost: 4, from: 'a', to: 'b' });
  });
});

describe('delayed messages', () => {
  const nothing = { paused: new Set<string>(), clogged: new Set<string>(), held: new Set<number>() };
  const packet = { id: 3, from: 'a', to: 'b' };

  test('waits before a node that is paused, on a clogged channel, or by its number', () => {
    expect(isHeldUp(nothing, packet)).toBe(false);
    expect(isHeldUp({ ...nothing, paused: new Set(['b']) }, packet)).toBe(true);
    expect(isHeldUp({ ...nothing, paused: new Set(['a']) }, packet)).toBe(false);
    expect(isHeldUp({ ...nothing, clogged: new Set(['a\nb']) }, packet)).toBe(true);
    expect(isHeldUp({ ...nothing, clogged: new Set(['b\na']) }, packet)).toBe(false);
    expect(isHeldUp({ ...nothing, held: new Set([3]) }, packet)).toBe(true);
    expect(isHeldUp({ ...nothing, held: new Set([4]) }, packet)).toBe(false);
  });

  test('a world delays messages as long as any of the three exists', () => {
    const { traffic, environment, send } = trafficOf();
    send('a', 'b');
    const flight = traffic.flights.get(0)!;
    expect([traffic.holdsUp, traffic.isHeldUp(flight)]).toEqual([false, false]);
    for (const set of [environment.paused, environment.clogged] as Set<string>[]) {
      set.add(set === environment.paused ? 'b' : 'a\nb');
      expect([traffic.holdsUp, traffic.isHeldUp(flight)]).toEqual([true, true]);
      set.clear();
    }
    traffic.held.add(0);
    expect([traffic.holdsUp, traffic.isHeldUp(flight)]).toEqual([true, true]);
    traffic.land(flight);
    expect([traffic.holdsUp, traffic.held.size]).toEqual([false, 0]);
  });

  test('a copy holds up the same, and goes its own way', () => {
    const { traffic, send, copy } = trafficOf();
    send('a', 'b');
    traffic.held.add(0);
    const other = copy();
    expect([other.holdsUp, other.flights.size]).toEqual([true, 1]);
    other.lose(other.flights.get(0)!, 'loss');
    expect([traffic.holdsUp, traffic.flights.size]).toEqual([true, 1]);
  });
});
