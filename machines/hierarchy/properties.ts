/**
 * The claims of the hierarchy (spec section 8): D1 to D3 and D6's tree of reports, and the number of a level's leaders compared with the
 * bound that follows from D3. D5 needs history and is in ../election/stability.ts.
 */
import type { NodeId } from '../effects.js';
import { electionFold } from '../election/totals.js';
import { always } from '../folded.js';
import type { Configuration, Meter, Property } from '../protocol.js';
import { hopsFrom, hopsNow, type Adjacency } from '../election/graph.js';
import type { ElectionProtocolOptions } from '../election/options.js';
import type { LevelRule } from './start.js';
import { isAgreedAt, leaderOf } from '../election/view.js';
import { leadsLevel, levelOf, reportsFrom } from './view.js';

type Config = Configuration;

/** D4, termination, means that the others eventually hold: while Updates are in flight, D1 is not required. */
export function hierarchyProperties(levels: readonly LevelRule[]): Property<ElectionProtocolOptions>[] {
  if (levels.length === 0) return [];
  const onEveryLevel =
    (holds: (level: number, rule: LevelRule, node: NodeId, c: Config) => boolean) => (c: Config, node: NodeId) =>
      levels.every((rule, i) => holds(i + 1, rule, node, c));
  const reach = levels.reduce((sum, { radius }) => sum + radius, 0);
  const isAgreedAround = (c: Config, node: NodeId) =>
    [...hopsNow(node, c.links, reach).keys()].every((near) => isAgreedAt(near, c));
  const finally_ = { kind: 'eventually', when: isAgreedAround } as const;
  return [
    {
      name: 'D1: tables are exact',
      ...finally_,
      description: 'When quiescent, a table lists exactly the leaders within the radius, each with its distance.',
      holds: onEveryLevel(tableIsExact),
    },
    always(electionFold, { isLocal: true })(
      'D2: no node without a leader',
      'Every node follows a leader in its table, itself exactly while it leads.',
      (totals) => totals.leaderless === 0,
    ),
    {
      name: 'D2: remoteness',
      ...finally_,
      description: 'When quiescent, each node’s leader of a level leads that level and is within the radius.',
      holds: onEveryLevel(leaderIsNear),
    },
    {
      name: 'D3: separation',
      ...finally_,
      description: 'When quiescent, two leaders of one level are farther apart than the separation.',
      holds: onEveryLevel(leadersAreApart),
    },
    {
      name: 'reports reach the top',
      ...finally_,
      description: 'When quiescent, the reports from level to level lead from every node to the leader of its component.',
      holds: (c, node) => reportsFrom(node, c, levels.length).at(-1) === leaderOf(c.nodes.get(node)!),
    },
  ];
}

/** Leaders of a level within some hops of a node, with their distance. */
function leadersAround(node: NodeId, level: number, within: number, c: Config): [NodeId, number][] {
  return [...hopsNow(node, c.links, within)].filter(([id]) => leadsLevel(c.nodes.get(id)!, level));
}

function tableIsExact(level: number, { radius }: LevelRule, node: NodeId, c: Config): boolean {
  const { table } = levelOf(c.nodes.get(node)!, level);
  const around = leadersAround(node, level, radius, c);
  return (
    c.flights.length === 0 &&
    table.length === around.length &&
    around.every(([leader, hops]) => table.some(({ id, distance }) => id[1] === leader && distance === hops))
  );
}

function leaderIsNear(level: number, { radius }: LevelRule, node: NodeId, c: Config): boolean {
  const { member } = levelOf(c.nodes.get(node)!, level);
  return leadersAround(node, level, radius, c).some(([leader]) => leader === member[1]);
}

const leadersAreApart = (level: number, { separation }: LevelRule, node: NodeId, c: Config): boolean =>
  !leadsLevel(c.nodes.get(node)!, level) || leadersAround(node, level, separation, c).length === 1;

const against = (name: string, measured: number, bound: number): Meter => ({ name, measured, bound, ratio: measured / bound });

/** D3's bound on the number of leaders, and the number of leaders of a greedy choice that knows the whole graph. */
export function levelMeters(
  level: number,
  { radius, separation }: LevelRule,
  components: readonly (readonly NodeId[])[],
  graph: Adjacency,
  c: Configuration,
): Meter[] {
  const leaders = [...c.nodes.values()].filter((node) => leadsLevel(node, level)).length;
  const atMost = components.reduce(
    (sum, { length }) => sum + Math.max(1, Math.floor(length / (Math.floor(separation / 2) + 1))),
    0,
  );
  return [
    against(`level ${level}: leaders against the bound of D3`, leaders, atMost),
    against(`level ${level}: leaders against a greedy dominating set`, leaders, greedyDominatingSet(graph, radius)),
  ];
}

/** Size of a set of nodes that has every node within the radius, if each is chosen to cover most of the rest. */
export function greedyDominatingSet(graph: Adjacency, radius: number): number {
  const balls = new Map([...graph.keys()].map((node) => [node, [...hopsFrom(node, graph, radius).keys()]]));
  const left = new Set(graph.keys());
  let chosen = 0;
  for (; left.size > 0; chosen++) {
    let best: readonly NodeId[] = [];
    for (const ball of balls.values()) {
      const reached = ball.filter((node) => left.has(node));
      if (reached.length > best.length) best = reached;
    }
    for (const node of best) left.delete(node);
  }
  return chosen;
}
