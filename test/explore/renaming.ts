/**
 * What a value becomes when nodes change places: every string, key or role that names a node names the other one.
 *
 * Some lists of nodes have an order that means something, others are sets that a chart keeps sorted. A list is taken for a set as long
 * as every one under its key is in the order of the topology; the first that does not raises `OrderMatters`, and the search begins
 * again with that key known. Numbers are not renamed: a protocol that compares ranks is not symmetric, and found out by the audit.
 */
import type { NodeId } from '../../machines/effects.js';

/** Raised when a list that was thought to be a set turns out to have its own order. */
export class OrderMatters extends Error {
  constructor(readonly key: string) {
    super(`the order of "${key}" means something`);
  }
}

/** Joins a role to the node it is for, as in `guardian:b`. */
const JOINT = ':';

export class Renaming {
  private readonly place: ReadonlyMap<NodeId, number>;

  constructor(
    private readonly names: ReadonlyMap<NodeId, NodeId>,
    /** The keys of the lists that are no sets. */
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
    if (this.ordered.has(key) || list.length < 2 || !list.every((item) => this.place.has(item as NodeId))) return renamed;
    const places = list.map((item) => this.place.get(item as NodeId)!);
    if (places.some((place, i) => i > 0 && place <= places[i - 1]!)) throw new OrderMatters(key);
    return renamed.toSorted((a, b) => this.place.get(a as NodeId)! - this.place.get(b as NodeId)!);
  }
}
