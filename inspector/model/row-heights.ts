/**
 * The places of rows in a long list. Most rows have the same height. Taller ones become known when they are drawn. A list that is taller
 * than a browser can draw is compressed: a row then takes less of the scrollbar than its height.
 */
const KNOWN_MAX = 2000;

export class RowHeights {
  /** By row: how many pixels it is taller. */
  private readonly extras = new Map<number, number>();
  private inOrder: readonly (readonly [row: number, extra: number])[] = [];

  constructor(
    private readonly rowHeight: number,
    private readonly listMax: number,
  ) {}

  /** Notes the heights of drawn rows. Returns true if one of them is new. */
  measured(first: number, heights: readonly number[]): boolean {
    let isNew = false;
    for (const [i, height] of heights.entries()) {
      const extra = Math.max(height - this.rowHeight, 0);
      if (extra === (this.extras.get(first + i) ?? 0)) continue;
      this.extras.delete(first + i);
      if (extra > 0) this.extras.set(first + i, extra);
      isNew = true;
    }
    for (const row of this.extras.keys()) {
      if (this.extras.size <= KNOWN_MAX) break;
      this.extras.delete(row);
    }
    if (isNew) this.inOrder = [...this.extras].sort(([a], [b]) => a - b);
    return isNew;
  }

  /** Pixels from the top of one row to the top of another. */
  between(from: number, to: number): number {
    return (to - from) * this.rowHeight + this.extraBefore(to) - this.extraBefore(from);
  }

  /** Where a row is on the scrollbar of a list with so many rows. */
  placeOf(row: number, count: number): number {
    return row * this.step(count) + this.extraBefore(row);
  }

  /** The row at a place of the scrollbar. */
  rowAt(place: number, count: number): number {
    const step = this.step(count);
    let before = 0;
    for (const [row, extra] of this.inOrder) {
      const top = row * step + before;
      if (place < top + step) break;
      if (place < top + step + extra) return row;
      before += extra;
    }
    return Math.floor((place - before) / step);
  }

  private step(count: number): number {
    return Math.min(this.rowHeight, this.listMax / Math.max(count, 1));
  }

  private extraBefore(row: number): number {
    let sum = 0;
    for (const [at, extra] of this.inOrder) {
      if (at >= row) break;
      sum += extra;
    }
    return sum;
  }
}
