/**
 * Values after a permutation of the nodes: every string, key or role that names a node is replaced.
 *
 * The order of a list of nodes can be significant, or the list is a set that a chart keeps sorted. A list counts as a set as long as every
 * list under its key is in the order of the topology. The first list in another order restarts the search with that key recorded as
 * significant (`restart.ts`). Numbers are not replaced: a protocol that compares ranks is not symmetric, and the audit detects that.
 */
import type { NodeId } from '../../machines/effects.js';
import { orderMatters } from './restart.js';

/** Joins a role to its node, as in `guardian:b`. */
const JOINT = ':';

export class Renaming {
  private readonly place: ReadonlyMap<unknown, number>;

  constructor(
    private readonly names: ReadonlyMap<NodeId, NodeId>,
    /** The keys of the lists whose order is significant. */
    private readonly ordered: ReadonlySet<string>,
  ) {
    this.place = new Map([...names.keys()].map((node, place) => [node, place]));
  }

  of<T>(value: T, key = ''): T {
    return this.renamed(value, key) as T;
  }

  text(text: string): string {
    const name = this.names.get(text);
    if (name !== undefined || !text.includes(JOINT)) return name ?? text;
    return text
      .split(JOINT)
      .map((part) => this.names.get(part) ?? part)
      .join(JOINT);
  }

  private renamed(value: unknown, key: string): unknown {
    if (typeof value === 'string') return this.text(value);
    if (typeof value !== 'object' || value === null) return value;
    if (Array.isArray(value)) return this.list(value, key);
    return Object.fromEntries(Object.entries(value).map(([name, inner]) => [this.text(name), this.renamed(inner, name)]));
  }

  private list(list: readonly unknown[], key: string): unknown[] {
    const renamed = list.map((item) => this.renamed(item, key));
    if (this.ordered.has(key) || list.length < 2 || !list.every((item) => this.place.has(item))) return renamed;
    const places = list.map((item) => this.place.get(item)!);
    if (places.some((place, i) => i > 0 && place <= places[i - 1]!)) throw orderMatters(key);
    return renamed.toSorted((a, b) => this.place.get(a)! - this.place.get(b)!);
  }
}
