/** The countable parts of a context: its numbers, and the sizes of its values. They show whether a search makes progress. */

/** The measured numbers by path, such as `count`, `items.length` and `player.score`. */
export type Measures = ReadonlyMap<string, number>;

const DEPTH_MAX = 3;
const MEASURES_MAX = 60;

/** The numbers of a context, and the sizes of its texts, lists, maps and sets. */
export function measuresOf(context: unknown): Measures {
  const measures = new Map<string, number>();
  const visit = (value: unknown, path: string, depth: number): void => {
    if (measures.size >= MEASURES_MAX) return;
    if (typeof value === 'number') measures.set(path, value);
    else if (typeof value === 'string') measures.set(`${path}.length`, value.length);
    else if (value instanceof Map || value instanceof Set) measures.set(`${path}.size`, value.size);
    else if (Array.isArray(value)) measures.set(`${path}.length`, value.length);
    else if (isPlain(value) && depth < DEPTH_MAX)
      for (const [key, one] of Object.entries(value)) visit(one, path === '' ? key : `${path}.${key}`, depth + 1);
  };
  visit(context, '', 0);
  return measures;
}

const isPlain = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && [Object.prototype, null].includes(Object.getPrototypeOf(value));

/** How far measures go in one place, and which of them were still growing at the end. */
export class Extent {
  private readonly ranges = new Map<string, { least: number; most: number; last: number; changes: number }>();
  private seen = 0;

  /** Those that are less or more than any before. */
  add(measures: Measures): readonly string[] {
    this.seen++;
    const further: string[] = [];
    for (const [path, value] of measures) {
      const range = this.ranges.get(path);
      if (!range) {
        this.ranges.set(path, { least: value, most: value, last: this.seen, changes: 0 });
        further.push(path);
      } else if (value < range.least || value > range.most) {
        further.push(path);
        Object.assign(range, {
          least: Math.min(value, range.least),
          most: Math.max(value, range.most),
          last: this.seen,
          changes: range.changes + 1,
        });
      }
    }
    return further;
  }

  /** Measures that increased repeatedly until the end, the largest first. */
  growing(): readonly string[] {
    return [...this.ranges]
      .filter(([, { changes, last }]) => changes >= CHANGES_MIN && last > this.seen / 2)
      .toSorted(([, a], [, b]) => b.changes - a.changes)
      .slice(0, NAMED_MAX)
      .map(([path, { least, most }]) => `${path} (${least} to ${most})`);
  }
}

const CHANGES_MIN = 8;
const NAMED_MAX = 3;
