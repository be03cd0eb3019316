/**
 * The intervals in which a query about states matches, for each node: from a step after which it matches, to the node's next step after
 * which it does not.
 */
import { lastAtMost } from './columns.js';

export interface Interval {
  readonly node: number;
  /** The first line at which it matches. */
  readonly from: number;
  /** The first line at which it no longer matches, or `null` if it matches until the end. */
  readonly to: number | null;
}

export class Intervals {
  /** Sorted by their beginnings. */
  readonly all: Interval[] = [];
  /** By node: the place of the interval that has not ended. */
  private readonly open = new Map<number, number>();

  /** Adds a step of a node, in the order of the lines; `holds` is the result of the query after it. */
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

/** The intervals that contain the given line of the trace. */
export const holdingAt = (intervals: readonly Interval[], line: number): Interval[] =>
  intervals.filter(({ from, to }) => from <= line && (to === null || line < to));

/** The union over all nodes, as separate stretches: from a line to a line, or to the end. */
export function stretchesOf(intervals: readonly Interval[]): { readonly from: number; readonly to: number | null }[] {
  const stretches: { from: number; to: number | null }[] = [];
  for (const { from, to } of intervals) {
    const last = stretches.at(-1);
    if (!last || (last.to !== null && last.to < from)) stretches.push({ from, to });
    else if (last.to !== null && (to === null || to > last.to)) last.to = to;
  }
  return stretches;
}

/** At most `most` intervals, around the last one that began before a line. */
export function aroundLine(intervals: readonly Interval[], line: number, most: number): readonly Interval[] {
  const here = lastAtMost(
    intervals.map(({ from }) => from),
    line,
  );
  const first = Math.min(Math.max(here - (most >> 1), 0), Math.max(intervals.length - most, 0));
  return intervals.slice(first, first + most);
}
