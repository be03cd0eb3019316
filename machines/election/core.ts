/** The part of the leader election that an application loads: its charts, messages and commands, with or without the hierarchy. */
import { coreOf } from '../core.js';
import type { NodeId } from '../effects.js';
import { levelMachine, type LevelInput } from '../hierarchy/level.js';
import type { Instance, RoleStart } from '../protocol.js';
import { electionMachine } from './machine.js';
import { ELECTION, LEVEL, levelRole } from './messages.js';
import { electionOptions, identityOf, type ElectionProtocolOptions } from './options.js';
import { electionRole } from './role.js';
import { electionMessages } from './update.js';

/**
 * The leader election and its hierarchy without checks and view, for `createNode`.
 *
 * @public
 */
export const electionCore = /* @__PURE__ */ coreOf({
  name: 'election',
  charts: { [ELECTION]: electionMachine, [LEVEL]: levelMachine },
  network: { reach: 'links', order: 'fifo', time: true },
  options: electionOptions,
  roles: (node, instance) => [electionRole(node, instance), ...levelRoles(node, instance)],
  route: () => ELECTION,
  notices: ['leader', 'district'],
  messages: electionMessages,
});

function levelRoles(node: NodeId, instance: Instance<ElectionProtocolOptions>): RoleStart[] {
  const { start, levels } = instance.options;
  const id = identityOf(node, instance);
  return levels.map((rule, i): RoleStart => {
    const next = i + 1 === levels.length ? ELECTION : levelRole(i + 2);
    const received = start[node]!.neighbors.toSorted().map((peer) => ({ peer, table: start[peer]!.levels[i]!.table }));
    const input: LevelInput = { id, level: i + 1, ...rule, next, ...start[node]!.levels[i]!, received };
    return { role: levelRole(i + 1), chart: LEVEL, input };
  });
}
