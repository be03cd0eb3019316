/** Reads a node's leaders in a hierarchy: one on each level, up to the leader of the whole component. */
import type { NodeId } from '../effects.js';
import { isSame } from '../election/height.js';
import { levelRole } from '../election/messages.js';
import { electionContext, leaderOf } from '../election/view.js';
import type { Configuration, NodeView } from '../protocol.js';
import type { LevelContext } from './level.js';

export const levelOf = (node: NodeView, level: number): LevelContext => node[levelRole(level)]!.context;

/** True if the state is leading exactly if the leader is the node itself. */
const isInStateByMember = (node: NodeView, level: number): boolean => {
  const { id, member } = levelOf(node, level);
  return node[levelRole(level)]!.value === (isSame(id, member) ? 'leading' : 'following');
};

export const leadsLevel = (node: NodeView, level: number): boolean => node[levelRole(level)]!.value === 'leading';

/** True if a node follows a leader in its table on each level, itself exactly while it leads. */
export function followsEverywhere(node: NodeView, levels: number): boolean {
  for (let level = 1; level <= levels; level++) {
    const { member, table } = levelOf(node, level);
    if (!table.some((entry) => isSame(entry.id, member)) || !isInStateByMember(node, level)) return false;
  }
  return true;
}

/** The chain of leaders from a node: itself, its leader of level 1, that leader's leader of level 2, up to the leader of the component. */
export function reportsFrom(node: NodeId, c: Configuration, levels: number): NodeId[] {
  const path = [node];
  for (let level = 1; level <= levels; level++) {
    const view = c.nodes.get(path.at(-1)!);
    if (view) path.push(levelOf(view, level).member[1]);
  }
  const top = c.nodes.get(path.at(-1)!);
  return top ? [...path, leaderOf(top)] : path;
}

/**
 * Returns the nearest known leader of any level, at most `within` hops away, or `null`. If two are equally near, the higher level wins.
 *
 * @param node the state of an election node.
 * @param within the largest distance in hops.
 * @returns the nearest leader within this distance, with its level; `null` if there is none.
 * @example
 * ```ts
 * import { parseScenario, Simulation } from 'xstate-quiver/network';
 * import { protocols, nearest } from 'xstate-quiver/machines';
 *
 * const topology = { kind: 'ring', n: 8 };
 * const simulation = new Simulation(parseScenario({ protocol: 'election', topology, options: { radii: [2] } }, protocols));
 * simulation.run();
 * console.log(nearest(simulation.configuration.nodes.get('n3')!, 2));
 * ```
 * @public
 */
export function nearest(node: NodeView, within: number): { leader: NodeId; level: number; distance: number } | null {
  let best: { leader: NodeId; level: number; distance: number } | null = null;
  for (let level = electionContext(node).levels; level >= 1; level--) {
    for (const { id, distance } of levelOf(node, level).table) {
      if (distance <= within && (best === null || distance < best.distance)) best = { leader: id[1], level, distance };
    }
  }
  return best;
}
