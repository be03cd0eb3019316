/**
 * Arbitrary but well-typed states of the election: any heights, the node's own and those that it stores of its neighbors, and an Update
 * with any height in flight. Clocks are not corrupt: stamps are of the first ticks. Neighbors match the channels. The paper promises
 * nothing after a corruption: docs/election.md describes what recovers.
 */
import type { NodeId } from '../effects.js';
import { candidates } from '../hierarchy/presence.js';
import type { LevelContext } from '../hierarchy/level.js';
import type { Choose, Corruption, Instance, NodeState, RoleView } from '../protocol.js';
import { isSame, type Height, type Identity } from './height.js';
import type { ElectionContext } from './machine.js';
import { ELECTION, LEVEL, levelRole, type PresenceTable, type Update } from './messages.js';
import { identityOf, type ElectionProtocolOptions } from './options.js';
import { adjacencyOf } from './graph.js';
import { stateByHeight } from './view.js';

type ElectionInstance = Instance<ElectionProtocolOptions>;

/** Exclusive upper bound of stamps. */
const STAMPS = 2;

export const electionCorruption: Corruption<ElectionProtocolOptions> = {
  isSurvived: false,
  node: arbitraryNode,
  channel: (from, _to, instance, choose) => (choose(2) === 0 ? [] : [arbitraryUpdate(from, instance, choose)]),
};

function anyIdentity(instance: ElectionInstance, choose: Choose): Identity {
  const { nodes } = instance.topology;
  return identityOf(nodes[choose(nodes.length)]!, instance);
}

function arbitraryHeight(of: NodeId, instance: ElectionInstance, choose: Choose): Height {
  const tau = choose(STAMPS);
  const search =
    tau === 0
      ? { oid: null, r: 0 as const }
      : { oid: anyIdentity(instance, choose), r: choose(2) === 0 ? (0 as const) : (1 as const) };
  const delta = choose(3) - 1;
  return { tau, ...search, delta, nlts: 0 - choose(STAMPS), lid: anyIdentity(instance, choose), id: identityOf(of, instance) };
}

function arbitraryTable(radius: number, instance: ElectionInstance, choose: Choose): PresenceTable {
  const ids = instance.topology.nodes.filter(() => choose(2) === 1).map((node) => identityOf(node, instance));
  return ids.map((id) => ({ birth: choose(STAMPS), id, distance: choose(radius + 1) }));
}

function arbitraryUpdate(from: NodeId, instance: ElectionInstance, choose: Choose): Update {
  const { clock, levels } = instance.options;
  return {
    type: 'update',
    height: arbitraryHeight(from, instance, choose),
    hello: choose(2) === 1,
    stamp: clock === 'logical' ? choose(STAMPS) : null,
    tables: levels.map(({ radius }) => arbitraryTable(radius, instance, choose)),
  };
}

function arbitraryNode(node: NodeId, instance: ElectionInstance, choose: Choose): NodeState {
  const { clock, hello, skipIfLeader, sink, levels } = instance.options;
  const peers = adjacencyOf(instance.topology).get(node)!.toSorted();
  const height = arbitraryHeight(node, instance, choose);
  const context: ElectionContext = {
    id: height.id,
    height,
    links: peers.map((peer) => ({ peer, height: choose(2) === 0 ? null : arbitraryHeight(peer, instance, choose) })),
    clock,
    hello,
    skipIfLeader,
    sink,
    levels: levels.length,
    now: clock === 'logical' ? STAMPS : 0,
  };
  const roles: Record<string, RoleView> = { [ELECTION]: { chart: ELECTION, value: stateByHeight(context), context } };
  levels.forEach((_, i) => (roles[levelRole(i + 1)] = arbitraryLevel(i, height.id, peers, instance, choose)));
  return { roles, timers: [] };
}

function arbitraryLevel(
  place: number,
  id: Identity,
  peers: readonly NodeId[],
  instance: ElectionInstance,
  choose: Choose,
): RoleView<LevelContext> {
  const { levels } = instance.options;
  const { radius } = levels[place]!;
  const received = peers.map((peer) => ({ peer, table: arbitraryTable(radius, instance, choose) }));
  const member = anyIdentity(instance, choose);
  const birth = isSame(member, id) || choose(2) === 1 ? choose(STAMPS) : null;
  const context: LevelContext = {
    id,
    level: place + 1,
    ...levels[place]!,
    next: place + 1 === levels.length ? ELECTION : levelRole(place + 2),
    birth,
    member,
    table: arbitraryTable(radius, instance, choose),
    received,
    near: candidates(id, received, radius),
  };
  return { chart: LEVEL, value: isSame(member, id) ? 'leading' : 'following', context };
}
