/** Queue and multicast over live transports: one order at all peers, in one process and through a hub, and as actors of a machine. */
import { createActor } from 'xstate';
import { expect, onTestFinished, test, vi } from 'vitest';
import { ClosedError, ConnectionError } from '../transports/errors.js';
import { InProcessBus } from '../transports/in-process.js';
import { messagePort, MessagePortHub } from '../transports/message-port.js';
import { withMedium } from '../transports/medium.js';
import { createMulticast, multicastLogic, type Multicast, type OrderedMessage } from './multicast.js';
import { createQueue, queueLogic, type Place, type Successor } from './queue.js';

const ids = ['a', 'b', 'c'];

function busOf(): InProcessBus {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  return bus;
}

/** The deliveries of a multicast, from now on. */
function deliveriesOf(multicast: Multicast<any>): OrderedMessage<any>[] {
  const delivered: OrderedMessage<any>[] = [];
  multicast.addEventListener('message', (event) => delivered.push((event as CustomEvent<OrderedMessage>).detail));
  onTestFinished(() => multicast.close());
  return delivered;
}

/** The places along the chain of predecessors. */
function orderOf(places: readonly Place[]): string[] {
  const next = new Map(places.map(({ id, after }) => [after, id]));
  const order: string[] = [];
  for (let id = next.get(null); id !== undefined; id = next.get(id)) order.push(id);
  return order;
}

test('each operation of three peers has its own predecessor', async () => {
  const bus = busOf();
  const queues = ids.map((id) => createQueue({ transport: bus.transport(id), peers: ids }));
  const places = await Promise.all([...queues, ...queues, ...queues].map((queue) => queue.enqueue()));
  expect(orderOf(places).toSorted()).toEqual(places.map(({ id }) => id).toSorted());
  await Promise.all(queues.map((queue) => queue.close()));
});

test('through a hub, each operation of three peers has its own predecessor', async () => {
  const hub = new MessagePortHub();
  onTestFinished(() => hub.close());
  const queues = ids.map((id) => {
    const { port1, port2 } = new MessageChannel();
    hub.attach(port1);
    return createQueue({ transport: messagePort(port2, { id }), peers: ids });
  });
  const places = await Promise.all([...queues, ...queues].map((queue) => queue.enqueue()));
  expect(orderOf(places)).toHaveLength(6);
  await Promise.all(queues.map((queue) => queue.close()));
});

test('a peer is notified of the operation behind its own', async () => {
  const bus = busOf();
  const [a, b] = ['a', 'b'].map((id) => createQueue({ transport: bus.transport(id), peers: ['a', 'b'] }));
  const followed: Successor[] = [];
  a!.addEventListener('followed', (event) => followed.push((event as CustomEvent<Successor>).detail));
  const first = await a!.enqueue();
  const second = await b!.enqueue();
  expect(second.after).toBe(first.id);
  expect(followed).toEqual([{ id: first.id, by: 'b' }]);
  await Promise.all([a!.close(), b!.close()]);
  await expect(a!.enqueue()).rejects.toThrow(ClosedError);
});

test('a weak transport is linked, and closed with the last object on it', async () => {
  const transport = withMedium(busOf().transport('a'), () => (messages) => messages);
  const [queue, multicast] = [createQueue({ transport, peers: ['a'] }), createMulticast({ transport, peers: ['a'] })];
  expect(await queue.enqueue()).toMatchObject({ after: null });
  await queue.close();
  await multicast.send('hello');
  expect(transport.isClosed).toBe(false);
  await multicast.close();
  await vi.waitFor(() => expect(transport.isClosed).toBe(true));
});

test('peers that list each other in any order deliver all messages in one order', async () => {
  const bus = busOf();
  const lists = [ids, ids.toReversed(), ['b', 'a', 'c']];
  const peers = ids.map((id, i) => createMulticast<number>({ transport: bus.transport(id), peers: lists[i]! }));
  const delivered = peers.map(deliveriesOf);
  const sent = await Promise.all(Array.from({ length: 30 }, (_, i) => peers[i % 3]!.send(i)));
  expect(sent).toMatchObject(sent.map((_, i) => ({ peer: ids[i % 3], message: i })));
  await vi.waitFor(() => expect(delivered.map(({ length }) => length)).toEqual([30, 30, 30]));
  expect(delivered[1]).toEqual(delivered[0]);
  expect(delivered[2]).toEqual(delivered[0]);
  // Only the checks need the delivered messages in the state.
  expect(peers.map(({ node }) => node.view()['delivery']!.context)).toMatchObject(ids.map(() => ({ log: [], held: [] })));
  // Messages of one peer are sent in the order of the calls.
  const ofA = delivered[0]!.filter(({ peer }) => peer === 'a').map(({ message }) => message);
  expect(ofA).toEqual(ofA.toSorted((x, y) => x - y));
});

test('send resolves with the message at its place, and rejects after the end', async () => {
  const a = createMulticast({ transport: busOf().transport('a'), peers: ['a'] });
  const delivered = deliveriesOf(a);
  const message = { text: 'hello' };
  const sending = a.send(message);
  message.text = 'changed after the call';
  const sent = await sending;
  expect(sent).toMatchObject({ peer: 'a', message: { text: 'hello' } });
  expect(delivered).toEqual([sent]);
  await expect(a.send(undefined)).rejects.toThrow('JSON cannot contain a value of type undefined');
  const circle: Record<string, object> = {};
  circle['me'] = { circle };
  await expect(a.send(circle)).rejects.toThrow(/^multicast.send: Converting circular structure.+Pass an object/);
  const closing = a.close();
  await expect(a.send('late')).rejects.toThrow(ClosedError);
  await closing;
});

test('a message without a place is rejected at the end, with its reason', async () => {
  const bus = busOf();
  // The first peer, which is the center of the queue, is absent.
  const b = createMulticast({ transport: bus.transport('b'), peers: ids });
  await b.ready;
  const waiting = b.send('waits');
  void b.close();
  await expect(waiting).rejects.toThrow(new ClosedError('multicast "multicast" is closed'));
  const again = createMulticast({ transport: bus.transport('c'), peers: ids });
  await again.ready;
  const twin = createMulticast({ transport: bus.transport('c'), peers: ids });
  const rejected = twin.send('before the end');
  await expect(rejected).rejects.toThrow(ConnectionError);
  await expect(twin.send('after the end')).rejects.toThrow(ConnectionError);
  await again.close();
});

test('an object is closed by await using, and is an actor by itself', async () => {
  const bus = busOf();
  const closed: Promise<unknown>[] = [];
  {
    await using queue = createQueue({ transport: bus.transport('a'), peers: ['a'] });
    await using multicast = createMulticast({ transport: bus.transport('b'), peers: ['b'] });
    closed.push(queue.node.closed, multicast.node.closed);
    for (const { actor, node } of [queue, multicast]) expect(actor).toBe(node.actor);
  }
  expect(await Promise.all(closed)).toEqual([null, null]);
});

test('an actor announces the operation behind its own', async () => {
  const bus = busOf();
  const [a, b] = ['a', 'b'].map((id) => createQueue({ transport: bus.transport(id), peers: ['a', 'b'] }));
  const places = createActor(queueLogic, { id: 'places', input: { queue: a! } });
  const notices: object[] = [];
  places.on('followed', (notice) => notices.push(notice));
  places.start();
  const { id } = await a!.enqueue();
  await b!.enqueue();
  expect(notices).toEqual([{ type: 'followed', from: 'places', id, by: 'b' }]);
  places.stop();
  await Promise.all([a!.close(), b!.close()]);
});

test('as actors: places and deliveries arrive as notices with the id of the actor', async () => {
  const bus = busOf();
  const queue = createQueue({ transport: bus.transport('a'), peers: ['a'] });
  const multicast = createMulticast({ transport: bus.transport('b'), peers: ['b'] });
  const notices: object[] = [];
  const places = createActor(queueLogic, { id: 'places', input: { queue } });
  const chat = createActor(multicastLogic, { id: 'chat', input: { multicast } });
  places.on('*', (notice) => notices.push(notice));
  chat.on('*', (notice) => notices.push(notice));
  places.start().send({ type: 'enqueue' });
  chat.start().send({ type: 'send', message: 'hello' });
  chat.send({ type: 'send', message: undefined });
  await vi.waitFor(() => expect(notices).toHaveLength(5));
  expect(notices).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'ready', from: 'places' }),
      expect.objectContaining({ type: 'placed', from: 'places', after: null }),
      expect.objectContaining({ type: 'ready', from: 'chat' }),
      expect.objectContaining({ type: 'delivered', from: 'chat', peer: 'b', message: 'hello' }),
      expect.objectContaining({ type: 'failed', from: 'chat' }),
    ]),
  );
  places.stop();
  chat.stop();
  await Promise.all([queue.close(), multicast.close()]);
});

test.each([createQueue, createMulticast])('%o refuses wrong options', (create) => {
  const { name } = create;
  const transport = busOf().transport('a');
  expect(() => create({ transport, peers: ['b'] })).toThrow('peer "a" is missing in peers (b). Add it.');
  expect(() => create({ transport, peers: ['a'], roundTripMs: 0 })).toThrow(
    'roundTripMs is 0. Pass a whole number of milliseconds',
  );
  expect(() => create({ transport, peers: ['a'], parents: {} } as never)).toThrow(`${name} has no option parents`);
});
