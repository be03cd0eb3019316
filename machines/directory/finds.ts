/** The finds in flight, as the totals of the directory keep them. */

/** Nodes are their ranks. */
export interface FindFact {
  readonly from: number;
  readonly to: number;
  readonly producer: number;
  readonly visited: readonly number[];
}

/** Each find that is in flight once, in no order, with how often it is. */
export class Finds {
  readonly all: FindFact[] = [];
  /** How many there are, equal ones counted. */
  count = 0;
  private readonly times: number[] = [];
  private readonly places = new Map<FindFact, number>();

  change(find: FindFact, by: 1 | -1): void {
    const { all, times, places } = this;
    this.count += by;
    const place = places.get(find);
    if (place === undefined) {
      places.set(find, all.push(find) - 1);
      times.push(by);
      return;
    }
    times[place]! += by;
    if (times[place] !== 0) return;
    const last = all.pop()!;
    const timesOfLast = times.pop()!;
    places.delete(find);
    if (last === find) return;
    all[place] = last;
    times[place] = timesOfLast;
    places.set(last, place);
  }

  timesOf(place: number): number {
    return this.times[place]!;
  }

  /** Whether two are equal. */
  get isTwofold(): boolean {
    return this.count > this.all.length;
  }
}
