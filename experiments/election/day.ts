/** A run on a topology in time, watched for what the election promises there: one leader wherever a component has been left alone. */
import { parseScenario } from '../../network/scenario/parse.js';
import { Simulation } from '../../network/simulation.js';
import { protocols } from '../../machines/index.js';
import type { NodeId } from '../../machines/effects.js';
import { componentsOf, diameterOf } from '../../machines/election/graph.js';
import type { LeaderChange } from '../../machines/election/messages.js';
import { leaderOf } from '../../machines/election/view.js';

export interface Moment {
  readonly at: number;
  /** Components of at least two. */
  readonly components: number;
  readonly largest: number;
  /** Different leaders that nodes in such components follow. */
  readonly leaders: number;
}

export interface Day {
  readonly moments: readonly Moment[];
  readonly changes: number;
  readonly updates: number;
  /** When somebody elected itself. */
  readonly elections: readonly number[];
  /** Looks at a component that had been still for longer than the time it was given, and those of them that saw several leaders. */
  readonly looks: number;
  readonly several: number;
  /** The longest stillness, in round trips of the diameter, after which a component still had several leaders. */
  readonly longestDispute: number;
}

/** With unit latency a round trip takes two ticks; `roundTrips` of the diameter, and one more, is what a component is given. */
export function dayOf(json: Readonly<Record<string, unknown>>, readText?: (path: string) => string, roundTrips = 2): Day {
  const scenario = parseScenario({ protocol: 'election', ...json }, protocols, readText);
  const simulation = new Simulation(scenario, { host: 'snapshots', watch: false });
  const { network, configuration } = simulation;
  const graph = new Map<NodeId, NodeId[]>(scenario.place.topology.nodes.map((node) => [node, []]));
  const changedAt = new Map<NodeId, number>();
  const day = {
    moments: [] as Moment[],
    changes: 0,
    updates: 0,
    elections: [] as number[],
    looks: 0,
    several: 0,
    longestDispute: 0,
  };

  const look = (at: number) => {
    const components = componentsOf(graph).filter(({ length }) => length > 1);
    const leadersOf = (component: readonly NodeId[]) =>
      new Set(component.map((node) => leaderOf(configuration.nodes.get(node)!)));
    const all = components.map(leadersOf);
    day.moments.push({
      at,
      components: components.length,
      largest: Math.max(0, ...components.map(({ length }) => length)),
      leaders: new Set(all.flatMap((leaders) => [...leaders])).size,
    });
    components.forEach((component, i) => judge(component, all[i]!.size, at));
  };

  const judge = (component: readonly NodeId[], leaders: number, at: number) => {
    const still = at - Math.max(...component.map((node) => changedAt.get(node) ?? 0));
    const roundTrip = 2 * diameterOf(component, graph);
    if (leaders > 1) day.longestDispute = Math.max(day.longestDispute, still / roundTrip);
    if (still <= roundTrips * roundTrip + 2) return;
    day.looks++;
    if (leaders > 1) day.several++;
  };

  let last = -1;
  network.channels.changes$.subscribe(({ from, to, up }) => {
    // Before the first change of a tick, everything up to that tick has been delivered.
    if (network.now > last) look((last = network.now));
    day.changes++;
    changedAt.set(from, network.now);
    const peers = graph.get(from)!;
    if (up) peers.push(to);
    else peers.splice(peers.indexOf(to), 1);
  });
  network.steps$.subscribe(({ node, at, sent, emitted }) => {
    day.updates += sent.length;
    for (const event of emitted) if (event.type === 'leader' && (event as LeaderChange).leader === node) day.elections.push(at);
  });
  simulation.run();
  return day;
}
