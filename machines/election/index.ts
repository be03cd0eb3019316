/**
 * Leader election in a network whose links come and go, and optionally a hierarchy of leaders near every node.
 *
 * Fault model: nodes do not fail. A channel that is up loses, duplicates and reorders nothing. Each end of a link is notified separately,
 * at any time, that its channel has come up or gone down, which empties the channel. Then every component has exactly one leader some time
 * after changes stop. In between it may have none or several: a leader is not a lock.
 */
import { defineProtocol } from '../define.js';
import { levelSamples } from '../hierarchy/samples.js';
import { ElectionAccount } from './account.js';
import { electionCore } from './core.js';
import { electionCorruption } from './corruption.js';
import { ELECTION, LEVEL } from './messages.js';
import { electionProperties } from './properties.js';
import { samples, systems } from './samples.js';
import { times } from './times.js';
import type { Overlay, NodeView } from '../protocol.js';
import { leadsLevel, levelOf } from '../hierarchy/view.js';
import { compareHeights } from './height.js';
import { electionContext, leaderOf, roleOf } from './view.js';

export { nearest } from '../hierarchy/view.js';
export { electionMachine } from './machine.js';
export { electionCore };

/**
 * Leader election in a network whose links come and go: every component has exactly one leader some time after changes stop.
 *
 * @example
 * ```ts
 * import { parseScenario, Simulation } from 'xstate-quiver/network';
 * import { election } from 'xstate-quiver/machines';
 *
 * const events = [{ at: 100, do: 'cut', link: ['n0', 'n1'] }];
 * const scenario = parseScenario({ protocol: 'election', topology: { kind: 'ring', n: 5 }, events }, { election });
 * console.log(new Simulation(scenario).run().verdict);
 * ```
 * @public
 */
export const election = /* @__PURE__ */ defineProtocol(
  electionCore,
  {
    properties: electionProperties,
    corruption: electionCorruption,
    times,
    samples: { [ELECTION]: samples, [LEVEL]: levelSamples },
    systems,
  },
  {
    paper: 'Tbarka: Hierarchical Leader Election Algorithm With Remoteness Constraint (2019)',
    observe: (instance) => new ElectionAccount(instance),
    overlay,
  },
);

/**
 * A node's marks on the picture of the network: links point down, a color for each phase of a search, a badge for each office. Its group is
 * the reference level of its search, which spreads and returns reflected, or else its district or its leader.
 */
const tones: Readonly<Record<string, NonNullable<Overlay['tone']>>> = {
  isolated: 'held',
  leader: 'held',
  searching: 'waiting',
  reflected: 'active',
};

export function overlay(node: NodeView): Overlay {
  const { height, links, levels } = electionContext(node);
  const role = roleOf(node);
  const offices = Array.from({ length: levels }, (_, i) => i + 1).filter((level) => leadsLevel(node, level));
  const badge = `${role === 'leader' || role === 'isolated' ? '★' : ''}${offices.join('')}`;
  return {
    pointers: links.flatMap(({ peer, height: other }) =>
      other && compareHeights(other, height) < 0 ? [{ to: peer, kind: 'down' }] : [],
    ),
    ...(badge === '' ? {} : { badge }),
    tone: tones[role.split('.')[0]!] ?? 'plain',
    group: groupOf(node, role),
    edges: links.filter(({ height }) => height === null).map(({ peer }) => ({ to: peer, label: 'forming' })),
  };
}

function groupOf(node: NodeView, role: string): string {
  const { height, levels } = electionContext(node);
  const { tau, oid, r } = height;
  if (oid !== null && /^(searching|reflected)/.test(role)) return `search ${tau} of ${oid[1]}${r === 1 ? ', reflected' : ''}`;
  return levels > 0 ? `district of ${levelOf(node, 1).member[1]}` : `follows ${leaderOf(node)}`;
}
