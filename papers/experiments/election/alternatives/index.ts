/** The election with an alternative rule for the leaders of a level, to compare it with presence tables. */
import type { NodeId } from '../../../../machines/effects.js';
import { election } from '../../../../machines/election/index.js';
import { adjacencyOf } from '../../../../machines/election/graph.js';
import { oriented } from '../../../../machines/election/height.js';
import { identityOf, type ElectionProtocolOptions } from '../../../../machines/election/options.js';
import { LEVEL } from '../../../../machines/election/messages.js';
import type { LevelRule } from '../../../../machines/hierarchy/start.js';
import type { NetworkGraph, Protocol } from '../../../../machines/protocol.js';
import { alternativeLevel, seatBy, type AlternativeContext, type ReceivedSeat, type SeatRule, type Seat } from './level.js';

type Seats<T> = ReadonlyMap<NodeId, Seat<T>>;

interface Options<T> extends ElectionProtocolOptions {
  /** Initial state of each level, at rest. */
  readonly seats: readonly Seats<T>[];
}

export function withRule<T>(rule: SeatRule<T>): Protocol<Options<T>> {
  return {
    ...election,
    charts: { ...election.charts, [LEVEL]: alternativeLevel(rule) },
    // Each rule has different tables in its updates, which are never sent over a wire.
    accepts: () => true,
    options: (raw, graph) => {
      const options = election.options(raw, graph);
      return { ...options, seats: options.levels.map((level) => settle(rule, level, options, graph)) };
    },
    roles: (node, instance) =>
      election.roles(node, instance).map((start) => {
        if (start.chart !== LEVEL) return start;
        const input = start.input as AlternativeContext<T>;
        const seats = instance.options.seats[input.level - 1]!;
        return { ...start, input: { ...input, ...seats.get(node)!, received: receivedFrom(input.received, seats) } };
      }),
  };
}

const receivedFrom = <T>(peers: readonly { readonly peer: NodeId }[], seats: Seats<T>): ReceivedSeat<T>[] =>
  peers.map(({ peer }) => ({ peer, announced: seats.get(peer)!.announced }));

/** All nodes apply the rule at once, repeatedly, until nothing changes. */
function settle<T>(rule: SeatRule<T>, level: LevelRule, { start }: ElectionProtocolOptions, graph: NetworkGraph): Seats<T> {
  const identity = (node: NodeId) => identityOf(node, graph);
  const heightOf = (node: NodeId) => oriented(identity(node), identity(start[node]!.leader), start[node]!.distance);
  const nodes = [...adjacencyOf(graph.topology)].map(([node, peers]) => ({
    node,
    id: identity(node),
    height: heightOf(node),
    links: peers.map((peer) => ({ peer, height: heightOf(peer) })),
  }));
  let seats: Seats<T> = new Map(nodes.map(({ node, id }) => [node, { member: id, announced: rule.silent(id), birth: null }]));
  for (let before = ''; before !== JSON.stringify([...seats]);) {
    before = JSON.stringify([...seats]);
    const last = seats;
    seats = new Map(
      nodes.map(({ node, ...look }) => {
        const received = receivedFrom(look.links, last);
        return [node, seatBy(rule, { ...look, ...level, ...last.get(node)!, received, now: 0 })];
      }),
    );
  }
  return seats;
}
