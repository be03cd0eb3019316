/** Multicast over a medium that loses, repeats and reorders messages below the link layer. */
import { EMPTY, delay, mergeMap, of, type MonoTypeOperatorFunction } from 'rxjs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { Random } from '../../network/random.js';
import { linked } from '../linked.js';
import { InProcessBus } from '../transports/in-process.js';
import { withMedium } from '../transports/medium.js';
import { createMulticast, type OrderedMessage } from './multicast.js';

const ids = ['a', 'b', 'c'];

/** Loses a fifth of the messages, repeats a tenth, and delays each by up to 10 ms. */
function badMedium<T>(random: Random): MonoTypeOperatorFunction<T> {
  return mergeMap((message: T) => {
    const fate = random.below(10);
    if (fate < 2) return EMPTY;
    return (fate === 2 ? of(message, message) : of(message)).pipe(mergeMap((one) => of(one).pipe(delay(random.below(10)))));
  });
}

test('lost, repeated and reordered messages below: all peers deliver in one order', async () => {
  const bus = new InProcessBus();
  onTestFinished(() => bus.close());
  const random = new Random(1, 'medium');
  const peers = ids.map((id) => {
    const transport = linked(
      withMedium(bus.transport(id), () => badMedium(random)),
      { peers: ids, beatMs: 20, patience: 500 },
    );
    const multicast = createMulticast<number>({ transport, peers: ids });
    onTestFinished(() => transport.close());
    return multicast;
  });
  const delivered = peers.map((peer) => {
    const received: number[] = [];
    peer.addEventListener('message', (event) => received.push((event as CustomEvent<OrderedMessage<number>>).detail.message));
    return received;
  });
  await Promise.all(Array.from({ length: 24 }, (_, i) => peers[i % 3]!.send(i)));
  await vi.waitFor(() => expect(delivered.map(({ length }) => length)).toEqual([24, 24, 24]), 10_000);
  expect(delivered[1]).toEqual(delivered[0]);
  expect(delivered[2]).toEqual(delivered[0]);
}, 30_000);
