/** When messages arrive: in the order of their channel, unless the channel went down between. */
import { expect, test } from 'vitest';
import { Arrivals, calm, type Conditions } from './arrivals.js';
import { VirtualClock, virtualTiming } from './clock.js';
import type { Packet } from './world/flights.js';

const CHANNEL = 3;

/** Arrivals on a clock; `arrived` has the number of each message with its tick. */
function arrivalsOf(conditions: Partial<Conditions>) {
  const clock = new VirtualClock();
  const arrived: string[] = [];
  const hindered = new Set<number>();
  const held = new Set<number>();
  const world = {
    flights: { get: () => undefined },
    traffic: { isHeldUp: ({ id }: Packet) => hindered.has(id) || held.has(id), held },
    deliver: (packet: Packet) => {
      arrivals.landed(packet);
      arrived.push(`${packet.id} at ${clock.now()}`);
    },
  };
  const arrivals: Arrivals = new Arrivals({ ...calm, latency: 2, ...conditions }, virtualTiming(clock), () => world, 1);
  let sent = 0;
  const launch = (channel = CHANNEL): Packet => {
    const packet = { id: sent++, from: 'a', to: 'b', message: { type: 'word' }, cost: 1, channel };
    arrivals.launched(packet);
    return packet;
  };
  return { clock, arrivals, arrived, hindered, held, launch };
}

test('on a channel in order none overtakes one that was sent before it, and on another channel it may', () => {
  const { clock, arrivals, arrived, launch } = arrivalsOf({ order: 'fifo' });
  arrivals.slow(CHANNEL, 8);
  launch();
  arrivals.slow(CHANNEL, 0);
  launch();
  launch(CHANNEL + 1);
  clock.runUntil(20);
  expect(arrived).toEqual(['2 at 2', '0 at 10', '1 at 10']);
});

test('a channel that went down forgets when its last message was to arrive, and no other does', () => {
  const { clock, arrivals, arrived, launch } = arrivalsOf({ order: 'fifo' });
  arrivals.slow(CHANNEL, 8);
  arrivals.slow(CHANNEL + 1, 8);
  const lost = launch();
  launch(CHANNEL + 1);
  arrivals.landed(lost);
  arrivals.emptied(CHANNEL);
  arrivals.slow(CHANNEL, 0);
  arrivals.slow(CHANNEL + 1, 0);
  launch();
  launch(CHANNEL + 1);
  clock.runUntil(20);
  expect(arrived).toEqual(['2 at 2', '1 at 10', '3 at 10']);
});

test('without order, and where it is reordered, one overtakes', () => {
  for (const conditions of [{ order: 'unordered' }, { order: 'fifo', reorder: 1 }] as const) {
    const { clock, arrivals, arrived, launch } = arrivalsOf(conditions);
    arrivals.slow(CHANNEL, 8);
    launch();
    arrivals.slow(CHANNEL, 0);
    launch();
    clock.runUntil(20);
    expect(arrived).toEqual(['1 at 2', '0 at 10']);
  }
});

test('one that is held up arrives when it is let go, before those that were sent after it', () => {
  const { clock, arrivals, arrived, hindered, launch } = arrivalsOf({ order: 'fifo' });
  hindered.add(0);
  launch();
  clock.runUntil(5);
  expect(arrived).toEqual([]);
  hindered.clear();
  clock.at(7, 0, () => arrivals.release(), undefined);
  clock.runUntil(5);
  launch();
  clock.runUntil(20);
  expect(arrived).toEqual(['0 at 7', '1 at 7']);
});

test('one that is kept back by hand is not let go with the others', () => {
  const { clock, arrivals, arrived, held, launch } = arrivalsOf({ order: 'fifo' });
  held.add(0);
  launch();
  clock.runUntil(5);
  held.clear();
  arrivals.release();
  clock.runUntil(20);
  expect(arrived).toEqual([]);
});

test('one that was lost does not arrive', () => {
  const { clock, arrivals, arrived, hindered, launch } = arrivalsOf({ order: 'fifo' });
  arrivals.landed(launch());
  hindered.add(1);
  const parked = launch();
  clock.runUntil(5);
  arrivals.landed(parked);
  hindered.clear();
  arrivals.release();
  clock.runUntil(20);
  expect(arrived).toEqual([]);
});

test('its fate is drawn: always lost, always doubled, or kept', () => {
  expect(arrivalsOf({ loss: 1, duplicate: 1 }).arrivals.fate()).toBe('lost');
  expect(arrivalsOf({ duplicate: 1 }).arrivals.fate()).toBe('doubled');
  expect(arrivalsOf({}).arrivals.fate()).toBe('kept');
});
