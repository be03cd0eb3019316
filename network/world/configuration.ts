/** The global state of a running network as properties see it: views are built when somebody looks, and only anew for nodes that moved. */
import type { NodeId } from '../../machines/effects.js';
import type { Configuration, Flight, LinksView, NodeView, Instance } from '../../machines/protocol.js';
import type { Node } from './node.js';

export class ConfigurationView implements Configuration {
  private readonly views = new Map<NodeId, NodeView>();
  private stale = new Set<NodeId>();
  private fresh = false;

  constructor(
    readonly instance: Instance,
    private readonly running: ReadonlyMap<NodeId, Node>,
    private readonly inFlight: { readonly all: readonly Flight[]; between(from: NodeId, to: NodeId): readonly Flight[] },
    readonly links: LinksView,
    private readonly down: ReadonlySet<NodeId>,
  ) {}

  /** Says that a node has moved. */
  touch(node: NodeId): void {
    if (this.fresh) this.stale.add(node);
  }

  get nodes(): ReadonlyMap<NodeId, NodeView> {
    if (!this.fresh) {
      for (const [id, node] of this.running) this.views.set(id, node.view());
      this.fresh = true;
    }
    for (const id of this.stale) this.views.set(id, this.running.get(id)!.view());
    this.stale.clear();
    return this.views;
  }

  get flights(): readonly Flight[] {
    return this.inFlight.all;
  }

  get crashed(): readonly NodeId[] {
    return [...this.down];
  }

  between(from: NodeId, to: NodeId): readonly Flight[] {
    return this.inFlight.between(from, to);
  }
}
