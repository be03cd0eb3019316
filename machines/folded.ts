/** Promises about totals, each written once: of a configuration that nobody has followed the facts are added up again. */
import type { Message, NodeId } from './effects.js';
import type { ChannelState, Configuration, Flight, Instance, NodeView, Property } from './protocol.js';

/**
 * What properties add up over a configuration: a fact for each node and each message in flight, and totals of the facts.
 *
 * A fact is worked out once for a node's state or a message of `M`, wherever it stands; totals follow a run, or a search, by what changed.
 */
export interface Fold<O = any, T extends Totals<any, any> = any, M extends Message = Message> {
  /** Plain data about a node that follows from its state alone. */
  node(view: NodeView, id: NodeId, instance: Instance<O>): FactsOf<T>[0];
  /** Plain data about a message in flight. Whose sender or cost is read is distinguished by it in a search: read what is needed. */
  flight(flight: Flight<M>, instance: Instance<O>): FactsOf<T>[1];
  /** Totals of nothing. */
  totals(instance: Instance<O>): T;
  /** Its totals keep the messages of each channel in their order: a search then tells of all those on a channel that has changed. */
  readonly isOrdered?: true;
}

/** The sum of facts; what it gets to see with -1 it has seen before with 1. */
export interface Totals<N, F> {
  node(fact: N, by: 1 | -1): void;
  flight(fact: F, by: 1 | -1): void;
  /** How a channel stands: at first of each that there is, then whenever one has changed. */
  channel?(state: ChannelState): void;
}

type FactsOf<T> = T extends Totals<infer N, infer F> ? readonly [N, F] : never;

/** A judgment on totals, the same as `holds` on the configuration. */
export interface Folded<O = any, T extends Totals<any, any> = any> {
  /** Properties that name the same one share its totals. */
  readonly over: Fold<O, T>;
  /** Where the totals do not tell, it may look at the configuration itself. */
  holds(totals: T, c: () => Configuration<O>): boolean;
  /** Its judgment takes as long as the network is large, so that in large ones not every step is looked at. */
  readonly hasLinearCost?: true;
  /** Only what happens around a node that takes a step can break it: a violation names that node. */
  readonly isLocal?: true;
}

/** The totals of a configuration. */
export function totalsOf<O, T extends Totals<any, any>>(over: Fold<O, T>, c: Configuration<O>): T {
  const { instance } = c;
  const totals = over.totals(instance);
  if (totals.channel) for (const channel of channelsOf(c)) totals.channel(channel);
  for (const [id, view] of c.nodes) totals.node(over.node(view, id, instance), 1);
  for (const flight of c.flights) totals.flight(over.flight(flight, instance), 1);
  return totals;
}

/** How the channels stand over which nodes are neighbors or something is on its way, in both directions. */
function* channelsOf({ nodes, flights, links }: Configuration): Iterable<ChannelState> {
  const state = (from: NodeId, to: NodeId): ChannelState => ({ from, to, up: links.up(from, to), port: links.port(from, to) });
  for (const from of nodes.keys())
    for (const to of links.neighbors(from)) {
      yield state(from, to);
      yield state(to, from);
    }
  for (const { from, to } of flights) {
    yield state(from, to);
    yield state(to, from);
  }
}

const saying =
  (kind: 'always' | 'sometimes') =>
  <O, T extends Totals<any, any>>(over: Fold<O, T>, where?: Pick<Folded, 'isLocal' | 'hasLinearCost'>) =>
  (name: string, description: string, holds: (totals: T, c: () => Configuration<O>) => boolean): Property<O> => ({
    name,
    kind,
    description,
    holds: (c) => holds(totalsOf(over, c), () => c),
    folded: { over, holds, ...where },
  });

/**
 * Says `always` of totals.
 *
 * @param over what is added up.
 * @param where as in `Folded`: `isLocal` where only a step around a node can break it, `hasLinearCost` where judging takes as long as the
 * network is large.
 * @returns a property for a name, a sentence, and a judgment, which may look at the configuration where totals do not tell.
 */
export const always = saying('always');

/** Says `sometimes` of totals, as `always` does. */
export const sometimes = saying('sometimes');
