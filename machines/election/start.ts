/**
 * How a network starts: every component with a leader and everybody oriented towards it, presence tables at their fixpoint.
 *
 * The paper starts from any leader-oriented configuration (section 3.3); the hierarchy from the fixpoint of its own rules, applied by
 * all nodes at once from empty tables at time 0 (spec section 8).
 */
import type { NodeId } from '../effects.js';
import type { Topology } from '../protocol.js';
import { adjacencyOf, hopsFrom, type Adjacency } from './graph.js';
import type { Identity } from './height.js';
import { candidates, hasSenior, isSameTable, memberOf, withOwn, type Heard, type Table } from './presence.js';

export interface Start {
  readonly neighbours: readonly NodeId[];
  readonly leader: NodeId;
  /** Hops to the leader. */
  readonly distance: number;
  readonly levels: readonly LevelStart[];
}

export interface LevelStart {
  readonly birth: number | null;
  readonly member: Identity;
  readonly table: Table;
}

export interface LevelRule {
  readonly radius: number;
  readonly separation: number;
}

/** `wanted` leads its component; elsewhere the first node of the list does. */
export function startOf(
  topology: Topology,
  wanted: NodeId,
  levels: readonly LevelRule[],
  identity: (node: NodeId) => Identity,
): Readonly<Record<NodeId, Start>> {
  const adjacency = adjacencyOf(topology);
  const presence = levels.map((rule) => settle(adjacency, rule, identity));
  const start: Record<NodeId, Start> = {};
  for (const leader of [wanted, ...topology.nodes]) {
    if (leader in start) continue;
    for (const [node, distance] of hopsFrom(leader, adjacency)) {
      const neighbours = adjacency.get(node)!;
      start[node] = { neighbours, leader, distance, levels: presence.map((level) => level.get(node)!) };
    }
  }
  return start;
}

const nothing = (id: Identity): LevelStart => ({ birth: null, member: id, table: [] });

/** The fixpoint of one level's rules; levels do not read each other. */
function settle(adjacency: Adjacency, rule: LevelRule, identity: (node: NodeId) => Identity): ReadonlyMap<NodeId, LevelStart> {
  let now = new Map([...adjacency.keys()].map((node) => [node, nothing(identity(node))]));
  for (let moved = true; moved;) {
    const next = new Map<NodeId, LevelStart>();
    moved = false;
    for (const [node, peers] of adjacency) {
      const before = now.get(node)!;
      const heard = peers.map((peer) => ({ peer, table: now.get(peer)!.table }));
      const after = applyRules(identity(node), before, heard, rule);
      moved ||= !isSameTable(before.table, after.table);
      next.set(node, after);
    }
    now = next;
  }
  return now;
}

/** Rules 1 to 5 at time 0. */
function applyRules(id: Identity, before: LevelStart, heard: readonly Heard[], { radius, separation }: LevelRule): LevelStart {
  const near = candidates(id, heard, radius);
  const own = { birth: before.birth ?? 0, id, distance: 0 };
  const led = before.table.some(({ distance }) => distance === 0);
  const leads = led ? !hasSenior(own, near, separation) : near.length === 0;
  const table = leads ? withOwn(own, near) : near;
  return { birth: leads ? own.birth : before.birth, member: leads ? id : memberOf(before.member, table), table };
}
