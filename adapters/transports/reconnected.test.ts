/** The connection in use while one is replaced by another. In virtual time. */
import { expect, onTestFinished, test, vi } from 'vitest';
import { VirtualClock } from '../../network/clock.js';
import { createTransport, type DriverListener } from './driver.js';
import { ConnectionError } from './errors.js';
import { webSocketGuarantees } from './guarantees.js';
import { pauseAfter, reconnecting } from './reconnecting.js';
import { DisplacedError } from './through-hub.js';
import type { Json, TransportEvent } from './transport.js';

/** Random numbers in the middle: pauses are 50, 75, 150 … milliseconds, and attempts to return 1,750 apart. */
const crypto = { getRandomValues: (words: Uint32Array) => words.fill(2 ** 31), randomUUID: () => '' } as never;

interface Try {
  readonly at: number;
  readonly medium: DriverListener;
  readonly signal: AbortSignal;
  readonly sent: Json[];
  closed: number;
  open(): void;
}

/** A peer with several hubs. Each attempt waits until the test opens it. */
function peerOf(hubs: number) {
  const warn = vi.spyOn(console, 'warn').mockImplementation(() => {});
  onTestFinished(() => warn.mockRestore());
  const clock = new VirtualClock();
  const tries: Try[][] = Array.from({ length: hubs }, () => []);
  const drivers = tries.map((list) => (medium: DriverListener, signal: AbortSignal) => {
    const one: Try = {
      at: clock.now(),
      medium,
      signal,
      sent: [],
      closed: 0,
      open: () => medium.opened({ send: (_, message) => void one.sent.push(message), close: () => void one.closed++ }),
    };
    list.push(one);
  });
  const moves: (number | null)[] = [];
  const driver = reconnecting(drivers, 'peer "a"', { clock, crypto }, (place) => moves.push(place));
  const transport = createTransport('a', webSocketGuarantees, driver);
  const events: string[] = [];
  const shown = (event: TransportEvent) =>
    event.type === 'message'
      ? `${event.from}: ${String(event.message)}`
      : event.type === 'closed'
        ? `closed: ${event.error?.message}`
        : `${event.peer} ${event.type}`;
  transport.events.subscribe((event) => events.push(shown(event)));
  void transport.connect().catch(() => {});
  onTestFinished(() => transport.close());
  /** Advances the time, and lets promises settle at each step. */
  const turn = async (ms = 0) => {
    for (const until = clock.now() + ms; ;) {
      for (let i = 0; i < 8; i++) await Promise.resolve();
      if (clock.now() >= until) return;
      clock.runUntil(Math.min(until, clock.now() + 50));
    }
  };
  const last = (hub: number) => tries[hub]!.at(-1)!;
  return { clock, tries, last, transport, moves, events, turn, warnings: () => warn.mock.calls.map(([text]) => text as string) };
}

test('pauses grow from a tenth of a second at most to one second', () => {
  const chance = (word: number) => ({
    crypto: { getRandomValues: (words: Uint32Array) => words.fill(word), randomUUID: () => '' } as never,
  });
  expect([0, 1, 2, 3, 4, 50].map((failures) => pauseAfter(failures, chance(0)))).toEqual([0, 200, 400, 800, 1_000, 1_000]);
  expect([0, 1, 5].map((failures) => pauseAfter(failures, chance(2 ** 31)))).toEqual([50, 150, 750]);
});

test('messages use the current connection, and the next one replaces it unnoticed', async () => {
  const { tries, last, transport, moves, events, turn } = peerOf(1);
  await turn();
  last(0).open();
  last(0).medium.up('b');
  last(0).medium.received('b', 'one');
  transport.send('b', 'first');
  last(0).medium.down('b');
  last(0).medium.up('c');
  const first = last(0);
  first.medium.lost(new ConnectionError('gone'));
  expect(() => transport.send('b', 'lost')).not.toThrow();
  await turn(100);
  expect([tries[0]!.length, first.sent]).toEqual([2, ['first']]);
  last(0).open();
  for (const report of ['received', 'up'] as const) first.medium[report]('late', 'late');
  first.medium.broke(new ConnectionError('late'));
  transport.send('b', 'second');
  expect(last(0).sent).toEqual(['second']);
  expect([events, moves]).toEqual([
    ['b up', 'b: one', 'b down', 'c up', 'c down'],
    [0, null, 0],
  ]);
});

test('close closes the current connection and stops an attempt', async () => {
  const open = peerOf(1);
  await open.turn();
  open.last(0).open();
  await open.transport.close();
  expect([open.last(0).closed, open.last(0).signal.aborted, open.clock.isIdle]).toEqual([1, false, true]);
  const trying = peerOf(1);
  await trying.turn();
  const closing = trying.transport.close();
  expect(trying.last(0).signal.aborted).toBe(true);
  trying.last(0).open();
  await closing;
  expect([trying.last(0).closed, trying.clock.isIdle]).toEqual([1, true]);
});

test('a final failure ends the transport only if it is of the current connection', async () => {
  const { last, events, turn } = peerOf(1);
  await turn();
  last(0).open();
  last(0).medium.broke(new ConnectionError('refused'));
  expect(events).toEqual(['closed: refused']);
});

test('an attempt fails after five seconds with its reason; a later opening is closed', async () => {
  const { tries, last, turn, warnings } = peerOf(1);
  await turn(4_999);
  expect([tries[0]!.length, last(0).signal.aborted]).toEqual([1, false]);
  await turn(1);
  const first = last(0);
  expect(first.signal.aborted).toBe(true);
  await turn(100);
  expect(tries[0]!.length).toBe(2);
  last(0).open();
  first.open();
  expect([first.closed, last(0).closed, warnings()]).toEqual([1, 0, []]);
});

test('a peer at a later hub looks for the first one, and changes when it is open', async () => {
  const { tries, last, transport, moves, events, turn } = peerOf(2);
  await turn();
  last(0).medium.lost(new ConnectionError('nobody there'));
  await turn(100);
  last(1).open();
  last(1).medium.up('b');
  await turn(1_700);
  expect(tries[0]!.length).toBe(1);
  await turn(100);
  expect(tries[0]!.length).toBe(2);
  const [home, away] = [last(0), last(1)];
  home.medium.up('early');
  home.medium.received('early', 'unheard');
  home.medium.up('b');
  home.medium.down('early');
  transport.send('b', 'away');
  home.open();
  away.medium.received('b', 'unheard');
  transport.send('b', 'home');
  home.medium.up('c');
  expect([away.closed, away.sent, home.sent]).toEqual([1, ['away'], ['home']]);
  expect(events).toEqual(['b up', 'b down', 'c up']);
  expect(moves).toEqual([null, 1, 0]);
  await turn(10_000);
  expect([tries[0]!.length, tries[1]!.length]).toEqual([2, 1]);
});

test('an attempt to return fails or ends the transport, and runs one at a time', async () => {
  const { tries, last, events, turn } = peerOf(2);
  await turn();
  last(0).medium.lost(new ConnectionError('nobody there'));
  await turn(100);
  last(1).open();
  await turn(3_600);
  expect(tries[0]!.length).toBe(2);
  last(0).medium.lost(new ConnectionError('nobody there'));
  await turn(1_800);
  expect(tries[0]!.length).toBe(3);
  tries[0]![1]!.medium.broke(new ConnectionError('late'));
  expect(events).toEqual([]);
  last(0).medium.broke(new ConnectionError('refused'));
  expect(events).toEqual(['closed: refused']);
});

test('if the connection is lost during an attempt to return, that attempt continues', async () => {
  const { tries, last, transport, moves, turn } = peerOf(2);
  await turn();
  last(0).medium.lost(new ConnectionError('nobody there'));
  await turn(100);
  last(1).open();
  await turn(1_800);
  last(1).medium.lost(new ConnectionError('gone'));
  await turn(1_000);
  expect([tries[0]!.length, tries[1]!.length]).toEqual([2, 1]);
  last(0).open();
  transport.send('b', 'home');
  expect([last(0).sent, moves]).toEqual([['home'], [null, 1, null, 0]]);
});

test('with three hubs, all before the current one are tried in turn', async () => {
  const { tries, last, turn } = peerOf(3);
  await turn();
  for (const hub of [0, 1]) {
    last(hub).medium.lost(new ConnectionError('nobody there'));
    await turn(100);
  }
  last(2).open();
  for (const hub of [0, 1, 0]) {
    const before = tries.map((list) => list.length);
    await turn(1_800);
    expect(tries.map((list, i) => list.length - before[i]!)).toEqual([0, 1, 2].map((i) => (i === hub ? 1 : 0)));
    last(hub).medium.lost(new ConnectionError('nobody there'));
  }
});

test('warnings come after three rounds, then each ten seconds; displacement at once', async () => {
  const { last, turn, tries, warnings } = peerOf(2);
  await turn();
  for (let failed = 0; failed < 6; failed++) {
    last(failed % 2).medium.lost(new ConnectionError('down'));
    await turn(2_000);
  }
  expect([warnings(), tries.map((list) => list.length)]).toEqual([[], [4, 3]]);
  last(0).medium.lost(new ConnectionError('down\n'));
  expect(warnings()).toEqual(['peer "a" has no connection and will retry: down\\u{a}']);
  for (let hub = 1, rest = 5; rest > 0; rest--, hub = 1 - hub) {
    await turn(2_000);
    expect(warnings()).toHaveLength(1);
    last(hub).medium.lost(new ConnectionError(`down, ${rest}`));
  }
  expect(warnings()).toEqual([expect.anything(), 'peer "a" has no connection and will retry: down, 1']);
  const displaced = peerOf(1);
  await displaced.turn();
  displaced.last(0).open();
  displaced.last(0).medium.lost(new DisplacedError('another took the place'));
  expect(displaced.warnings().at(-1)).toBe('peer "a" has no connection and will retry: another took the place');
});

test('only a connection that lasted resets the pause before the next attempt', async () => {
  for (const [lasted, soon] of [
    [5_000, true],
    [4_000, false],
  ] as const) {
    const { tries, last, turn } = peerOf(1);
    await turn();
    for (let failed = 0; failed < 4; failed++) {
      last(0).medium.lost(new ConnectionError('down'));
      await turn(2_000);
    }
    last(0).open();
    await turn(lasted);
    last(0).medium.lost(new ConnectionError('down'));
    const before = tries[0]!.length;
    await turn(100);
    expect(tries[0]!.length - before).toBe(soon ? 1 : 0);
  }
});
