/**
 * Leader election in a network whose links come and go, and on demand a hierarchy of leaders within reach of everybody.
 *
 * Fault model: nodes do not fail; a channel that is up loses, doubles and reorders nothing; each end of a link hears by itself, and at
 * any time, that its channel has come up or gone down, which empties the channel. Under it every component has exactly one leader
 * some time after changes stop. In between there may be none or several: a leader is no lock.
 */
import { defineCore, defineProtocol } from '../define.js';
import type { NodeId } from '../effects.js';
import type { Instance, RoleStart } from '../protocol.js';
import { accepts } from './accepts.js';
import { ElectionAccount } from './account.js';
import { oriented } from './height.js';
import { levelMachine, type LevelInput } from '../hierarchy/level.js';
import { levelSamples } from '../hierarchy/samples.js';
import { electionMachine, type ElectionInput } from './machine.js';
import { ELECTION, LEVEL, levelRole } from './messages.js';
import { electionOptions, identityOf, type ElectionOptions } from './options.js';
import { electionProperties } from './properties.js';
import { reasons } from './reasons.js';
import { samples } from './samples.js';
import { systems } from './systems.js';
import { overlay } from './overlay.js';
import { times } from './times.js';

export { compareHeights, type Height, type Identity } from './height.js';
export { levelMachine, type LevelContext, type LevelInput } from '../hierarchy/level.js';
export { electionMachine, type ElectionContext, type ElectionEvent, type ElectionInput } from './machine.js';
export type { DistrictChange, LeaderChange, Update } from './messages.js';
export { nearest } from '../hierarchy/view.js';
export type { ElectionOptions };

export const electionCore = /* @__PURE__ */ defineCore<ElectionOptions>({
  name: 'election',
  charts: { [ELECTION]: electionMachine, [LEVEL]: levelMachine },
  network: { reach: 'links', order: 'fifo', time: true },
  options: electionOptions,
  roles,
  route: () => ELECTION,
  accepts,
});

export const election = /* @__PURE__ */ defineProtocol(
  electionCore,
  { properties: electionProperties, times, samples: { [ELECTION]: samples, [LEVEL]: levelSamples }, systems, reasons },
  {
    paper: 'Tbarka: Hierarchical Leader Election Algorithm With Remoteness Constraint (2019)',
    observe: (instance) => new ElectionAccount(instance),
    overlay,
  },
);

function roles(node: NodeId, instance: Instance<ElectionOptions>): readonly RoleStart[] {
  const { start, levels, clock, hello, skipIfLeader, sink } = instance.options;
  const heightAt = (id: NodeId) =>
    oriented(identityOf(id, instance), identityOf(start[id]!.leader, instance), start[id]!.distance);
  const { neighbours } = start[node]!;
  const id = identityOf(node, instance);
  const sorted = neighbours.toSorted();
  const input: ElectionInput = {
    id,
    height: heightAt(node),
    links: sorted.map((peer) => ({ peer, height: heightAt(peer) })),
    clock,
    hello,
    skipIfLeader,
    sink,
    levels: levels.length,
  };
  return [
    { role: ELECTION, chart: ELECTION, input },
    ...levels.map((rule, i): RoleStart => {
      const next = i + 1 === levels.length ? ELECTION : levelRole(i + 2);
      const heard = sorted.map((peer) => ({ peer, table: start[peer]!.levels[i]!.table }));
      const input: LevelInput = { id, level: i + 1, ...rule, next, ...start[node]!.levels[i]!, heard };
      return { role: levelRole(i + 1), chart: LEVEL, input };
    }),
  ];
}
