/** The set of find messages in flight. A node sends a find to request the token, and the properties of a run are computed from this set. */

/** A find message in flight. Nodes are represented by their numbers. */
export interface FindFact {
  readonly from: number;
  readonly to: number;
  readonly producer: number;
  readonly visited: readonly number[];
  /** Its index in the set of finds in flight, stored here by the set. */
  place: number;
}

/** Index of a find that is not in flight. */
export const NOWHERE = -1;

/** The set of different finds in flight, unordered, with their multiplicity. */
export class Finds {
  readonly all: FindFact[] = [];
  /** Number of finds, including equal ones. */
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

  /** True if two finds are equal. */
  get isTwofold(): boolean {
    return this.count > this.all.length;
  }
}
