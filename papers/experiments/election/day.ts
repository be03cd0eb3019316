/**
 * Measures the election on a topology that changes, such as a day of recorded contacts: how long the nodes of a component follow several
 * leaders after its last link change.
 *
 * The paper does not bound this time. Two facts give a bound of `diameter + 2` latencies after the last link change and self-election:
 * - A node adopts a more recent leader pair when it receives it, one hop per latency.
 * - A new channel needs a round trip before both ends send.
 *
 * The election itself may take longer. A search follows links down the order of identities, and this path can be much longer than the
 * diameter (`fan`).
 */
import { parseScenario } from '../../../network/scenario/parse.js';
import { Simulation } from '../../../network/simulation.js';
import { protocols } from '../../../machines/index.js';
import type { NodeId } from '../../../machines/effects.js';
import { componentsOf, diameterOf } from '../../../machines/election/graph.js';
import type { LeaderChange } from '../../../machines/election/messages.js';
import { leaderOf } from '../../../machines/election/view.js';
import type { Link, Topology } from '../../../machines/protocol.js';

export interface DayMoment {
  readonly at: number;
  /** Number of components of at least two nodes. */
  readonly components: number;
  readonly largest: number;
  /** Number of different leaders that nodes in such components follow. */
  readonly leaders: number;
}

export interface Day {
  /** Topology before each change of links. */
  readonly moments: readonly DayMoment[];
  readonly changes: number;
  readonly updates: number;
  /** Times of self-elections. */
  readonly elections: readonly number[];
  /** Number of checks of a component that was undisturbed for longer than a round trip of its diameter. */
  readonly observations: number;
  /** Number of checks with two nodes in office, and of those with several followed leaders. */
  readonly twoInOffice: number;
  readonly followingSeveral: number;
  /** Longest duration of both after the last change, in round trips of the diameter. */
  readonly longestInOffice: number;
  readonly longestFollowing: number;
  /** Longest time with several followed leaders after the last change and the last election, in latencies beyond the diameter. */
  readonly beyondDiameter: number;
}

interface Component {
  readonly nodes: readonly NodeId[];
  readonly diameter: number;
  readonly changedAt: number;
}

/** Unit latency: a round trip of the diameter takes twice as many ticks. */
export class DayWatch {
  readonly day = {
    moments: [] as DayMoment[],
    changes: 0,
    updates: 0,
    elections: [] as number[],
    observations: 0,
    twoInOffice: 0,
    followingSeveral: 0,
    longestInOffice: 0,
    longestFollowing: 0,
    beyondDiameter: -Infinity,
  } satisfies Day;
  private readonly simulation: Simulation;
  private readonly graph: Map<NodeId, NodeId[]>;
  private readonly changedAt = new Map<NodeId, number>();
  private readonly electedAt = new Map<NodeId, number>();
  /** Components of at least two nodes, until links change. */
  private components: readonly Component[] | null = null;

  constructor(json: Readonly<Record<string, unknown>>, readText?: (path: string) => string) {
    const scenario = parseScenario({ protocol: 'election', ...json }, protocols, readText);
    this.simulation = new Simulation(scenario, { host: 'snapshots', watch: false });
    const { nodes, links } = scenario.graph.topology;
    this.graph = new Map(nodes.map((node) => [node, links.flatMap(([u, v]) => (u === node ? [v] : v === node ? [u] : []))]));
  }

  /** Checks all components at the end of every tick with events, and before the next one. */
  run(): Day {
    const { simulation, day } = this;
    const { network, clock } = simulation;
    network.channels$.subscribe((change) => this.change(change, network.now));
    network.steps$.subscribe(({ node, at, sent, emitted }) => {
      day.updates += sent.length;
      if (!emitted.some((event) => event.type === 'leader' && (event as LeaderChange).leader === node)) return;
      day.elections.push(at);
      this.electedAt.set(node, at);
    });
    simulation.start();
    do {
      const next = clock.nextTime();
      if (next !== undefined && next > clock.now()) this.look(next - 1);
    } while (simulation.advance());
    simulation.finish();
    return day;
  }

  private change({ from, to, up }: { from: NodeId; to: NodeId; up: boolean }, at: number): void {
    if (this.components) this.day.moments.push(this.moment(at, this.components));
    this.components = null;
    this.day.changes++;
    this.changedAt.set(from, at);
    const peers = this.graph.get(from)!;
    if (up) peers.push(to);
    else peers.splice(peers.indexOf(to), 1);
  }

  private moment(at: number, components: readonly Component[]): DayMoment {
    const leaders = components.flatMap((component) => [...this.followed(component)]);
    const largest = Math.max(0, ...components.map(({ nodes }) => nodes.length));
    return { at, components: components.length, largest, leaders: new Set(leaders).size };
  }

  private followed({ nodes }: Component): Set<NodeId> {
    return new Set(nodes.map((node) => leaderOf(this.simulation.configuration.nodes.get(node)!)));
  }

  private look(at: number): void {
    this.components ??= componentsOf(this.graph)
      .filter(({ length }) => length > 1)
      .map((nodes) => ({ nodes, diameter: diameterOf(nodes, this.graph), changedAt: latest(nodes, this.changedAt) }));
    for (const component of this.components) this.judge(component, at);
  }

  private judge(component: Component, at: number): void {
    const { day } = this;
    const { nodes, diameter, changedAt } = component;
    const followed = this.followed(component);
    const inOffice = nodes.filter((node) => leaderOf(this.simulation.configuration.nodes.get(node)!) === node).length;
    const roundTrips = (at - changedAt) / (2 * diameter);
    if (roundTrips > 1) {
      day.observations++;
      if (inOffice > 1) day.twoInOffice++;
      if (followed.size > 1) day.followingSeveral++;
    }
    if (inOffice > 1) day.longestInOffice = Math.max(day.longestInOffice, roundTrips);
    if (followed.size === 1) return;
    day.longestFollowing = Math.max(day.longestFollowing, roundTrips);
    const calm = at - Math.max(changedAt, latest(nodes, this.electedAt));
    day.beyondDiameter = Math.max(day.beyondDiameter, calm - diameter);
  }
}

const latest = (nodes: readonly NodeId[], times: ReadonlyMap<NodeId, number>): number =>
  Math.max(...nodes.map((node) => times.get(node) ?? 0));

export const dayOf = (json: Readonly<Record<string, unknown>>, readText?: (path: string) => string): Day =>
  new DayWatch(json, readText).run();

/**
 * A path with two hubs that are linked to each of its nodes: the leader, and a node that is first in the order of identities. Without the
 * leader its diameter is 2, but links lead down along the path, and the search takes as many hops.
 */
export function fan(length: number): Topology {
  const path = Array.from({ length }, (_, i) => `n${i}`);
  const links = path.flatMap((node, i): Link[] => [
    ['hub', node, 1],
    [node, 'leader', 1],
    ...(i > 0 ? [[path[i - 1]!, node, 1] as const] : []),
  ]);
  return { nodes: ['hub', ...path, 'leader'], links: [['hub', 'leader', 1], ...links] };
}
