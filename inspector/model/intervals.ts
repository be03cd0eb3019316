/**
 * From when to when a question about how things stand is answered, for each node: from a step after which it is, to the next step of the
 * same node after which it is not.
 */
import { lastAtMost } from './columns.js';

export interface Interval {
  readonly node: number;
  /** The line from which on it holds. */
  readonly from: number;
  /** The line from which on it does not hold any more; `null` as long as it does. */
  readonly to: number | null;
}

export class Intervals {
  /** Rising by where they begin. */
  readonly all: Interval[] = [];
  /** By node: the place of the interval that has not ended. */
  private readonly open = new Map<number, number>();

  /** A step of a node, in the order of the lines; whether what is asked holds after it. */
  step(line: number, node: number, holds: boolean): void {
    const place = this.open.get(node);
    if (holds === (place !== undefined)) return;
    if (place === undefined) this.open.set(node, this.all.push({ node, from: line, to: null }) - 1);
    else {
      this.all[place] = { ...this.all[place]!, to: line };
      this.open.delete(node);
    }
  }
}

/** Those that a line is in. */
export const holdingAt = (intervals: readonly Interval[], line: number): Interval[] =>
  intervals.filter(({ from, to }) => from <= line && (to === null || line < to));

/** When it holds for any node, as stretches that do not touch: from a line to a line, or to the end. */
export function stretchesOf(intervals: readonly Interval[]): { readonly from: number; readonly to: number | null }[] {
  const stretches: { from: number; to: number | null }[] = [];
  for (const { from, to } of intervals) {
    const last = stretches.at(-1);
    if (!last || (last.to !== null && last.to < from)) stretches.push({ from, to });
    else if (last.to !== null && (to === null || to > last.to)) last.to = to;
  }
  return stretches;
}

/** So many of them as one can read, about the one that began last at a line. */
export function aroundLine(intervals: readonly Interval[], line: number, most: number): readonly Interval[] {
  const here = lastAtMost(
    intervals.map(({ from }) => from),
    line,
  );
  const first = Math.min(Math.max(here - (most >> 1), 0), Math.max(intervals.length - most, 0));
  return intervals.slice(first, first + most);
}
