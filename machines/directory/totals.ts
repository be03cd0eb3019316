/**
 * The directory's invariants as a fold: what each pointer, queue entry, find and token contributes, and what it adds up to.
 *
 * Counts and balances are kept as facts come and go. Trees and chains are looked at again only after an edge of them has moved, on
 * integers.
 */
import type { NodeId } from '../effects.js';
import type { Flight, Fold, Instance, NodeView, Totals } from '../protocol.js';
import type { DirectoryOptions } from './options.js';
import type { Find } from './policies.js';
import { directoryContext, isRequesting, pointerFitsState, holdsToken } from './view.js';

interface NodeFact {
  readonly node: number;
  readonly parent: number;
  readonly next: number;
  readonly isRequesting: boolean;
  readonly holdsToken: boolean;
  readonly fits: boolean;
  readonly edge: EdgeFact;
}

interface EdgeFact {
  readonly isBridge: boolean;
  /** A bridge within one side of the ring, or another edge between the sides. */
  readonly isAstray: boolean;
}

type FlightFact =
  | {
      readonly kind: 'find';
      readonly from: number;
      readonly to: number;
      readonly producer: number;
      readonly visited: readonly number[];
      readonly edge: EdgeFact;
    }
  | { readonly kind: 'token'; readonly to: number }
  | { readonly kind: 'other' };

type FindFact = FlightFact & { readonly kind: 'find' };

/** A find, and where it might as well have come from. */
interface Choice {
  readonly to: number;
  readonly sources: readonly number[];
}

/** Beyond this many combinations of green edges, finds are replaced one at a time instead of all together. */
export const COMBINATIONS_MAX = 1024;

const NONE = -1;
const NO_EDGE: EdgeFact = { isBridge: false, isAstray: false };

type Directory = Instance<DirectoryOptions>;

function edgeOf(from: NodeId, to: NodeId, edge: Find['edge'], { options: { sides } }: Directory): EdgeFact {
  if (from === to) return NO_EDGE;
  const isBridge = edge === 'bridge';
  return { isBridge, isAstray: sides !== null && (sides[from] !== sides[to]) !== isBridge };
}

export const directoryFold: Fold<DirectoryOptions, DirectoryTotals> = {
  node(view: NodeView, id: NodeId, instance: Directory): NodeFact {
    const { parent, next, edge } = directoryContext(view);
    return {
      node: instance.rank(id),
      parent: instance.rank(parent),
      next: next === null ? NONE : instance.rank(next),
      isRequesting: isRequesting(view),
      holdsToken: holdsToken(view),
      fits: pointerFitsState(id, view),
      edge: edgeOf(id, parent, edge, instance),
    };
  },
  flight(flight: Flight, instance: Directory): FlightFact {
    const { to, message } = flight;
    const { rank } = instance;
    if (message.type === 'token') return { kind: 'token', to: rank(to) };
    if (message.type !== 'find') return { kind: 'other' };
    const { producer, visited, edge } = message as Find;
    // Of a token nobody reads the sender: the checker does not tell tokens apart by it.
    const { from } = flight;
    const find = { from: rank(from), to: rank(to), producer: rank(producer), visited: visited.map((node) => rank(node)) };
    return { kind: 'find', ...find, edge: edgeOf(from, to, edge, instance) };
  },
  totals: ({ topology }: Directory) => new DirectoryTotals(topology.nodes.length),
};

export class DirectoryTotals implements Totals<NodeFact, FlightFact> {
  /** Tokens at nodes and in flight. */
  tokens = 0;
  /** Nodes whose pointer or next does not fit their state. */
  misfits = 0;
  bridges = 0;
  astray = 0;
  /** Nodes that are the next of another one, less one for each such node: a next that is shared. */
  shared = 0;
  /** Nodes that wait without a trace of it, or leave a trace without waiting, or more than one. */
  untraced = 0;
  private readonly facts: NodeFact[] = [];
  private readonly finds = new Map<FindFact, number>();
  private findCount = 0;
  private readonly balance: Int32Array;
  private readonly previous: Int32Array;
  private readonly headed: Int32Array;
  private readonly black: Int32Array;
  private readonly whole: Int32Array;
  private pointersMoved = true;
  private findsMoved = true;
  private queueMoved = true;
  private blackIsForest = false;
  private tree = false;
  private near = false;
  private chains = false;
  private heads = false;

  constructor(private readonly size: number) {
    this.balance = new Int32Array(size);
    this.previous = new Int32Array(size);
    this.headed = new Int32Array(size);
    this.black = new Int32Array(size);
    this.whole = new Int32Array(size);
  }

  node(fact: NodeFact, by: 1 | -1): void {
    const { node, parent, next, edge } = fact;
    const before = this.facts[node];
    if (by === 1) this.facts[node] = fact;
    if (fact.holdsToken) this.tokens += by;
    if (!fact.fits) this.misfits += by;
    this.countEdge(edge, by);
    if (fact.isRequesting) this.weigh(node, by === 1 ? -1 : 1);
    if (next !== NONE) {
      this.weigh(next, by);
      const others = by === 1 ? this.previous[next]! : this.previous[next]! - 1;
      if (others > 0) this.shared += by;
      this.previous[next]! += by;
    }
    if (by === -1 || before === undefined) return;
    if (before.parent !== parent) this.pointersMoved = true;
    if (before.next !== next || before.parent !== parent || before.holdsToken !== fact.holdsToken) this.queueMoved = true;
  }

  flight(fact: FlightFact, by: 1 | -1): void {
    if (fact.kind === 'other') return;
    this.queueMoved = true;
    if (fact.kind === 'token') {
      this.tokens += by;
      this.weigh(fact.to, by);
      this.headed[fact.to]! += by;
      return;
    }
    this.findsMoved = true;
    this.findCount += by;
    this.countEdge(fact.edge, by);
    this.weigh(fact.producer, by);
    this.headed[fact.producer]! += by;
    const times = (this.finds.get(fact) ?? 0) + by;
    if (times === 0) this.finds.delete(fact);
    else this.finds.set(fact, times);
  }

  private countEdge({ isBridge, isAstray }: EdgeFact, by: 1 | -1): void {
    if (isBridge) this.bridges += by;
    if (isAstray) this.astray += by;
  }

  /** A trace of a request adds to the balance of its node, the request itself takes away. */
  private weigh(node: number, by: 1 | -1): void {
    if (this.balance[node] !== 0) this.untraced--;
    this.balance[node]! += by;
    if (this.balance[node] !== 0) this.untraced++;
  }

  isSpanningTree(): boolean {
    this.lookAtTrees();
    return this.tree;
  }

  /** Lemma 2, part 2. */
  greenTrees(): boolean {
    this.lookAtTrees();
    if (!this.blackIsForest) return false;
    // Each find's choices lie in the component of the pointers that it came from: whichever is chosen, it joins what the find joins.
    if (this.near) return this.tree;
    const choices = this.choices();
    const combinations = choices.reduce((product, { sources }) => product * sources.length, 1);
    if (combinations <= COMBINATIONS_MAX) return this.everyChoice(choices, 0, this.black);
    return choices.every((_, i) =>
      this.everyChoice(
        choices.map((choice, j) => (i === j ? choice : { ...choice, sources: choice.sources.slice(0, 1) })),
        0,
        this.black,
      ),
    );
  }

  /** For each find its receiver, and the components of the pointers that it has reached: the nodes of one are interchangeable. */
  private choices(): Choice[] {
    return [...this.finds].flatMap(([find, times]) => {
      const sources = [...new Set(this.reachedBy(find).map((node) => root(this.black, node)))];
      return Array.from({ length: times }, () => ({ to: find.to, sources }));
    });
  }

  private everyChoice(choices: readonly Choice[], place: number, joined: Int32Array): boolean {
    const choice = choices[place];
    if (!choice) return joined.every((_, node) => root(joined, node) === root(joined, 0));
    return choice.sources.every((source) => {
      const more = joined.slice();
      return join(more, choice.to, source) && this.everyChoice(choices, place + 1, more);
    });
  }

  /** Lemma 2, part 3: with as many finds as nodes there is a cycle, and sides mean nothing. */
  sourceSide(): boolean {
    this.lookAtTrees();
    if (this.findCount >= this.size) return false;
    return this.near || [...this.finds.keys()].every((find) => this.isOnSourceSide(find));
  }

  private isOnSourceSide(find: FindFact): boolean {
    const { whole } = this;
    whole.set(this.black);
    for (const [other, times] of this.finds) if (other !== find || times > 1) join(whole, other.from, other.to);
    const home = root(whole, find.from);
    return this.reachedBy(find).every((node) => root(whole, node) === home);
  }

  /** The nodes that a find has visited, as far as it carries them, and those that wait for its producer. */
  private reachedBy({ from, visited, producer }: FindFact): number[] {
    const reached = [...visited, from];
    for (let at = this.facts[producer]!.next, steps = 0; at !== NONE && steps < this.size; at = this.facts[at]!.next, steps++)
      reached.push(at);
    return reached;
  }

  areChains(): boolean {
    this.lookAtQueue();
    return this.chains;
  }

  haveHeads(): boolean {
    this.lookAtQueue();
    return this.heads;
  }

  private lookAtTrees(): void {
    if (!this.pointersMoved && !this.findsMoved && !this.queueMoved) return;
    this.lookAtQueue();
    if (this.pointersMoved) {
      this.blackIsForest = true;
      for (let i = 0; i < this.size; i++) this.black[i] = i;
      for (const { node, parent } of this.facts)
        if (node !== parent && !join(this.black, node, parent)) this.blackIsForest = false;
    }
    if (this.pointersMoved || this.findsMoved) this.lookAtFinds();
    this.near = true;
    for (const find of this.finds.keys()) if (!this.isNear(find)) this.near = false;
    this.pointersMoved = this.findsMoved = false;
  }

  private lookAtFinds(): void {
    const { black, whole } = this;
    whole.set(black);
    this.tree = this.blackIsForest;
    let components = 0;
    for (let i = 0; i < this.size; i++) if (black[i] === i) components++;
    for (const [{ from, to }, times] of this.finds) {
      if (times > 1 || !join(whole, from, to)) this.tree = false;
      else components--;
    }
    this.tree &&= components === 1;
  }

  /** Whether all that a find has visited, and all that wait for its producer, are in the sender's component of the pointers. */
  private isNear({ from, visited, producer }: FindFact): boolean {
    const { black, facts } = this;
    const home = root(black, from);
    if (visited.some((node) => root(black, node) !== home)) return false;
    let steps = 0;
    for (let at = facts[producer]!.next; at !== NONE && steps < this.size; at = facts[at]!.next, steps++) {
      if (root(black, at) !== home) return false;
    }
    return true;
  }

  private lookAtQueue(): void {
    if (!this.queueMoved) return;
    this.queueMoved = false;
    // The nexts decide what waits for a producer.
    this.findsMoved = true;
    const { facts, size } = this;
    const from = new Int32Array(size).fill(NONE);
    for (let i = size - 1; i >= 0; i--) if (facts[i]!.next !== NONE) from[facts[i]!.next] = i;
    this.chains = this.haveNoCycle();
    this.heads = facts.every(({ node, parent }) => {
      if (node !== parent) return true;
      let top = node;
      for (let steps = 0, at = from[top]!; at !== NONE && steps < size; steps++, at = from[top]!) top = at;
      return facts[top]!.holdsToken || this.headed[top]! > 0;
    });
  }

  private haveNoCycle(): boolean {
    const seen = new Int32Array(this.size).fill(NONE);
    for (let start = 0; start < this.size; start++) {
      let at = start;
      while (at !== NONE && seen[at] === NONE) {
        seen[at] = start;
        at = this.facts[at]!.next;
      }
      if (at !== NONE && seen[at] === start) return false;
    }
    return true;
  }
}

function root(leader: Int32Array, node: number): number {
  let at = node;
  while (leader[at] !== at) at = leader[at] = leader[leader[at]!]!;
  return at;
}

/** Joins two components; false where they are one. */
function join(leader: Int32Array, a: number, b: number): boolean {
  const [x, y] = [root(leader, a), root(leader, b)];
  if (x === y) return false;
  leader[x] = y;
  return true;
}
