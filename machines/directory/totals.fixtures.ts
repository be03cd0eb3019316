/** Configurations of the directory, near legal ones and far from them, changed step by step, to compare the two forms of its properties. */
import type { NodeId } from '../effects.js';
import type { Changes, Configuration, Flight, Instance, NodeView, Property } from '../protocol.js';
import { Comparison } from '../../network/damaged.fixtures.js';
import { Random } from '../../network/random.js';
import { createMetric } from '../../network/topology/metric.js';
import { DIRECTORY_STATES } from './corruption.js';
import { directory } from './index.js';
import type { DirectoryOptions } from './options.js';
import { plainHolds } from './plain.fixtures.js';

class Damaged {
  readonly nodes = new Map<NodeId, NodeView>();
  flights: Flight[] = [];
  private moved: NodeId[] = [];
  private log: (readonly [Flight, 1 | -1])[] = [];
  private sent = 0;
  readonly ids: readonly NodeId[];
  readonly instance: Instance<DirectoryOptions>;
  readonly configuration: Configuration<DirectoryOptions>;

  constructor(
    private readonly random: Random,
    bridged: boolean,
  ) {
    const n = 3 + random.below(4);
    this.ids = Array.from({ length: n }, (_, i) => `n${i}`);
    const links = this.ids.map((id, i) => [id, this.ids[(i + 1) % n]!, 1] as const);
    const graph = createMetric({ nodes: this.ids, links });
    this.instance = {
      ...graph,
      options: directory.options({ policy: bridged ? 'bridge' : 'ivy' }, graph),
    } as Instance<DirectoryOptions>;
    const changes = (): Changes => {
      const change = { nodes: this.moved, channels: [], flights: this.log };
      this.moved = [];
      this.log = [];
      return change;
    };
    const { nodes, instance } = this;
    const flights = () => this.flights;
    this.configuration = {
      instance,
      nodes,
      get flights() {
        return flights();
      },
      links: {} as never,
      follow: () => changes,
    };
    // In the order of the topology, as everywhere.
    for (const id of this.ids) nodes.set(id, {});
    // A rooted tree with the token at its root.
    const order = random.below(n);
    for (let i = 0; i < n; i++) {
      const id = this.ids[(order + i) % n]!;
      this.put(id, i === 0 ? 3 : 0, i === 0 ? id : this.ids[(order + random.below(i)) % n]!, null);
    }
  }

  private any(): NodeId {
    return this.random.pick(this.ids);
  }

  private put(id: NodeId, value: number, parent: NodeId, next: NodeId | null): void {
    const edge = this.random.below(4) === 0 ? 'bridge' : 'tree';
    const context = { id, parent, next, edge, policy: 'ivy', fence: null, held: null };
    this.nodes.set(id, { directory: { chart: 'directory', value: DIRECTORY_STATES[value]! as never, context } });
    this.moved.push(id);
  }

  /** A requesting node, a lost or invented message, a node in any state. */
  damage(): void {
    const { random } = this;
    const id = this.any();
    const context = this.nodes.get(id)!.directory!.context as { readonly parent: NodeId; readonly next: NodeId | null };
    switch (random.below(5)) {
      case 0:
        return this.put(id, random.below(6), random.below(3) > 0 ? this.any() : id, random.below(2) > 0 ? null : this.any());
      case 1:
        return this.land();
      case 2:
        return this.send(id, this.any(), random.below(3) > 0 ? this.any() : id, [this.any(), id]);
      default:
        this.send(id, context.parent, id, [id]);
        return this.put(id, 1, id, context.next);
    }
  }

  private land(): void {
    if (this.flights.length === 0) return;
    const gone = this.random.pick(this.flights);
    this.flights = this.flights.filter((flight) => flight !== gone);
    this.log.push([gone, -1]);
  }

  private send(from: NodeId, to: NodeId, producer: NodeId, visited: readonly NodeId[]): void {
    const edge = this.random.below(4) === 0 ? 'bridge' : 'tree';
    const isFind = this.random.below(4) > 0;
    const message = isFind ? { type: 'find', producer, visited, edge } : { type: 'token', fence: null };
    const flight: Flight = { id: this.sent++, from, to, message, cost: 1 };
    this.flights = [...this.flights, flight];
    this.log.push([flight, 1]);
  }
}

/** The same property as in the paper, without its totals. */
export function plain<P extends Property>(property: P): P {
  const { folded: _folded, ...rest } = property as any;
  return { ...rest, holds: plainHolds[property.name] ?? rest.holds };
}

/** Compares the forms in this number of runs, eight times each. */
export function compareDirectories(runs: number, seed: number): Comparison {
  const random = new Random(seed, 'damage');
  const comparison = new Comparison();
  for (let run = 0; run < runs; run++) {
    const damaged = new Damaged(random, run % 2 === 0);
    const look = comparison.of(damaged.configuration, directory.properties(damaged.instance), plain);
    for (let step = 0; step < 8; step++) {
      look();
      damaged.damage();
    }
  }
  return comparison;
}
