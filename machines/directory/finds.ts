/** The finds in flight, as the totals of the directory keep them. */

/** Nodes are their ranks. */
export interface FindFact {
  readonly from: number;
  readonly to: number;
  readonly producer: number;
  readonly visited: readonly number[];
  /** Where it stands among the finds in flight that it is of, which note it here. */
  place: number;
}

/** The place of a find that is not in flight. */
export const NOWHERE = -1;

/** Each find that is in flight once, in no order, with how often it is. */
export class Finds {
  readonly all: FindFact[] = [];
  /** How many there are, equal ones counted. */
  count = 0;
  private readonly times: number[] = [];

  change(find: FindFact, by: 1 | -1): void {
    const { all, times } = this;
    const { place } = find;
    this.count += by;
    if (place === NOWHERE) {
      find.place = all.push(find) - 1;
      times.push(by);
      return;
    }
    times[place]! += by;
    if (times[place] !== 0) return;
    find.place = NOWHERE;
    const last = all.pop()!;
    const timesOfLast = times.pop()!;
    if (last === find) return;
    all[place] = last;
    times[place] = timesOfLast;
    last.place = place;
  }

  timesOf(place: number): number {
    return this.times[place]!;
  }

  /** True if two are equal. */
  get isTwofold(): boolean {
    return this.count > this.all.length;
  }
}
