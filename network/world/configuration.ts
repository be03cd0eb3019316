/** The current configuration of a running network. Views are built on demand, and again only for nodes that took a step. */
import type { NodeId } from '../../machines/effects.js';
import type { Changes, ChannelState, Configuration, Flight, NodeView, Instance } from '../../machines/protocol.js';
import type { FlightTable } from './flights.js';
import type { Links } from './links.js';
import type { Node } from './node.js';

export class ConfigurationView implements Configuration {
  private readonly views = new Map<NodeId, NodeView>();
  private stale = new Set<NodeId>();
  private fresh = false;
  /** For each follower: the nodes that have changed since its last call. */
  private readonly moved: Set<NodeId>[] = [];

  constructor(
    readonly instance: Instance,
    private readonly running: ReadonlyMap<NodeId, Node>,
    private readonly inFlight: Pick<FlightTable, 'all' | 'between' | 'follow'>,
    readonly links: Pick<Links, 'up' | 'neighbors' | 'port' | 'follow'>,
    private readonly down: ReadonlySet<NodeId>,
    private readonly everDown: ReadonlySet<NodeId> = down,
  ) {}

  /** Marks a node as changed. */
  touch(node: NodeId): void {
    if (this.fresh) this.stale.add(node);
    for (const moved of this.moved) moved.add(node);
  }

  get nodes(): ReadonlyMap<NodeId, NodeView> {
    if (!this.fresh) {
      for (const [id, node] of this.running) this.views.set(id, node.view());
      this.fresh = true;
    }
    if (this.stale.size > 0) {
      for (const id of this.stale) this.views.set(id, this.running.get(id)!.view());
      this.stale.clear();
    }
    return this.views;
  }

  get flights(): readonly Flight[] {
    return this.inFlight.all;
  }

  get crashed(): readonly NodeId[] {
    return [...this.down];
  }

  get everCrashed(): readonly NodeId[] {
    return [...this.everDown];
  }

  follow(): () => Changes {
    const moved = new Set(this.running.keys());
    this.moved.push(moved);
    let flights: (readonly [Flight, 1 | -1])[] = [];
    this.inFlight.follow((flight, by) => void flights.push([flight, by]));
    const { links } = this;
    const turned = new Map<NodeId, Set<NodeId>>();
    links.follow((from, to) => void (turned.get(from) ?? turned.set(from, new Set()).get(from)!).add(to));
    return () => {
      const channels: ChannelState[] = [];
      for (const [from, tos] of turned)
        for (const to of tos) channels.push({ from, to, up: links.up(from, to), port: links.port(from, to) });
      const changes = { nodes: [...moved], channels, flights };
      moved.clear();
      turned.clear();
      flights = [];
      return changes;
    };
  }

  between(from: NodeId, to: NodeId): readonly Flight[] {
    return this.inFlight.between(from, to);
  }
}
