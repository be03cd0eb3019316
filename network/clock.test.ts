import { concatMap, delay, from, interval, map, observeOn, of, take, timer, toArray } from 'rxjs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createActor, createMachine } from 'xstate';
import { VirtualClock, virtualTiming, type ClockEntry } from './clock.js';

/** Runs everything and returns the entries of `log`, as [tick, word] pairs. */
function recorder() {
  const clock = new VirtualClock();
  const seen: [number, string][] = [];
  const log = (word: string) => void seen.push([clock.now(), word]);
  const drain = () => {
    while (clock.runNext());
    return seen;
  };
  return { clock, log, drain };
}

describe('the heap', () => {
  test('runs by time, then order, then insertion', () => {
    const { clock, log, drain } = recorder();
    clock.at(5, 2, log, 'late order');
    clock.at(5, 0, log, 'first');
    clock.at(3, 9, log, 'early');
    clock.at(5, 0, log, 'second');
    expect(drain()).toEqual([
      [3, 'early'],
      [5, 'first'],
      [5, 'second'],
      [5, 'late order'],
    ]);
  });

  test('an entry sees its own tick, also when time is moved past it in one go', () => {
    const { clock, log } = recorder();
    const seen: number[] = [];
    clock.at(10, 0, () => clock.at(15, 0, () => seen.push(clock.now()), undefined), undefined);
    clock.at(10, 0, () => seen.push(clock.now()), undefined);
    clock.at(40, 0, log, 'not yet');
    clock.runUntil(30);
    expect(seen).toEqual([10, 15]);
    expect(clock.now()).toBe(30);
    expect(clock.nextTime()).toBe(40);
  });

  test('agrees with a sorted list under any mix of insertions, cancellations and steps', () => {
    const command = fc.oneof(
      { weight: 4, arbitrary: fc.record({ do: fc.constant('at' as const), delay: fc.nat(5), order: fc.nat(3) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('cancel' as const), which: fc.nat(30) }) },
      { weight: 2, arbitrary: fc.record({ do: fc.constant('run' as const) }) },
    );
    fc.assert(
      fc.property(fc.array(command, { maxLength: 80 }), (commands) => {
        const clock = new VirtualClock();
        const ran: number[] = [];
        const entries: ClockEntry[] = [];
        let model: { id: number; time: number; order: number }[] = [];
        const expected: number[] = [];
        for (const c of commands) {
          if (c.do === 'at') {
            const id = entries.length;
            const time = clock.now() + c.delay;
            entries.push(clock.at(time, c.order, (n: number) => void ran.push(n), id));
            model.push({ id, time, order: c.order });
            model.sort((a, b) => a.time - b.time || a.order - b.order || a.id - b.id);
          } else if (c.do === 'cancel') {
            entries[c.which]?.cancel();
            model = model.filter(({ id }) => id !== c.which);
          } else {
            const next = model.shift();
            expect(clock.runNext()).toBe(next !== undefined);
            if (next) {
              expected.push(next.id);
              expect(clock.now()).toBe(next.time);
            }
          }
          expect(clock.size).toBe(model.length);
          expect(clock.isIdle).toBe(model.length === 0);
          expect(clock.nextTime()).toBe(model[0]?.time);
        }
        expect(ran).toEqual(expected);
      }),
    );
  });

  test('a timer armed again and again leaves a small heap', () => {
    const clock = new VirtualClock();
    const ran: number[] = [];
    let timer: ClockEntry | undefined;
    for (let i = 0; i < 100_000; i++) {
      timer?.cancel();
      timer = clock.at(1_000_000 + i, 1, (n: number) => void ran.push(n), i);
    }
    expect(clock.size).toBe(1);
    expect((clock as unknown as { heap: { length: number } }).heap.length).toBeLessThan(3000);
    while (clock.runNext());
    expect(ran).toEqual([99_999]);
  });

  test('is rebuilt when more than half of at least 1,024 entries are canceled', () => {
    const heapOf = (clock: VirtualClock) => (clock as unknown as { heap: { length: number } }).heap.length;
    const after = (canceled: number, others: number) => {
      const clock = new VirtualClock();
      const entries = Array.from({ length: canceled + others }, () => clock.at(1, 0, () => {}, undefined));
      for (const entry of entries.slice(0, canceled)) entry.cancel();
      expect(clock.size).toBe(others);
      return heapOf(clock);
    };
    expect(after(1_023, 0)).toBe(1_023);
    expect(after(1_024, 0)).toBe(0);
    expect(after(1_024, 1_023)).toBe(1_023);
    expect(after(1_024, 1_024)).toBe(2_048);
  });

  test('running until a tick includes the entries of that tick, also of now', () => {
    const { clock, log } = recorder();
    clock.at(5, 0, log, 'due');
    clock.runUntil(5);
    clock.at(5, 0, log, 'now');
    clock.runUntil(5);
    expect(clock.isIdle).toBe(true);
  });

  test('canceling twice, or after the run, changes no count', () => {
    const clock = new VirtualClock();
    const entry = clock.at(1, 0, () => {}, undefined);
    clock.at(2, 0, () => {}, undefined);
    clock.runNext();
    entry.cancel();
    entry.cancel();
    expect(clock.size).toBe(1);
  });

  test('an error of an entry reaches the caller, and other entries keep their turn', () => {
    const { clock, log, drain } = recorder();
    clock.at(
      1,
      0,
      () => {
        throw new Error('mine');
      },
      undefined,
    );
    clock.at(2, 0, log, 'next');
    expect(() => clock.runNext()).toThrow('mine');
    expect(drain()).toEqual([[2, 'next']]);
  });

  test.each([[4], [NaN], [Infinity]])('refuses the tick %s at tick 5 and keeps the heap as it is', (time) => {
    const clock = new VirtualClock();
    clock.runUntil(5);
    expect(() => clock.at(time, 0, () => {}, undefined)).toThrow(
      /Cannot schedule at .*: the time is already 5\. Use a finite tick that is not in the past\./,
    );
    expect(() => clock.runUntil(time)).toThrow(
      /Cannot run until .*: the time is already 5\. Use a finite tick that is not in the past\./,
    );
    expect(clock.isIdle).toBe(true);
    expect(clock.now()).toBe(5);
  });
});

describe('as the scheduler of RxJS', () => {
  test('interval ticks without drift', () => {
    const { clock, log, drain } = recorder();
    interval(10, clock)
      .pipe(take(3))
      .subscribe((n) => log(`${n}`));
    expect(drain()).toEqual([
      [10, '0'],
      [20, '1'],
      [30, '2'],
    ]);
    expect(clock.isIdle).toBe(true);
  });

  test('timer, delay, concatMap and observeOn keep their times and their order', () => {
    const { clock, log, drain } = recorder();
    timer(7, 5, clock)
      .pipe(take(2))
      .subscribe((n) => log(`timer ${n}`));
    from(['a', 'b']).pipe(delay(7, clock)).subscribe(log);
    of('x', 'y')
      .pipe(concatMap((word) => of(word).pipe(delay(4, clock))))
      .subscribe(log);
    of('now').pipe(observeOn(clock)).subscribe(log);
    expect(drain()).toEqual([
      [0, 'now'],
      [4, 'x'],
      [7, 'timer 0'],
      [7, 'a'],
      [7, 'b'],
      [8, 'y'],
      [12, 'timer 1'],
    ]);
  });

  test('unsubscribing leaves nothing pending', () => {
    const { clock, drain } = recorder();
    const subscription = interval(10, clock).subscribe(() => {});
    clock.runUntil(25);
    expect(clock.size).toBe(1);
    subscription.unsubscribe();
    expect(clock.size).toBe(0);
    expect(drain()).toEqual([]);
  });

  test('work reschedules itself with new state; a later schedule replaces an earlier one', () => {
    const { clock, drain } = recorder();
    const seen: [number, number][] = [];
    clock.schedule<number>(
      function (n = 0) {
        seen.push([clock.now(), n]);
        if (n === 3) return;
        this.schedule(99, 1);
        this.schedule(n + 1, 10 * n);
      },
      5,
      1,
    );
    drain();
    expect(seen).toEqual([
      [5, 1],
      [15, 2],
      [35, 3],
    ]);
  });

  test('a delay of Infinity never expires and does not count as pending', () => {
    const clock = new VirtualClock();
    clock.schedule(() => expect.unreachable(), Infinity);
    expect(clock.isIdle).toBe(true);
  });

  test('work that throws is closed', () => {
    const clock = new VirtualClock();
    const subscription = clock.schedule(() => {
      throw new Error('mine');
    }, 1);
    expect(() => clock.runNext()).toThrow('mine');
    expect(subscription.closed).toBe(true);
  });

  test('now is the time of timestamps and intervals', () => {
    const { clock, drain } = recorder();
    const seen: number[][] = [];
    interval(10, clock)
      .pipe(
        take(2),
        map(() => clock.now()),
        toArray(),
      )
      .subscribe((times) => seen.push(times));
    drain();
    expect(seen).toEqual([[10, 20]]);
  });
});

test('as clock of XState: chained delays have exact stamps; an exit stops the timer', () => {
  const { clock, log, drain } = recorder();
  const machine = createMachine({
    initial: 'one',
    states: {
      one: { after: { 10: 'two' }, on: { skip: 'end' } },
      two: { entry: () => log('two'), after: { 5: 'end' } },
      end: { entry: () => log('end') },
    },
  });
  createActor(machine, { clock }).start();
  const skipped = createActor(machine, { clock }).start();
  skipped.send({ type: 'skip' });
  expect(clock.size).toBe(1);
  expect(drain()).toEqual([
    [0, 'end'],
    [10, 'two'],
    [15, 'end'],
  ]);
});

test('XState may take back a timer that it never had', () => {
  expect(() => new VirtualClock().clearTimeout(undefined)).not.toThrow();
});

describe('a clock that continues from another one', () => {
  /** Entries that record each of these ticks. */
  function other(...ticks: readonly number[]) {
    const { clock } = recorder();
    const speak = (_: string) => {};
    return { clock, speak, entries: ticks.map((tick) => clock.at(tick, 1, speak, `${tick}`)) };
  }

  test('stops at its time, and runs translated entries in their turn', () => {
    const { clock, log, drain } = recorder();
    const from = other(4, 9, 9, 12);
    clock.at(9, 1, log, 'own');
    clock.at(9, 2, log, 'own, later');
    from.clock.runUntil(4);
    from.entries[3]!.cancel();
    const taken = clock.takeOver(from.clock, ({ run, arg }) =>
      run === from.speak ? { run: log, arg: `theirs ${arg}` } : undefined,
    );
    expect(clock.now()).toBe(4);
    expect([...taken.keys()]).toEqual([from.entries[1], from.entries[2]]);
    clock.at(9, 1, log, 'new');
    expect(drain()).toEqual([
      [9, 'own'],
      [9, 'theirs 9'],
      [9, 'theirs 9'],
      [9, 'new'],
      [9, 'own, later'],
    ]);
  });

  test('finds entries by their keys, and skips unknown ones', () => {
    const { clock, log, drain } = recorder();
    const from = other(3, 5);
    const foreign = from.clock.at(4, 0, () => {}, undefined);
    const taken = clock.takeOver(from.clock, ({ run, arg }) => (run === from.speak ? { run: log, arg } : undefined));
    expect(taken.has(foreign)).toBe(false);
    taken.get(from.entries[0]!)!.cancel();
    expect(clock.size).toBe(1);
    expect(drain()).toEqual([[5, '5']]);
  });

  test('has no entries that would have expired or were canceled', () => {
    const { clock, log, drain } = recorder();
    for (const tick of [2, 6, 7]) clock.at(tick, 0, log, `${tick}`);
    clock.at(8, 0, log, 'canceled').cancel();
    const from = other();
    from.clock.runUntil(6);
    clock.takeOver(from.clock, () => undefined);
    expect(clock.size).toBe(1);
    expect(drain()).toEqual([[7, '7']]);
  });
});

test('the network waits on it from now on, the lower order first', () => {
  const { clock, log, drain } = recorder();
  clock.runUntil(3);
  const timing = virtualTiming(clock);
  timing.after(4, 2, log, 'second');
  timing.after(4, 1, log, 'first');
  timing.after(9, 0, log, 'never').cancel();
  expect(timing.now()).toBe(3);
  expect(drain()).toEqual([
    [7, 'first'],
    [7, 'second'],
  ]);
});
