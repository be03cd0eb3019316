/** Reconnecting: pauses, attempts, the choice of hubs, and checks for leaks. In virtual time. */
import { getEventListeners } from 'node:events';
import { VirtualTimeScheduler } from 'rxjs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createTransport, type Connection, type Driver, type DriverListener } from './driver.js';
import { ConnectionError } from './errors.js';
import { reconnecting } from './reconnecting.js';
import { throughHub } from './through-hub.js';
import { webSocket, type Socket } from './web-socket.js';
import type { TransportEvent } from './transport.js';
import { webSocketGuarantees } from './guarantees.js';

/** A clock that the test advances. Promises settle between two ticks. */
class Clock extends VirtualTimeScheduler {
  async turn(ms: number): Promise<void> {
    const until = this.frame + ms;
    for (;;) {
      for (let i = 0; i < 10; i++) await Promise.resolve();
      this.maxFrames = Math.min(
        until,
        this.actions.reduce((least, { delay }) => Math.min(least, delay), Infinity),
      );
      if (this.actions.length === 0 || this.maxFrames >= until) break;
      this.flush();
    }
    this.maxFrames = until;
    this.flush();
    this.frame = until;
  }
  get pending(): number {
    return this.actions.filter(({ closed }) => !closed).length;
  }
}

const guarantees = webSocketGuarantees;
const quiet = () => {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  return warn;
};

/** Random numbers that are always the same fraction. */
const luck = (fraction: number) => ({
  getRandomValues: (words: any) => words.fill(fraction * 2 ** 32),
  randomUUID: () => crypto.randomUUID(),
});

/** A server that is up or down. */
class Place {
  isThere = false;
  readonly tries: { at: number; medium: DriverListener; signal: AbortSignal; isClosed: boolean }[] = [];
  constructor(
    private readonly clock: Clock,
    readonly peers: readonly string[] = [],
  ) {}
  readonly driver: Driver = (medium, signal) => {
    const attempt = { at: this.clock.now(), medium, signal, isClosed: false };
    this.tries.push(attempt);
    if (!this.isThere) throw new ConnectionError('nobody there');
    const connection: Connection = { send: () => {}, close: () => void (attempt.isClosed = true) };
    medium.opened(connection);
    for (const peer of this.peers) medium.up(peer);
  };
  fall(): void {
    this.isThere = false;
    this.tries.at(-1)!.medium.lost(new ConnectionError('gone'));
  }
}

function overOf(places: readonly Place[], clock: Clock, random = 0.5) {
  const drivers = places.map(({ driver }) => driver);
  const transport = createTransport('a', guarantees, reconnecting(drivers, 'peer "a"', { clock, crypto: luck(random) }));
  const seen: TransportEvent[] = [];
  transport.events.subscribe((event) => seen.push(event));
  return { transport, seen };
}

test.each([0, 0.999])('the first attempt comes within 100 ms, later ones within 1 s (random number %d)', async (chance) => {
  quiet();
  const clock = new Clock();
  const place = new Place(clock);
  const { transport } = overOf([place], clock, chance);
  void transport.connect();
  await clock.turn(60_000);
  const gaps = place.tries.slice(1).map(({ at }, i) => at - place.tries[i]!.at);
  expect(gaps[0]).toBeLessThanOrEqual(100);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(1_000);
  expect(Math.max(...gaps)).toBeGreaterThanOrEqual(500);
  expect(place.tries.length).toBeGreaterThan(30);
  place.isThere = true;
  await clock.turn(2_000);
  await transport.connect();
  place.fall();
  const lostAt = clock.now();
  await clock.turn(100);
  expect(place.tries.at(-1)!.at - lostAt).toBeLessThanOrEqual(100);
  await transport.close();
});

test('a thousand failed attempts leave no listener or timer, and close ends the last', async () => {
  const warn = quiet();
  const clock = new Clock();
  const sockets: Deaf[] = [];
  /** A driver that fails as a real one does without a server. */
  class Deaf implements Socket {
    readyState = 0;
    private readonly arrived: Parameters<Socket['addEventListener']>[] = [];
    constructor() {
      sockets.push(this);
      queueMicrotask(() => this.end('connect ECONNREFUSED'));
    }
    send(): void {}
    close(): void {
      this.end('closed');
    }
    addEventListener(...listener: Parameters<Socket['addEventListener']>): void {
      this.arrived.push(listener);
    }
    private end(message: string): void {
      if (this.readyState === 3) return;
      this.readyState = 3;
      for (const type of ['error', 'close'])
        for (const [of, listener] of this.arrived) if (of === type) listener({ type, message });
    }
  }
  /** Number of listeners on each abort signal that was used. */
  const arrived = new Map<AbortSignal, number>();
  const { addEventListener } = AbortSignal.prototype;
  const add = vi.spyOn(AbortSignal.prototype, 'addEventListener').mockImplementation(function (this: AbortSignal, ...args) {
    addEventListener.apply(this, args as never);
    arrived.set(this, 0);
  });
  onTestFinished(() => add.mockRestore());
  const listening = () => {
    for (const signal of arrived.keys()) arrived.set(signal, getEventListeners(signal, 'abort').length);
    return [...arrived.values()].reduce((sum, count) => sum + count, 0);
  };
  const a = webSocket({ id: 'a', url: 'ws://nowhere', WebSocket: Deaf, clock });
  const connecting = a.connect().catch((error: Error) => error);
  await clock.turn(10_000);
  const [early, tries] = [{ listeners: listening(), pending: clock.pending }, sockets.length];
  while (sockets.length < tries + 1_000) await clock.turn(10_000);
  expect({ listeners: listening(), pending: clock.pending }).toEqual(early);
  expect(arrived.size).toBeGreaterThan(1_000);
  expect(early.pending).toBeLessThanOrEqual(1);
  expect(sockets.filter(({ readyState }) => readyState !== 3)).toEqual([]);
  expect(warn.mock.calls.length).toBeGreaterThan(10);
  await a.close();
  expect(await connecting).toMatchObject({ name: 'ClosedError' });
  expect(clock.pending).toBe(0);
});

test('a thousand broken connections leave no listener or timer either', async () => {
  quiet();
  const clock = new Clock();
  const place = new Place(clock);
  place.isThere = true;
  const { transport } = overOf([place], clock);
  await Promise.all([transport.connect(), clock.turn(1)]);
  for (let i = 0; i < 1_000; i++) {
    place.tries.at(-1)!.medium.lost(new ConnectionError('gone'));
    await clock.turn(5_100);
  }
  expect(place.tries).toHaveLength(1_001);
  expect(clock.pending).toBe(0);
  for (const { signal } of place.tries) expect(getEventListeners(signal, 'abort')).toEqual([]);
  await transport.close();
});

test('a connection that is lost within five seconds counts as a failed attempt', async () => {
  const warn = quiet();
  const clock = new Clock();
  const place = new Place(clock);
  place.isThere = true;
  const { transport } = overOf([place], clock);
  await Promise.all([transport.connect(), clock.turn(1)]);
  const pauses: number[] = [];
  for (const stoodMs of [5_000, 4_900, 100, 0, 0, 0, 5_000]) {
    await clock.turn(stoodMs);
    const [{ medium }, lostAt] = [place.tries.at(-1)!, clock.now()];
    medium.lost(new ConnectionError('gone'));
    while (place.tries.at(-1)!.medium === medium) await clock.turn(1);
    pauses.push(place.tries.at(-1)!.at - lostAt);
  }
  expect(pauses).toEqual([50, 150, 300, 600, 750, 750, 50]);
  expect(warn.mock.calls.flat()).toEqual(['peer "a" has no connection and will retry: gone']);
  await transport.close();
  expect(clock.pending).toBe(0);
});

test('an attempt without a result is stopped after five seconds', async () => {
  quiet();
  const clock = new Clock();
  const signals: AbortSignal[] = [];
  const driver: Driver = (_, signal) => void signals.push(signal);
  const transport = createTransport('a', guarantees, reconnecting([driver], 'peer "a"', { clock, crypto: luck(0) }));
  void transport.connect().catch(() => {});
  await clock.turn(4_999);
  expect(signals.map(({ aborted }) => aborted)).toEqual([false]);
  await clock.turn(10);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
  await transport.close();
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
});

test('of several hubs the next is tried, and a peer returns to the first that answers', async () => {
  quiet();
  const clock = new Clock();
  const [first, second, third] = [new Place(clock, ['b']), new Place(clock, ['b', 'c']), new Place(clock)];
  first.isThere = second.isThere = true;
  const { transport, seen } = overOf([first, second, third], clock);
  await Promise.all([transport.connect(), clock.turn(1)]);
  first.fall();
  await clock.turn(200);
  expect(second.tries).toHaveLength(1);
  expect(seen).toEqual(['up b', 'down b', 'up b', 'up c'].map(asEvent));
  await clock.turn(10_000);
  expect(third.tries).toHaveLength(0);
  expect(first.tries.length).toBeGreaterThan(4);
  expect(second.tries[0]!.isClosed).toBe(false);
  first.isThere = true;
  await clock.turn(2_000);
  expect(second.tries[0]!.isClosed).toBe(true);
  expect(seen.slice(4)).toEqual(['down b', 'down c', 'up b'].map(asEvent));
  // Frames from the left hub are ignored: they could be older than later ones.
  second.tries[0]!.medium.received('c', 'late');
  second.tries[0]!.medium.lost(new ConnectionError('closed'));
  await clock.turn(5_000);
  expect(seen).toHaveLength(7);
  await transport.close();
  expect(clock.pending).toBe(0);
});

const asEvent = (text: string) => ({ type: text.split(' ')[0], peer: text.split(' ')[1] });

test('if the connection is lost while another one is ready, that one is used', async () => {
  quiet();
  const clock = new Clock();
  const [first, second] = [new Place(clock), new Place(clock)];
  second.isThere = true;
  let homeward: DriverListener | undefined;
  const slow: Driver = (medium, signal) => {
    if (second.tries.length === 0) return first.driver(medium, signal);
    homeward = medium;
  };
  const transport = createTransport(
    'a',
    guarantees,
    reconnecting([slow, second.driver], 'peer "a"', { clock, crypto: luck(0.5) }),
  );
  await Promise.all([transport.connect(), clock.turn(200)]);
  await clock.turn(2_000);
  expect(homeward).toBeDefined();
  second.fall();
  const sent: unknown[] = [];
  homeward!.opened({ send: (_, message) => void sent.push(message), close: () => {} });
  transport.send('b', 'on');
  expect(sent).toEqual(['on']);
  await clock.turn(10_000);
  expect(second.tries).toHaveLength(1);
  await transport.close();
});

test('a silent hub is detected although the clock is set back', async () => {
  const clock = new Clock();
  let back = 0;
  const set = { now: () => clock.now() - back, schedule: clock.schedule.bind(clock) };
  let receive!: (text: unknown) => void;
  const line = { send: () => {}, close: () => {}, listen: ({ frame }: { frame: typeof receive }) => (receive = frame) };
  const lost = vi.fn<(error: Error) => void>();
  const medium = { opened: () => {}, received: () => {}, up: () => {}, down: () => {}, gone: () => {}, lost, broke: () => {} };
  await throughHub({ id: 'a', key: 'secret' }, () => line, { clock: set as never })(medium, new AbortController().signal);
  receive('{"type":"ping"}');
  back = 3_600_000;
  await clock.turn(3_500);
  expect(lost).not.toHaveBeenCalled();
  await clock.turn(1_000);
  expect(lost.mock.calls[0]![0].message).toBe('the hub of peer "a" has been silent for 3 beats');
});
