/** What properties look at: of each state only that matters to them, and partial-order reduction keeps its order. */
import type { Configuration, Flight, LinksView, NodeView, Instance } from '../../machines/protocol.js';
import type { NodeId } from '../../machines/effects.js';

export interface Seen {
  /** The nodes whose states are looked at, as the bits of an integer. */
  readonly nodes: number;
  readonly flights: boolean;
  readonly links: boolean;
}

export const NOTHING: Seen = { nodes: 0, flights: false, links: false };

/** Raised when a property looks at what none has looked at before: the search begins again, knowing it. */
export class LooksFurther extends Error {
  constructor(readonly seen: Seen) {
    super('a property looks at more than before');
  }
}

/** A configuration that takes note of what is looked at. */
export class Looking implements Configuration {
  readonly instance: Instance;
  readonly nodes: ReadonlyMap<NodeId, NodeView>;
  private nodesSeen = 0;
  private flightsSeen = false;
  private linksSeen = false;

  constructor(private readonly whole: Configuration) {
    this.instance = whole.instance;
    const { rank } = whole.instance;
    this.nodes = new Watched(whole.nodes, (node) => (this.nodesSeen |= node === undefined ? -1 : 1 << rank(node)));
  }

  get flights(): readonly Flight[] {
    this.flightsSeen = true;
    return this.whole.flights;
  }

  get links(): LinksView {
    this.linksSeen = true;
    return this.whole.links;
  }

  get hasLooked(): boolean {
    return this.nodesSeen !== 0 || this.flightsSeen || this.linksSeen;
  }

  /** Begins again if more was looked at than is known. */
  compare(known: Seen): void {
    const seen = {
      nodes: known.nodes | this.nodesSeen,
      flights: known.flights || this.flightsSeen,
      links: known.links || this.linksSeen,
    };
    if (seen.nodes !== known.nodes || seen.flights !== known.flights || seen.links !== known.links) throw new LooksFurther(seen);
  }
}

/** Tells of each look which node it is for, or, with no name, that it may be for all. */
class Watched extends Map<NodeId, NodeView> {
  constructor(
    whole: ReadonlyMap<NodeId, NodeView>,
    private readonly look: (node?: NodeId) => void,
  ) {
    super();
    for (const [node, view] of whole) super.set(node, view);
  }

  override get(node: NodeId): NodeView | undefined {
    this.look(node);
    return super.get(node);
  }

  override forEach(...args: Parameters<Map<NodeId, NodeView>['forEach']>): void {
    this.look();
    super.forEach(...args);
  }

  override values(): MapIterator<NodeView> {
    this.look();
    return super.values();
  }

  override entries(): MapIterator<[NodeId, NodeView]> {
    this.look();
    return super.entries();
  }

  override [Symbol.iterator](): MapIterator<[NodeId, NodeView]> {
    return this.entries();
  }
}
