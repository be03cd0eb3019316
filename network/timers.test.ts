/** Armed timers in time, ways to wait, and media of channels. */
import { delay, filter, map, VirtualTimeScheduler } from 'rxjs';
import { describe, expect, test } from 'vitest';
import { VirtualClock, virtualTiming } from './clock.js';
import { Media, type Medium } from './medium.js';
import { NetworkTimers } from './timers.js';
import { FIRST_IN_TICK, LAST_IN_TICK, timingOn, Untimed } from './timing.js';
import type { Packet } from './world/flights.js';

const timer = (name: string, role = 'main') => ({ role, timer: name });

function timersOn() {
  const clock = new VirtualClock();
  const gone: string[] = [];
  const timers = new NetworkTimers(virtualTiming(clock), (node, { role, timer }) => gone.push(`${node} ${role} ${timer}`));
  return { clock, gone, timers };
}

describe('timers', () => {
  test('go off in their time, each of its node, role and name', () => {
    const { clock, gone, timers } = timersOn();
    timers.arm('a', timer('x'), 5);
    timers.arm('b', timer('x'), 3);
    timers.arm('a', timer('y'), 5);
    timers.arm('a', timer('x', 'other'), 4);
    clock.runUntil(2);
    expect([timers.left('a', timer('x')), timers.left('b', timer('x'))]).toEqual([3, 1]);
    clock.runUntil(10);
    expect(gone).toEqual(['b main x', 'a other x', 'a main x', 'a main y']);
  });

  test('a canceled timer does not expire, and canceling an unknown one is not an error', () => {
    const { clock, gone, timers } = timersOn();
    timers.arm('a', timer('x'), 5);
    timers.disarm('a', timer('x'));
    timers.disarm('a', timer('x'));
    timers.disarm('b', timer('x'));
    expect(() => timers.left('a', timer('x'))).toThrow();
    clock.runUntil(10);
    expect(gone).toEqual([]);
  });

  test('expire last in their tick', () => {
    const { clock, gone, timers } = timersOn();
    timers.arm('a', timer('x'), 5);
    virtualTiming(clock).after(5, LAST_IN_TICK - 1, () => gone.push('a message'), undefined);
    clock.runUntil(5);
    expect(gone).toEqual(['a message', 'a main x']);
  });

  test('another network takes them over, with the time left, and all waiting entries', () => {
    const { timers: from, clock } = timersOn();
    const { timers, gone, clock: own } = timersOn();
    from.arm('a', timer('x'), 5);
    from.arm('a', timer('y'), 9);
    clock.runUntil(2);
    own.runUntil(2);
    timers.takeOver(from);
    expect(timers.left('a', timer('x'))).toBe(3);
    expect(timers.translate(from, { run: () => {}, arg: 0 } as never)).toBeUndefined();
    const due = (from as unknown as { due: Map<string, { entry: unknown; timer: { timer: string } }>; fire: never }).due;
    const entries = new Map<unknown, { cancel(): void }>();
    let canceled = 0;
    for (const one of due.values()) {
      const work = timers.translate(from, { run: (from as any).fire, arg: one } as never)!;
      expect(work.run).not.toBe((from as any).fire);
      if (one.timer.timer === 'x') (work.run as (arg: unknown) => void)(work.arg);
      if (one.timer.timer === 'y') entries.set(one.entry, { cancel: () => void canceled++ });
    }
    expect(gone).toEqual(['a main x']);
    timers.fit(from, entries as never);
    timers.disarm('a', timer('y'));
    timers.disarm('a', timer('x'));
    expect(canceled).toBe(1);
  });
});

describe('waiting', () => {
  test('on a scheduler of RxJS, for so long, unless it is canceled', () => {
    const scheduler = new VirtualTimeScheduler();
    const timing = timingOn(scheduler);
    const ran: unknown[] = [];
    timing.after(5, FIRST_IN_TICK, (arg) => ran.push(arg, timing.now()), 'five');
    timing.after(3, LAST_IN_TICK, (arg) => ran.push(arg), 'three').cancel();
    expect(timing.now()).toBe(0);
    scheduler.flush();
    expect(ran).toEqual(['five', 5]);
  });

  test('without time nothing happens by itself, and the time is the number of choices', () => {
    const untimed = new Untimed();
    expect(() => untimed.after().cancel()).not.toThrow();
    expect(untimed.now()).toBe(0);
    untimed.made += 2;
    expect(untimed.now()).toBe(2);
    expect([FIRST_IN_TICK, LAST_IN_TICK]).toEqual([0, Number.MAX_SAFE_INTEGER]);
  });
});

test('a medium is created once per channel, with its ends and the clock, and delivers', () => {
  const clock = new VirtualClock();
  const asked: unknown[][] = [];
  const medium: Medium = (...given) => {
    const [from, to, on] = given;
    asked.push([from, to]);
    if (to === 'c') return undefined;
    return (source) =>
      source.pipe(
        filter(({ id }) => id !== 2),
        map((flight) => flight),
        delay(3, on),
      );
  };
  const arrived: [number, number][] = [];
  const media = new Media(
    medium,
    clock,
    (id) => arrived.push([id, clock.now()]),
    (error) => {
      throw error;
    },
  );
  const packet = (id: number, to: string) => ({ id, from: 'a', to, channel: to === 'b' ? 7 : 8 }) as unknown as Packet;
  expect([packet(1, 'b'), packet(2, 'b'), packet(3, 'c'), packet(4, 'b'), packet(5, 'c')].map((one) => media.takes(one))).toEqual(
    [true, true, false, true, false],
  );
  clock.runUntil(2);
  expect(arrived).toEqual([]);
  clock.runUntil(3);
  expect(arrived).toEqual([
    [1, 3],
    [4, 3],
  ]);
  expect(asked).toEqual([
    ['a', 'b'],
    ['a', 'c'],
  ]);
});
