/**
 * Determines exactly which of several running timers can fire next, with difference bounds as in model checkers for timed automata.
 *
 * Any time may pass between two steps of a path, so after `wait 300`, some event, `wait 500` either timer may be first. If two timers are
 * armed in the same step, the shorter one fires first; if they are equal, the one that was armed first. The zone contains for every pair of
 * timers how much longer than the other one can have left; it is the set of all timings of the path so far. References: Dill, "Timing
 * assumptions and verification of finite-state concurrent systems" (1989). Bengtsson and Yi, "Timed automata: semantics, algorithms and
 * tools" (2004).
 *
 * `bounds[i][j]` is the most that the time left of timer i can exceed that of timer j. Index 0 is the present, with nothing left.
 */
export class Zone {
  private bounds: number[][] = [[0]];

  /** A timer is armed at the moment of the present step. */
  arm(delay: number): void {
    const last = this.bounds.length;
    const row = this.bounds.map((_, j) => delay + this.bounds[0]![j]!);
    this.bounds.forEach((bounds) => bounds.push(bounds[0]! - delay));
    this.bounds.push([...row, 0]);
    this.bounds[last]![last] = 0;
  }

  /** The timer at this place is taken away; those behind it move up. */
  remove(timer: number): void {
    this.bounds.splice(timer + 1, 1);
    for (const row of this.bounds) row.splice(timer + 1, 1);
  }

  /** True if the timer at this place can fire next. Timers are in the order in which they were armed. */
  canFire(timer: number): boolean {
    const then = this.when(timer);
    if (then === null) return false;
    // An earlier one that is due at the same moment goes first; so each of them must be able to be later.
    return then.every((row, other) => other === 0 || other >= timer + 1 || row[0]! > 0);
  }

  /** The timer at this place fires: the present is the moment at which it has nothing left. */
  fire(timer: number): void {
    this.bounds = this.when(timer)!;
    this.remove(timer);
  }

  /** Any time passes until the next timer could fire. */
  elapse(): void {
    const [present, ...timers] = this.bounds as [number[], ...number[][]];
    // The first timer to fire limits the time that passes; the differences between timers stay.
    for (let j = 1; j < present.length; j++) present[j] = Math.min(...timers.map((row) => row[j]!));
  }

  copy(): Zone {
    const copy = new Zone();
    copy.bounds = this.bounds.map((row) => [...row]);
    return copy;
  }

  get key(): string {
    return this.bounds.map((row) => row.join(' ')).join(';');
  }

  private when(timer: number): number[][] | null {
    const bounds = this.bounds.map((row) => [...row]);
    const row = bounds[timer + 1]!;
    if (row[0]! > 0) {
      row[0] = 0;
      // Every bound that follows from the new one: the others have followed from each other before.
      const present = [...bounds[0]!];
      for (const one of bounds) {
        const before = one[timer + 1]!;
        for (let j = 0; j < one.length; j++) one[j] = Math.min(one[j]!, before + present[j]!);
      }
    }
    return bounds.every((one, i) => one[i]! >= 0) ? bounds : null;
  }
}
