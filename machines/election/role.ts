/** Creates the election role of a node with its initial state. The hierarchy and locks use the same role. */
import type { NodeId } from '../effects.js';
import type { Instance, RoleStart } from '../protocol.js';
import { oriented } from './height.js';
import type { ElectionInput } from './machine.js';
import { ELECTION } from './messages.js';
import { identityOf, type ElectionProtocolOptions } from './options.js';

export function electionRole(node: NodeId, instance: Instance<ElectionProtocolOptions>): RoleStart {
  const { start, levels, clock, hello, skipIfLeader, sink } = instance.options;
  const heightAt = (id: NodeId) =>
    oriented(identityOf(id, instance), identityOf(start[id]!.leader, instance), start[id]!.distance);
  const input: ElectionInput = {
    id: identityOf(node, instance),
    height: heightAt(node),
    links: start[node]!.neighbors.toSorted().map((peer) => ({ peer, height: heightAt(peer) })),
    clock,
    hello,
    skipIfLeader,
    sink,
    levels: levels.length,
  };
  return { role: ELECTION, chart: ELECTION, input };
}
