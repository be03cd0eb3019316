/**
 * The directory's invariants as a fold: the contributions of each pointer, queue entry, find and token, and their totals.
 *
 * Counts and balances follow the facts. Trees and chains are computed again only after one of their edges has moved, on integers.
 */
import type { NodeId } from '../effects.js';
import type { Fold, Totals } from '../folded.js';
import type { Instance, NodeView } from '../protocol.js';
import type { DirectoryOptions } from './options.js';
import { Finds, NOWHERE, type FindFact } from './finds.js';
import type { DirectoryMessage } from './machine.js';
import type { Find } from './policies.js';
import { NONE, Trees } from './trees.js';
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
  /** True for a bridge within one side of the ring, or another edge between the sides. */
  readonly isAstray: boolean;
}

type FlightFact =
  | (FindFact & { readonly kind: 'find'; readonly edge: EdgeFact })
  | { readonly kind: 'token'; readonly to: number }
  | { readonly kind: 'other' };

const NO_EDGE: EdgeFact = { isBridge: false, isAstray: false };

type Directory = Instance<DirectoryOptions>;

function edgeOf(from: NodeId, to: NodeId, edge: Find['edge'], { options: { sides } }: Directory): EdgeFact {
  if (from === to) return NO_EDGE;
  const isBridge = edge === 'bridge';
  return { isBridge, isAstray: sides !== null && (sides[from] !== sides[to]) !== isBridge };
}

export const directoryFold: Fold<DirectoryOptions, DirectoryTotals, DirectoryMessage> = {
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
  flight(flight, instance: Directory): FlightFact {
    const { to, message } = flight;
    const { rank } = instance;
    if (message.type === 'token') return { kind: 'token', to: rank(to) };
    if (message.type !== 'find') return { kind: 'other' };
    const { producer, visited, edge } = message;
    // No rule reads the sender of a token, so the checker ignores it.
    const { from } = flight;
    const nodes = { from: rank(from), to: rank(to), producer: rank(producer), visited: visited.map((node) => rank(node)) };
    return { kind: 'find', ...nodes, place: NOWHERE, edge: edgeOf(from, to, edge, instance) };
  },
  totals: ({ topology }: Directory) => new DirectoryTotals(topology.nodes.length),
};

export class DirectoryTotals implements Totals<NodeFact, FlightFact> {
  /** Tokens at nodes and in flight. */
  tokens = 0;
  /** Nodes whose pointer or next contradicts their state. */
  misfits = 0;
  bridges = 0;
  astray = 0;
  /** Number of shared `next` pointers: for each node, the pointers to it beyond the first. */
  shared = 0;
  /** Waiting nodes without a trace of their request, nodes with a trace that do not wait, and nodes with several traces. */
  untraced = 0;
  private readonly parents: Int32Array;
  private readonly nexts: Int32Array;
  private readonly holders: Uint8Array;
  private readonly balance: Int32Array;
  private readonly previous: Int32Array;
  private readonly headed: Int32Array;
  private readonly finds = new Finds();
  private readonly trees: Trees;
  private readonly queue: Queue;
  private pointersMoved = true;
  private findsMoved = true;
  private nextsMoved = true;
  private headsMoved = true;
  private heads = false;

  constructor(size: number) {
    this.parents = new Int32Array(size).fill(NONE);
    this.nexts = new Int32Array(size).fill(NONE);
    this.holders = new Uint8Array(size);
    this.balance = new Int32Array(size);
    this.previous = new Int32Array(size);
    this.headed = new Int32Array(size);
    this.trees = new Trees(this.parents, this.nexts, this.finds);
    this.queue = new Queue(this.parents, this.nexts, this.holders, this.headed);
  }

  node(fact: NodeFact, by: 1 | -1): void {
    const { node, next, edge } = fact;
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
    if (by === 1) this.move(fact);
  }

  private move({ node, parent, next, holdsToken }: NodeFact): void {
    const { parents, nexts, holders } = this;
    const isHolder = holdsToken ? 1 : 0;
    if (parents[node] !== parent) this.pointersMoved = this.headsMoved = true;
    if (nexts[node] !== next) this.nextsMoved = this.headsMoved = true;
    if (holders[node] !== isHolder) this.headsMoved = true;
    parents[node] = parent;
    nexts[node] = next;
    holders[node] = isHolder;
  }

  flight(fact: FlightFact, by: 1 | -1): void {
    if (fact.kind === 'other') return;
    this.headsMoved = true;
    if (fact.kind === 'token') {
      this.tokens += by;
      this.weigh(fact.to, by);
      this.headed[fact.to]! += by;
      return;
    }
    this.findsMoved = true;
    this.finds.change(fact, by);
    this.countEdge(fact.edge, by);
    this.weigh(fact.producer, by);
    this.headed[fact.producer]! += by;
  }

  private countEdge({ isBridge, isAstray }: EdgeFact, by: 1 | -1): void {
    if (isBridge) this.bridges += by;
    if (isAstray) this.astray += by;
  }

  /** A trace of a request adds to the balance of its node, the request itself subtracts from it. */
  private weigh(node: number, by: 1 | -1): void {
    if (this.balance[node] !== 0) this.untraced--;
    this.balance[node]! += by;
    if (this.balance[node] !== 0) this.untraced++;
  }

  isSpanningTree(): boolean {
    return this.lookAtTrees().isTree;
  }

  /** Lemma 2, part 2. */
  greenTrees(): boolean {
    return this.lookAtTrees().greenTrees();
  }

  /** Lemma 2, part 3. As many finds as nodes form a cycle, which has no sides. */
  sourceSide(): boolean {
    return this.finds.count < this.parents.length && this.lookAtTrees().sourceSide();
  }

  areChains(): boolean {
    this.lookAtQueue();
    return this.queue.areChains;
  }

  haveHeads(): boolean {
    this.lookAtQueue();
    return this.heads;
  }

  /** The `next` pointers determine which nodes wait for a producer. */
  private lookAtTrees(): Trees {
    this.lookAtQueue();
    if (this.pointersMoved) this.trees.lookAtPointers();
    if (this.pointersMoved || this.findsMoved) this.trees.lookAtFinds();
    this.pointersMoved = this.findsMoved = false;
    return this.trees;
  }

  private lookAtQueue(): void {
    if (this.nextsMoved) {
      this.queue.lookAtNexts();
      this.findsMoved = true;
    }
    if (this.headsMoved) this.heads = this.queue.haveHeads();
    this.nextsMoved = this.headsMoved = false;
  }
}

/**
 * The queue of nodes that wait for the token, computed from their `next` pointers. The directory's properties check that it has no cycles.
 */
class Queue {
  /** True if no `next` pointers form a cycle. */
  areChains = true;
  private readonly seen: Int32Array;
  /** Node whose `next` points to a node; the first one of several. */
  private readonly before: Int32Array;

  /** Tokens and finds change between calls. */
  constructor(
    private readonly parents: Int32Array,
    private readonly nexts: Int32Array,
    private readonly holders: Uint8Array,
    /** Number of tokens in flight to each node, and of its finds in flight. */
    private readonly headed: Int32Array,
  ) {
    this.seen = new Int32Array(nexts.length);
    this.before = new Int32Array(nexts.length);
  }

  lookAtNexts(): void {
    const { seen, before, nexts } = this;
    for (let node = 0; node < nexts.length; node++) seen[node] = before[node] = NONE;
    for (let node = nexts.length - 1; node >= 0; node--) if (nexts[node] !== NONE) before[nexts[node]!] = node;
    this.areChains = true;
    for (let start = 0; start < nexts.length && this.areChains; start++) {
      let at = start;
      while (at !== NONE && seen[at] === NONE) {
        seen[at] = start;
        at = nexts[at]!;
      }
      if (at !== NONE && seen[at] === start) this.areChains = false;
    }
  }

  /**
   * True if going back along `next` from any self-loop ends at the holder, at the receiver of the token, or at a node whose find is in
   * flight.
   */
  haveHeads(): boolean {
    const { before, parents, holders, headed } = this;
    for (let node = 0; node < parents.length; node++) {
      if (parents[node] !== node) continue;
      let top = node;
      for (let steps = 0, at = before[top]!; at !== NONE && steps < parents.length; steps++, at = before[top]!) top = at;
      if (holders[top] !== 1 && !(headed[top]! > 0)) return false;
    }
    return true;
  }
}
