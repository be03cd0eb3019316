/** RxJS operators between a live transport and its user. */
import { delay, filter, map, throttleTime, type MonoTypeOperatorFunction } from 'rxjs';
import { expect, onTestFinished, test } from 'vitest';
import { VirtualClock } from '../../network/clock.js';
import { createLocks } from '../locks/locks.js';
import { InProcessBus } from './in-process.js';
import { withMedium } from './medium.js';
import type { Json, TransportEvent } from './transport.js';

async function pairWith(operator: (from: string) => MonoTypeOperatorFunction<Json> | undefined) {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const sender = bus.transport('a');
  const receiver = withMedium(bus.transport('b'), operator);
  const events: TransportEvent[] = [];
  receiver.events.subscribe((event) => events.push(event));
  await Promise.all([sender.connect(), receiver.connect()]);
  await expect.poll(() => events).toEqual([{ type: 'up', peer: 'a' }]);
  const messages = () => events.flatMap((event) => (event.type === 'message' ? [event.message] : []));
  return { bus, sender, receiver, events, messages };
}
const settled = () => new Promise((resolve) => setTimeout(resolve, 5));

test('messages are delivered when the operator emits them', async () => {
  const clock = new VirtualClock();
  const { sender, messages } = await pairWith(() => delay(50, clock));
  sender.send('b', 1);
  await settled();
  expect(messages()).toEqual([]);
  clock.runUntil(50);
  expect(messages()).toEqual([1]);
});

test('throttled and dropped messages do not arrive; other peers are unchanged', async () => {
  const clock = new VirtualClock();
  for (const [operator, expected] of [
    [throttleTime<Json>(10, clock), [1]],
    [filter<Json>((n) => n !== 2), [1, 3]],
    [undefined, [1, 2, 3]],
  ] as const) {
    const { sender, messages } = await pairWith(() => operator);
    for (const n of [1, 2, 3]) sender.send('b', n);
    await settled();
    expect(messages()).toEqual(expected);
  }
});

test('pending messages of a peer are lost when it goes down, and at the end', async () => {
  const clock = new VirtualClock();
  const { sender, receiver, events, messages } = await pairWith(() => delay(50, clock));
  sender.send('b', 1);
  await settled();
  await sender.close();
  await expect.poll(() => events.at(-1)).toEqual({ type: 'down', peer: 'a' });
  await receiver.close();
  clock.runUntil(100);
  expect(messages()).toEqual([]);
  expect(events.at(-1)).toEqual({ type: 'closed', error: null });
});

test('an operator that fails closes the transport with its error', async () => {
  const { sender, events } = await pairWith(() =>
    map(() => {
      throw new Error('broken');
    }),
  );
  sender.send('b', 1);
  await expect
    .poll(() => events.at(-1))
    .toMatchObject({ type: 'closed', error: { message: expect.stringMatching(/from "a" to "b" failed: .*broken/) } });
});

test('locks work over a medium that loses every fifth message', async () => {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const peers = ['a', 'b', 'c'];
  let count = 0;
  const all = peers.map((id) =>
    createLocks({ transport: withMedium(bus.transport(id), () => filter(() => ++count % 5 !== 0)), peers }),
  );
  const order = await Promise.all(all.map((locks, i) => locks.request('printer', () => i)));
  expect(order.toSorted()).toEqual([0, 1, 2]);
  await Promise.all(all.map((locks) => locks.close()));
});

test('wrong arguments are refused', () => {
  expect(() => withMedium({} as never, () => undefined)).toThrow('withMedium takes a transport as its first argument');
  expect(() => withMedium(new InProcessBus().transport('a'), delay(1) && (undefined as never))).toThrow('returns an operator');
});
