/**
 * The directory between two requests, as plain lists: a tree of pointers, the cost of each request, and the tree after it.
 *
 * Adversaries evaluate millions of requests. This file contains only the effects of a find without other finds in flight, and the
 * directory's own policies choose the new pointers. The directory itself pays for each result of an adversary, and `pointers.test.ts`
 * compares every tree of four nodes with the directory.
 */
import type { EdgeKind, Policy } from '../../../machines/directory/policies.js';
import { extendVisited, newParent } from '../../../machines/directory/policies.js';
import type { NodeId } from '../../../machines/effects.js';
import { createTopology } from '../../../network/topology/index.js';
import { createMetric } from '../../../network/topology/metric.js';
import { costOf, type DirectoryCost, type JsonObject } from './run.js';

/** Pointers without a find in flight. Nodes are numbers. */
export interface Pointers {
  readonly parents: readonly number[];
  /** Node with a self-loop: it has the token. */
  readonly holder: number;
  /** Node whose pointer is the bridge; `null` if the policy has none. */
  readonly bridgeOwner: number | null;
}

/** One request at one tree. */
export interface Paid {
  readonly cost: number;
  readonly opt: number;
  readonly after: Pointers;
}

export class SingleRequests {
  private readonly nodes: readonly NodeId[];
  private readonly numbers: ReadonlyMap<NodeId, number>;
  private readonly far: readonly Float64Array[];

  constructor(
    private readonly topology: JsonObject,
    private readonly policy: Policy,
  ) {
    const { nodes, links } = createTopology(topology);
    const { distance } = createMetric({ nodes, links });
    this.nodes = nodes;
    this.numbers = new Map(nodes.map((node, i) => [node, i]));
    this.far = nodes.map((u) => Float64Array.from(nodes, (v) => distance(u, v)));
  }

  /** Initial pointers of the directory under these options. */
  start(options: JsonObject): Pointers {
    return this.of(costOf(this.topology, options, []));
  }

  /** Pointers at the end of a run of the directory. */
  of({ parents, holder, bridgeOwner }: DirectoryCost): Pointers {
    const number = (node: NodeId) => this.numbers.get(node)!;
    return {
      parents: this.nodes.map((node) => number(parents[node]!)),
      holder: number(holder),
      bridgeOwner: bridgeOwner === null ? null : number(bridgeOwner),
    };
  }

  /** Options of a directory that starts with these pointers. */
  optionsOf({ parents, holder, bridgeOwner }: Pointers): JsonObject {
    const name = (node: number) => this.nodes[node]!;
    return {
      policy: this.policy,
      root: name(holder),
      parents: Object.fromEntries(parents.map((parent, node) => [name(node), name(parent)])),
      ...(bridgeOwner === null ? {} : { bridgeOwner: name(bridgeOwner) }),
    };
  }

  optimum(from: number, to: number): number {
    return this.far[from]![to]!;
  }

  /** Cost of a find from each node now. */
  costs({ parents }: Pointers): readonly number[] {
    const known: number[] = [];
    const costOfNode = (node: number): number => {
      const parent = parents[node]!;
      return (known[node] ??= parent === node ? 0 : this.optimum(node, parent) + costOfNode(parent));
    };
    return parents.map((_, node) => costOfNode(node));
  }

  request(before: Pointers, producer: number): Paid {
    const { holder } = before;
    if (producer === holder) return { cost: 0, opt: 0, after: before };
    const parents = [...before.parents];
    let { bridgeOwner } = before;
    const edgeOf = (node: number): EdgeKind => (bridgeOwner === node ? 'bridge' : 'tree');
    const name = this.nodes[producer]!;
    let visited: readonly NodeId[] = [name];
    let cost = 0;
    let [from, to, edge] = [producer, parents[producer]!, edgeOf(producer)];
    parents[producer] = producer;
    for (;;) {
      cost += this.optimum(from, to);
      const [next, nextEdge] = [parents[to]!, edgeOf(to)];
      const find = { type: 'find', producer: name, from: this.nodes[from]!, visited, edge, at: 0 } as const;
      parents[to] = this.numbers.get(newParent(this.policy, find))!;
      if (edge === 'bridge') bridgeOwner = to;
      if (next === to) return { cost, opt: this.optimum(holder, producer), after: { parents, holder: producer, bridgeOwner } };
      visited = extendVisited(this.policy, visited, this.nodes[to]!);
      [from, to, edge] = [to, next, nextEdge];
    }
  }
}

/** Cost of sequences of requests relative to their optimum, each from the same start. */
export function ratiosOn(topology: JsonObject, options: JsonObject & { readonly policy: Policy }) {
  const directory = new SingleRequests(topology, options.policy);
  const start = directory.start(options);
  return (requests: readonly number[]): number => {
    let [pointers, cost, opt] = [start, 0, 0];
    for (const node of requests) {
      const paid = directory.request(pointers, node);
      [pointers, cost, opt] = [paid.after, cost + paid.cost, opt + paid.opt];
    }
    return opt === 0 ? 0 : cost / opt;
  };
}
