/** Checks that pointers and find messages form trees (Lemma 2). It uses numbers for nodes and recomputes only after an edge has moved. */
import type { Finds, FindFact } from './finds.js';

/** The number that means "no node". */
export const NONE = -1;

/** Beyond this many combinations of green edges, finds are replaced one at a time instead of all together. */
export const COMBINATIONS_MAX = 1024;

export class Trees {
  /** True if pointers and finds are a spanning tree. */
  isTree = false;
  /** Component of each node in the graph of pointers: one of its nodes. */
  private readonly black: Int32Array;
  /** The same, joined further for one question; only its roots matter. */
  private readonly joined: Int32Array;
  private areForest = false;
  private components = 0;
  /** For each find its target, and the index of its first source: the components that it has reached, its own first. */
  private readonly goals: number[] = [];
  private readonly begins: number[] = [];
  private readonly sources: number[] = [];
  /** Number of valid entries in each count; entries after them are from an earlier call. */
  private goalCount = 0;
  private sourceCount = 0;
  private combinations = 1;

  constructor(
    private readonly parents: Int32Array,
    private readonly nexts: Int32Array,
    private readonly finds: Finds,
  ) {
    this.black = new Int32Array(parents.length);
    this.joined = new Int32Array(parents.length);
  }

  lookAtPointers(): void {
    const { parents, black } = this;
    this.areForest = true;
    this.components = parents.length;
    for (let node = 0; node < parents.length; node++) black[node] = node;
    for (let node = 0; node < parents.length; node++) {
      if (parents[node] === node) continue;
      if (join(black, node, parents[node]!)) this.components--;
      else this.areForest = false;
    }
    for (let node = 0; node < parents.length; node++) black[node] = root(black, node);
  }

  lookAtFinds(): void {
    const { all, count, isTwofold } = this.finds;
    this.goalCount = this.sourceCount = 0;
    this.combinations = 1;
    for (let i = 0; i < all.length; i++) this.lookAt(all[i]!);
    this.begins[this.goalCount] = this.sourceCount;
    // The number of edges is right, and each joins two components.
    this.isTree = this.areForest && !isTwofold && this.components - count === 1 && this.joinsAll();
  }

  /** Collects all nodes that a find has visited, as far as it contains them, and those that wait for its producer. */
  private lookAt({ from, to, visited, producer }: FindFact): void {
    const { black, nexts } = this;
    const begin = this.sourceCount;
    this.begins[this.goalCount] = begin;
    this.goals[this.goalCount++] = black[to]!;
    for (let i = 0; i < visited.length; i++) this.reach(begin, visited[i]!);
    this.reach(begin, from);
    for (let at = nexts[producer]!, steps = 0; at !== NONE && steps < nexts.length; at = nexts[at]!, steps++)
      this.reach(begin, at);
    this.combinations *= this.sourceCount - begin;
  }

  /** The nodes of one component are interchangeable. */
  private reach(begin: number, node: number): void {
    const { sources } = this;
    const component = this.black[node]!;
    for (let i = begin; i < this.sourceCount; i++) if (sources[i] === component) return;
    sources[this.sourceCount++] = component;
  }

  /** True if each find joins two components. */
  private joinsAll(): boolean {
    const { joined, black, finds } = this;
    const { all } = finds;
    for (let i = 0; i < all.length; i++) if (black[all[i]!.from] === black[all[i]!.to]) return false;
    if (all.length < 2) return true;
    joined.set(black);
    for (let i = 0; i < all.length; i++) if (!join(joined, all[i]!.from, all[i]!.to)) return false;
    return true;
  }

  /** True if each find may be replaced by an edge from any component that it has reached to its target. */
  greenTrees(): boolean {
    const { combinations, goalCount, joined, black } = this;
    // Each choice joins the same components as the find.
    if (combinations === 1) return this.isTree;
    const { count, isTwofold } = this.finds;
    // Two equal finds can make the same choice.
    if (!this.areForest || isTwofold || this.components - count !== 1) return false;
    joined.set(black);
    if (combinations <= COMBINATIONS_MAX) return this.isTree && this.everyChoice(0, NONE);
    for (let find = 0; find < goalCount; find++) if (!this.everyChoice(0, find)) return false;
    return true;
  }

  /** True if finds from this one on close no cycle, for any choice of sources. With `only`, the other finds take their first source. */
  private everyChoice(find: number, only: number): boolean {
    const { goals, begins, sources, joined } = this;
    if (find === this.goalCount) return true;
    const begin = begins[find]!;
    const end = only === NONE || only === find ? begins[find + 1]! : begin + 1;
    const goal = top(joined, goals[find]!);
    for (let i = begin; i < end; i++) {
      const source = top(joined, sources[i]!);
      if (source === goal) return false;
      joined[source] = goal;
      const isKept = this.everyChoice(find + 1, only);
      joined[source] = source;
      if (!isKept) return false;
    }
    return true;
  }

  /** Nodes that a find has reached are on the side that it comes from. */
  sourceSide(): boolean {
    const { combinations, begins, goalCount } = this;
    if (combinations === 1) return true;
    for (let find = 0; find < goalCount; find++)
      if (begins[find + 1]! - begins[find]! > 1 && !this.isOnSourceSide(find)) return false;
    return true;
  }

  private isOnSourceSide(find: number): boolean {
    const { joined, black, finds, begins, sources } = this;
    joined.set(black);
    for (let i = 0; i < finds.all.length; i++)
      if (i !== find || finds.timesOf(i) > 1) join(joined, finds.all[i]!.from, finds.all[i]!.to);
    const home = root(joined, sources[begins[find]!]!);
    for (let i = begins[find]! + 1; i < begins[find + 1]!; i++) if (root(joined, sources[i]!) !== home) return false;
    return true;
  }
}

function root(leader: Int32Array, node: number): number {
  let at = node;
  while (leader[at] !== at) at = leader[at] = leader[leader[at]!]!;
  return at;
}

/** Returns the root, without changing the forest. */
function top(leader: Int32Array, node: number): number {
  let at = node;
  while (leader[at] !== at) at = leader[at]!;
  return at;
}

/** Joins two components; false if they are the same. */
function join(leader: Int32Array, a: number, b: number): boolean {
  const x = root(leader, a);
  const y = root(leader, b);
  if (x === y) return false;
  leader[x] = y;
  return true;
}
