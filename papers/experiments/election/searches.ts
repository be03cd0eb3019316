/**
 * Properties D, F, G and H of the thesis (section 3.5) and Lemma 2, watched over a run. They depend on the history of elections and searches
 * after the last change of links, which no state contains.
 *
 * For each leader pair since the last change: the tree LT of the nodes that have adopted it, each below the node that sent it. For each
 * reference level since then: the graph RD of the nodes that have adopted it, in that order. A change resets both. The properties are about
 * the heights of nodes; heights in flight or stored by neighbors are copies of them.
 */
import { compareHeights, compareLeaderPairs, isSame, type Height } from '../../../machines/election/height.js';
import { neighbors } from '../../../machines/election/links.js';
import { electionContext } from '../../../machines/election/view.js';
import type { NodeId } from '../../../machines/effects.js';
import type { Configuration, Protocol, Step } from '../../../machines/protocol.js';
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import { Random } from '../../../network/random.js';
import type { Options } from './run.js';

const PROPERTIES = ['D', 'F', 'G', 'H', 'Lemma 2'] as const;
export type HistoryProperty = (typeof PROPERTIES)[number];

const zero = (): Record<HistoryProperty, number> => ({ D: 0, F: 0, G: 0, H: 0, 'Lemma 2': 0 });

const pairOf = ({ nlts, lid }: Height): string => `${nlts} ${lid[1]}`;
const prefixOf = ({ tau, oid }: Height): string | null => (oid === null ? null : `${tau} ${oid[1]}`);

export class Searches {
  /** Number of evaluations, and of violations. */
  readonly looked = zero();
  readonly broken = zero();
  /** LT: for each leader pair, the distance of each node from the leader. */
  private readonly trees = new Map<string, Map<NodeId, number>>();
  /** RD: for each prefix of a reference level, the nodes that have adopted it, in order. */
  private readonly graphs = new Map<string, NodeId[]>();
  private readonly before = new Map<NodeId, Height>();

  constructor(private readonly c: Configuration) {
    for (const id of c.nodes.keys()) this.before.set(id, this.height(id));
  }

  private height(id: NodeId): Height {
    return electionContext(this.c.nodes.get(id)!).height;
  }

  record({ kind, node, event }: Step): void {
    if (kind === 'link') {
      this.trees.clear();
      this.graphs.clear();
    }
    const old = this.before.get(node);
    const height = this.height(node);
    this.before.set(node, height);
    if (!old) return;
    const hasNewLeader = compareLeaderPairs(old, height) !== 0;
    // A sink changes its height, under the same leader pair or as its own leader.
    if (this.trees.get(pairOf(old))?.has(node))
      this.note('Lemma 2', compareHeights(old, height) === 0 || (hasNewLeader && !isSame(height.lid, height.id)));
    if (hasNewLeader) this.grow(node, height, event['from'] as NodeId | undefined);
    else if (prefixOf(old) !== prefixOf(height)) this.spread(node, height);
    this.judge(node, height);
  }

  /** A new leader pair: created here, or received from another node. */
  private grow(node: NodeId, height: Height, from: NodeId | undefined): void {
    if (isSame(height.lid, height.id)) this.trees.set(pairOf(height), new Map([[node, 0]]));
    else {
      const tree = this.trees.get(pairOf(height));
      tree?.set(node, tree.get(from!)! + 1);
    }
  }

  /** A new reference level under the same leader pair: started here, or adopted. */
  private spread(node: NodeId, height: Height): void {
    const prefix = prefixOf(height);
    if (prefix === null) return;
    const graph = this.graphs.get(prefix);
    if (graph) graph.push(node);
    else if (isSame(height.oid, height.id)) this.graphs.set(prefix, [node]);
  }

  private judge(node: NodeId, height: Height): void {
    const depth = this.trees.get(pairOf(height))?.get(node);
    if (depth !== undefined) this.note('D', height.tau === 0 && height.delta === depth);
    const graph = this.graphs.get(prefixOf(height) ?? '');
    if (!graph) return;
    this.note('F', graph.includes(node));
    const near = neighbors(electionContext(this.c.nodes.get(node)!).links);
    if (height.r === 1)
      this.note(
        'G',
        near.every((other) => graph.includes(other)),
      );
    for (const other of near) if (this.isMutual(node, other)) this.compare(graph, [node, height], [other, this.height(other)]);
  }

  private isMutual(node: NodeId, other: NodeId): boolean {
    return neighbors(electionContext(this.c.nodes.get(other)!).links).includes(node);
  }

  private compare(graph: readonly NodeId[], [u, hu]: readonly [NodeId, Height], [v, hv]: readonly [NodeId, Height]): void {
    if (prefixOf(hu) !== prefixOf(hv)) return;
    const isBefore = graph.indexOf(u) < graph.indexOf(v);
    const [first, second] = isBefore ? [hu, hv] : [hv, hu];
    this.note('H', first.r <= second.r && (first.r + second.r > 0 || first.delta > second.delta));
  }

  private note(property: HistoryProperty, holds: boolean): void {
    this.looked[property]++;
    if (!holds) this.broken[property]++;
  }
}

/** Runs random networks of 5 to 8 nodes whose links are cut and joined one by one, with time to come to rest after each change. */
export function watchSearches(
  protocol: Protocol,
  runs: readonly number[],
  options: Readonly<Record<string, unknown>>,
): Pick<Searches, 'looked' | 'broken'> {
  const sum = { looked: zero(), broken: zero() };
  for (const seed of runs) {
    const json = turmoil({ seed, nodes: 5 + (seed % 4), changes: 0, options });
    const events = json.topology.links.flatMap((link, i) => [
      { at: 2000 * i + 1, do: 'cut', link },
      ...(i % 2 === 0 ? [{ at: 2000 * i + 1001, do: 'join', link }] : []),
    ]);
    const simulation = new Simulation(parseScenario({ ...json, events }, { election: protocol }), {
      host: 'snapshots',
      watch: false,
    });
    simulation.start();
    const searches = new Searches(simulation.configuration);
    simulation.network.steps$.subscribe((step) => searches.record(step));
    while (simulation.advance());
    for (const property of PROPERTIES) {
      sum.looked[property] += searches.looked[property];
      sum.broken[property] += searches.broken[property];
    }
  }
  return sum;
}

/** Random scenarios for the election: links that change at any time, with separate notifications of each end, and messages of any speed. */
interface Turmoil {
  readonly seed: number;
  readonly nodes: number;
  readonly changes: number;
  readonly options?: Options;
}

/** Duration of a run in ticks. */
const LASTING = 60;

export function turmoil({ seed, nodes: n, changes, options = {} }: Turmoil) {
  const random = new Random(seed, 'turmoil');
  const nodes = Array.from({ length: n }, (_, i) => `n${i}`);
  const pairs = nodes.flatMap((u, i) => nodes.slice(i + 1).map((v) => [u, v] as const));
  const links = pairs.filter(() => random.chance(0.4));
  const channels = new Map(
    pairs.flatMap(([u, v]) => [
      [`${u} ${v}`, [u, v] as const],
      [`${v} ${u}`, [v, u] as const],
    ]),
  );
  const times = new Map<string, number[]>();
  for (let i = 0; i < changes; i++) {
    const [u, v] = random.pick(pairs);
    for (const channel of [`${u} ${v}`, `${v} ${u}`]) {
      times.set(channel, [...(times.get(channel) ?? []), 1 + random.below(LASTING)]);
    }
  }
  const isUp = (u: string, v: string) => links.some(([a, b]) => (a === u && b === v) || (a === v && b === u));
  const events = [...times].flatMap(([key, at]) => {
    const channel = channels.get(key)!;
    const up = isUp(...channel);
    return at.sort((a, b) => a - b).map((time, i) => ({ at: time, do: up === (i % 2 === 0) ? 'down' : 'up', channel }));
  });
  return {
    protocol: 'election',
    options: { leader: random.pick(nodes), ...options },
    topology: { nodes, links },
    network: { latency: { min: 1, max: 1 + random.below(12) } },
    events,
    seed,
  };
}
