/** When messages arrive: in the order of their channel, unless the channel went down between. */
import { expect, test } from 'vitest';
import { concatMap, delay, filter, mergeMap, of } from 'rxjs';
import { Arrivals, calm } from './arrivals.js';
import type { ScenarioNetwork } from './scenario/types.js';
import { VirtualClock, virtualTiming } from './clock.js';
import { createLatency, type LatencySpec } from './latency.js';
import type { Medium } from './medium.js';
import { Random } from './random.js';
import type { Packet } from './world/flights.js';

const CHANNEL = 3;

/** Arrivals on a clock; `arrived` has the number of each message with its tick. */
function arrivalsOf(conditions: Partial<ScenarioNetwork>, medium?: Medium) {
  const clock = new VirtualClock();
  const arrived: string[] = [];
  const hindered = new Set<number>();
  const held = new Set<number>();
  const flights = new Map<number, Packet>();
  const world = {
    flights,
    traffic: { isHeldUp: ({ id }: Packet) => hindered.has(id) || held.has(id), held },
    deliver: (packet: Packet) => {
      arrivals.landed(packet);
      flights.delete(packet.id);
      arrived.push(`${packet.id} at ${clock.now()}`);
    },
  };
  const arrivals: Arrivals = new Arrivals(
    { ...calm, latency: 2, ...conditions },
    virtualTiming(clock),
    () => world,
    1,
    medium && { of: medium, clock },
  );
  let sent = 0;
  const launch = (channel = CHANNEL, placedOn?: 'its way'): Packet => {
    const packet = { id: sent++, from: 'a', to: 'b', message: { type: 'word' }, cost: 1, channel };
    flights.set(packet.id, packet);
    arrivals.launched(packet, placedOn);
    return packet;
  };
  /** Copies of the numbers and messages in flight. */
  const goOnFrom = (one: { readonly flights: ReadonlyMap<number, Packet>; readonly count: () => number }) => {
    sent = one.count();
    for (const [id, packet] of one.flights) flights.set(id, packet);
  };
  return { count: () => sent, goOnFrom, clock, arrivals, arrived, hindered, held, flights, launch };
}

test('a FIFO channel keeps the order of its messages, independent of other channels', () => {
  const { clock, arrivals, arrived, launch } = arrivalsOf({ order: 'fifo' });
  arrivals.slow(CHANNEL, 8);
  launch();
  arrivals.slow(CHANNEL, 0);
  launch();
  launch(CHANNEL + 1);
  clock.runUntil(20);
  expect(arrived).toEqual(['2 at 2', '0 at 10', '1 at 10']);
});

test('only a channel that went down forgets its last arrival time', () => {
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

test('a delayed message arrives on release, before later ones', () => {
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

test('a message delayed by hand is not released with the others', () => {
  const { clock, arrivals, arrived, held, launch } = arrivalsOf({ order: 'fifo' });
  held.add(0);
  launch();
  clock.runUntil(5);
  held.clear();
  arrivals.release();
  clock.runUntil(20);
  expect(arrived).toEqual([]);
});

test('a lost message does not arrive', () => {
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

test('its fate is drawn: always lost, always duplicated, or kept', () => {
  expect(arrivalsOf({ loss: 1, duplicate: 1 }).arrivals.fate()).toBe('lost');
  expect(arrivalsOf({ duplicate: 1 }).arrivals.fate()).toBe('doubled');
  expect(arrivalsOf({}).arrivals.fate()).toBe('kept');
});

test('by default, a message takes one tick, may overtake others and meets no fault', () => {
  expect(calm).toEqual({ latency: 1, order: 'unordered', loss: 0, duplicate: 0, reorder: 0 });
});

test('latencies and faults have separate random streams', () => {
  const latency: LatencySpec = { min: 1, max: 1_000 };
  const { clock, arrivals, arrived, launch } = arrivalsOf({ latency, loss: 1 / 2 });
  const random = new Random(1, 'latency');
  const drawn = Array.from({ length: 5 }, () => createLatency(latency)(random, 1));
  for (let i = 0; i < 5; i++) launch();
  clock.runUntil(2_000);
  expect(arrived.toSorted()).toEqual(drawn.map((at, id) => `${id} at ${at}`));
  const faults = new Random(1, 'faults');
  expect(Array.from({ length: 20 }, () => arrivals.fate())).toEqual(
    Array.from({ length: 20 }, () => (faults.chance(1 / 2) ? 'lost' : 'kept')),
  );
});

test('corrupt messages are at any point of the path, or at its start without a bound', () => {
  const way = arrivalsOf({ latency: 100 });
  const random = new Random(1, 'latency');
  const left = Array.from({ length: 4 }, () => Math.ceil(100 * random.unit()));
  for (let i = 0; i < 4; i++) way.launch(CHANNEL, 'its way');
  way.clock.runUntil(200);
  expect(way.arrived.toSorted()).toEqual(left.map((at, id) => `${id} at ${at}`));
  const endless = arrivalsOf({ latency: { exponential: 50 } });
  const drawn = createLatency({ exponential: 50 })(new Random(1, 'latency'), 1);
  endless.launch(CHANNEL, 'its way');
  endless.clock.runUntil(2_000);
  expect(endless.arrived).toEqual([`0 at ${drawn}`]);
});

test('unordered: later messages overtake a released one; FIFO: only other channels do', () => {
  const lettingGo = (order: ScenarioNetwork['order'], channel: number) => {
    const { clock, arrivals, arrived, hindered, launch } = arrivalsOf({ order, latency: 3 });
    hindered.add(0);
    launch();
    clock.runUntil(4);
    // Due in the tick in which the first is let go, and before it.
    launch(channel);
    hindered.clear();
    clock.at(7, 0, () => arrivals.release(), undefined);
    clock.runUntil(20);
    return arrived;
  };
  expect(lettingGo('unordered', CHANNEL)).toEqual(['1 at 7', '0 at 7']);
  expect(lettingGo('fifo', CHANNEL)).toEqual(['0 at 7', '1 at 7']);
  expect(lettingGo('fifo', CHANNEL - 1)).toEqual(['1 at 7', '0 at 7']);
});

test('a medium delivers each message once, unless it is lost or forwarded', () => {
  const slow: Medium = (_, __, clock) => (source) =>
    source.pipe(
      filter(({ id }) => id !== 1),
      mergeMap((flight) => of(flight, flight).pipe(delay(30, clock))),
    );
  const { clock, arrivals, arrived, flights, launch } = arrivalsOf({}, slow);
  for (let i = 0; i < 3; i++) launch();
  launch(CHANNEL, 'its way');
  const lost = flights.get(2)!;
  flights.delete(2);
  arrivals.landed(lost);
  clock.runUntil(100);
  expect(arrived).toEqual([expect.stringMatching(/^3 at [12]$/), '0 at 30']);
});

test('a message from a medium can be delayed, and arrives once on release', () => {
  const twice: Medium = (_, __, clock) => concatMap((flight) => of(flight, flight).pipe(delay(5, clock)));
  const { clock, arrivals, arrived, hindered, launch } = arrivalsOf({}, twice);
  hindered.add(0);
  launch();
  clock.runUntil(20);
  hindered.clear();
  arrivals.release();
  clock.runUntil(40);
  expect(arrived).toEqual(['0 at 20']);
});

test('an invalid arrival of the other network is invalid here', () => {
  const [one, other] = [arrivalsOf({}), arrivalsOf({})];
  one.launch();
  const foreign = one.clock.at(9, 0, () => {}, undefined);
  expect(other.arrivals.translate(one.arrivals, foreign)).toBeUndefined();
  expect(other.clock.takeOver(one.clock, (entry) => other.arrivals.translate(one.arrivals, entry)).size).toBe(1);
});

test('a copy of another network delivers each message at the same time', () => {
  const conditions: Partial<ScenarioNetwork> = { order: 'fifo', latency: { min: 1, max: 20 }, reorder: 1 / 4, loss: 1 / 4 };
  const begun = () => {
    const one = arrivalsOf(conditions);
    one.hindered.add(1);
    one.arrivals.slow(CHANNEL + 1, 9);
    for (let i = 0; i < 12; i++) one.launch(CHANNEL + (i % 3));
    one.clock.runUntil(8);
    one.hindered.add(2);
    one.arrivals.release();
    return one;
  };
  const rest = ({ clock, arrivals, arrived, hindered, launch }: ReturnType<typeof arrivalsOf>) => {
    const before = arrived.length;
    for (let i = 0; i < 6; i++) launch(CHANNEL + (i % 3));
    hindered.clear();
    clock.at(30, 0, () => arrivals.release(), undefined);
    clock.runUntil(100);
    return [arrived.slice(before).toSorted(), Array.from({ length: 20 }, () => arrivals.fate())];
  };
  const first = begun();
  const other = arrivalsOf(conditions);
  for (const id of first.hindered) other.hindered.add(id);
  other.goOnFrom(first);
  const entries = other.clock.takeOver(first.clock, (entry) => other.arrivals.translate(first.arrivals, entry));
  other.arrivals.takeOver(first.arrivals, entries);
  expect(rest(other)).toEqual(rest(begun()));
});
